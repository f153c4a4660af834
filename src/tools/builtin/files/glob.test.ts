import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { glob } from './glob.ts';

const matches = (pattern: string, name: string) => glob(pattern)(name.split('/'));

describe('glob', () => {
  it.each([
    ['*.md', 'a.md', true],
    ['*.md', 'deep/er/a.md', true],
    ['*.md', 'a.mdx', false],
    ['src/*.ts', 'src/a.ts', true],
    ['src/*.ts', 'src/deep/a.ts', false],
    ['src/**/*.ts', 'src/a.ts', true],
    ['src/**/*.ts', 'src/x/y/a.ts', true],
    ['src/**', 'src/x/y', true],
    ['src/**', 'srcs/x', false],
    ['**', 'a/b', true],
    ['./src/a', 'src/a', true],
    ['a?c', 'a日c', true],
    ['a?c', 'ac', false],
    ['*.{ts,tsx}', 'a.tsx', true],
    ['{a,b}/{c,d}', 'b/d', true],
    ['{a', '{a', true],
    ['[ab].md', 'a.md', false],
    ['a.c', 'abc', false],
    ['*a*b*', 'xxaxxbxx', true],
  ])('%s on %s is %s', (pattern, name, expected) => {
    expect(matches(pattern, name)).toBe(expected);
  });

  it('agrees with a plain definition on random patterns and names', () => {
    const text = fc.array(fc.constantFrom('a', 'b', '*', '?'), { maxLength: 8 }).map((each) => each.join(''));
    const defined = (pattern: string, name: string): boolean => {
      if (pattern === '') return name === '';
      const [first, rest] = [pattern[0], pattern.slice(1)];
      if (first === '*') return defined(rest, name) || (name !== '' && defined(pattern, name.slice(1)));
      return name !== '' && (first === '?' || first === name[0]) && defined(rest, name.slice(1));
    };
    const plain = text.filter((each) => each !== '' && !each.includes('**'));
    fc.assert(
      fc.property(plain, text, (pattern, name) => {
        expect(matches(pattern, name)).toBe(defined(pattern, name));
      }),
      { numRuns: 2_000 },
    );
  });

  it('refuses what would take long', () => {
    expect(() => glob('*'.repeat(300))).toThrow('at most 256 characters');
    expect(() => glob('{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}')).toThrow('at most 32 patterns');
    expect(() => glob('**/a/**/a/**/a/**/a/**/a')).toThrow('at most 4 times');
  });
});
