import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bm25 } from './bm25.ts';
import { containment, overlap, queryTermsOf, termsOf } from './tokens.ts';

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

test('documents that share no word with the query weigh in by number alone', () => {
  const documents = [['common', 'rare'], ['common', 'plain'], ['common'], ['other'], ['else']];
  const found = documents.slice(0, 3);
  const alone = bm25(['rare'], found, documents.length);
  expect(alone[0]).toBeGreaterThan(bm25(['rare'], found)[0]!);
  expect(alone.slice(1)).toEqual([0, 0]);
});

test('a long query keeps its beginning and its end', () => {
  const terms = queryTermsOf(Array.from({ length: 900 }, (_, index) => `w${index}`).join(' '));
  expect(terms).toHaveLength(200);
  expect([terms[0], terms.at(-1)]).toEqual(['w0', 'w899']);
});
