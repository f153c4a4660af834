import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bestFirst, bm25, worstFirst } from './ranking.ts';
import { containment, overlap, termsOf } from './tokens.ts';

test('forms of one word give one term, common words none', () => {
  for (const word of ['rounding', 'rounded', 'rounds', 'Round']) expect(termsOf(word)).toEqual(['round']);
  expect(termsOf('Adding add ADDED')).toEqual(['add', 'add', 'add']);
  expect(termsOf('running queries, one query; boxes of a box')).toEqual(['run', 'query', 'one', 'query', 'box', 'box']);
  expect(termsOf('this is what it was')).toEqual([]);
});

test('a compound name is found whole and by its parts', () => {
  expect(termsOf('readFile')).toEqual(['readfil', 'read', 'fil']);
  expect(termsOf('list_open_orders')).toEqual(['list', 'open', 'order']);
});

test('scripts without spaces give pairs, mixed text gives both', () => {
  expect(termsOf('计算税额')).toEqual(['计算', '算税', '税额']);
  expect(termsOf('我的税')).toEqual([]);
  expect(termsOf('价格USD100元')).toEqual(['价格', 'usd100', '元']);
  expect(termsOf('ＡＢＣ１２')).toEqual(['abc12']);
});

test('a term never holds anything but letters, marks and digits', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
      for (const term of termsOf(text)) expect(term).toMatch(/^[\p{L}\p{M}\p{N}]+$/u);
    }),
  );
});

test('a long text is cut in linear time', () => {
  const began = performance.now();
  termsOf('税'.repeat(100_000));
  termsOf('a'.repeat(100_000));
  termsOf('aB'.repeat(50_000));
  termsOf(`${'́'.repeat(100_000)}税`);
  expect(performance.now() - began).toBeLessThan(2_000);
});

test('overlap and containment are shares of the terms', () => {
  const [a, b] = [new Set(['x', 'y', 'z']), new Set(['y', 'z'])];
  expect(overlap(a, b)).toBeCloseTo(2 / 3);
  expect(containment(a, b)).toBe(1);
  expect(overlap(new Set(), new Set())).toBe(0);
  expect(containment(new Set(), a)).toBe(0);
});

test('a rare word weighs more than a common one, and a missing one nothing', () => {
  const documents = [['common', 'rare'], ['common', 'plain'], ['common'], ['other']];
  const [both, first, second, none] = bm25(['common', 'rare'], documents);
  expect(both).toBeGreaterThan(first!);
  expect(second).toBeGreaterThan(0);
  expect(none).toBe(0);
});

test('ordering is total: the same lessons in any order come out the same', () => {
  const lesson = fc.record({
    id: fc.uuid(),
    wins: fc.nat(3),
    losses: fc.nat(3),
    uses: fc.nat(3),
    created: fc.nat(3),
  });
  const match = fc.record({ lesson, relevance: fc.double({ min: 0, max: 3, noNaN: true }) });
  fc.assert(
    fc.property(fc.uniqueArray(match, { selector: (item) => item.lesson.id }), (matches) => {
      const whole = matches.map((item) => ({
        relevance: item.relevance,
        lesson: {
          ...item.lesson,
          ...{ trigger: '', failurePattern: '', lesson: '', avoid: '', source: '', scope: '', expires: 9 },
          status: 'active' as const,
        },
      }));
      expect(bestFirst([...whole].reverse())).toEqual(bestFirst(whole));
      const lessons = whole.map((item) => item.lesson);
      expect(worstFirst([...lessons].reverse())).toEqual(worstFirst(lessons));
    }),
  );
});
