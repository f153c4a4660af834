import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type DiffPart, wordDiff } from './word-diff.ts';

const signs = { same: ['', ''], added: ['{+', '+}'], removed: ['[-', '-]'] } as const;
const shown = (parts: DiffPart[] | undefined): string =>
  (parts ?? []).map(({ type, text }) => signs[type].join(text || '∅')).join('');

describe('the difference of two texts', () => {
  it.each([
    ['Total: 4,295 EUR net', 'Total: 4,386 EUR net', 'Total: [-4,295-]{+4,386+} EUR net'],
    ['总价是四千欧元', '总价是五千欧元', '总价是[-四千-]{+五千+}欧元'],
    ['all of it changed', 'nothing at last remained', '[-all of it changed-]{+nothing at last remained+}'],
    ['same', 'same', 'same'],
  ])('of %s and %s is told in words', (before, after, result) => {
    expect(shown(wordDiff(before, after))).toBe(result);
  });

  it('has both texts in it, to the character', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 60 }), fc.string({ maxLength: 60 }), (before, after) => {
        const parts = wordDiff(before, after) ?? [];
        const without = (type: DiffPart['type']): string =>
          parts.flatMap((part) => (part.type === type ? [] : [part.text])).join('');
        expect(without('added')).toBe(before);
        expect(without('removed')).toBe(after);
      }),
    );
  });
});
