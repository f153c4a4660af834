import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { matchesName, modelNames } from './tool-names.ts';

const wild = fc.string({ unit: fc.constantFrom('a', 'B', '_', '-', '.', '/', ' ', 'é'), minLength: 1, maxLength: 70 });

describe('modelNames', () => {
  it('gives every tool another valid name, whatever the order of the list', () => {
    fc.assert(
      fc.property(fc.uniqueArray(wild, { maxLength: 12 }), (tools) => {
        const names = modelNames('srv', tools);
        expect(new Set(names.values()).size).toBe(names.size);
        for (const name of names.values()) expect(name).toMatch(/^srv_[a-zA-Z0-9_-]{1,60}$/);
        expect(new Map(modelNames('srv', tools.toReversed()))).toEqual(names);
      }),
    );
  });

  it('leaves plain names as they are, and marks those that would become the same', () => {
    expect([...modelNames('s', ['a_b', 'a.b', 'a/b', 'c.d']).entries()]).toEqual([
      ['a_b', 's_a_b'],
      ['a.b', expect.stringMatching(/^s_a_b_[0-9a-f]{8}$/)],
      ['a/b', expect.stringMatching(/^s_a_b_[0-9a-f]{8}$/)],
      ['c.d', 's_c_d'],
    ]);
  });

  it('cuts long names so that they stay different', () => {
    const names = modelNames('s', [`${'x'.repeat(100)}1`, `${'x'.repeat(100)}2`]);
    expect(new Set(names.values()).size).toBe(2);
    for (const name of names.values()) expect(name).toHaveLength(64);
  });

  it('leaves out a tool that takes the name made for another', () => {
    const marked = modelNames('s', ['a.b', 'a/b']).get('a.b') ?? '';
    const names = modelNames('s', ['a.b', 'a/b', marked.slice(2)]);
    expect(names.has('a.b')).toBe(false);
    expect(names.has(marked.slice(2))).toBe(false);
    expect(names.size).toBe(1);
  });
});

describe('matchesName', () => {
  it('agrees with a regular expression', () => {
    const pattern = fc.string({ unit: fc.constantFrom('a', 'b', '*', '.'), maxLength: 8 });
    const name = fc.string({ unit: fc.constantFrom('a', 'b', '.'), maxLength: 8 });
    fc.assert(
      fc.property(pattern, name, (glob, text) => {
        const source = glob.replaceAll('.', '\\.').replaceAll('*', '.*');
        expect(matchesName(glob, text)).toBe(new RegExp(`^${source}$`).test(text));
      }),
    );
  });
});
