import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../core/json.ts';
import { attemptWith } from '../../testing/attempt.ts';
import type { Grade } from '../grader.ts';
import { type SetOptions, set } from './set.ts';

function graded(expected: Json[], answer: string, options: SetOptions = {}): Grade {
  const task = { id: 't1', input: 'Which ports?', expected };
  // It asks nobody, so that it answers at once.
  return set(options).grade({ task, answer, attempt: attemptWith() }, { step: () => Promise.reject() }) as Grade;
}

describe('set', () => {
  it('reads lists in the forms people write them', () => {
    const forms = [
      'Oban and Mallaig',
      'mallaig, oban',
      'The ports are: Oban, Mallaig.',
      '- Oban\n- Mallaig',
      'Answer: Oban; Mallaig',
    ];
    const coded = [
      '["Mallaig", "Oban"]',
      '```json\n["Oban", "Mallaig"]\n```',
      'Here they are:\n1. Oban\n2. Mallaig\nGood luck!',
    ];
    for (const answer of [...forms, ...coded])
      expect([answer, graded(['Oban', 'Mallaig'], answer).pass]).toEqual([answer, true]);
    expect(graded(['奥本', '马莱格'], '马莱格、奥本').pass).toBe(true);
    expect(graded(['10:30', '11:45'], '10:30, 11:45').pass).toBe(true);
  });

  it('names what is missing and what is too much', () => {
    expect(graded(['Oban', 'Mallaig'], 'Oban, Mallaig, Tiree')).toMatchObject({
      pass: false,
      score: 2 / 3,
      why: expect.stringContaining('not expected "tiree"'),
    });
    expect(graded(['Oban', 'Mallaig'], 'Oban')).toMatchObject({
      pass: false,
      score: 0.5,
      why: expect.stringContaining('missing "mallaig"'),
    });
    expect(graded(['Oban'], '').pass).toBe(false);
  });

  it('keeps an item with `and` whole where it is expected', () => {
    expect(graded(['Fish and Chips', 'Tea'], 'Tea, Fish and Chips').pass).toBe(true);
    expect(graded(['Fish', 'Chips', 'Tea'], 'Tea, Fish and Chips').pass).toBe(true);
  });

  it('compares numbers by value', () => {
    expect(graded([1, 2.5, 1234], '1.0, 2.50 and 1,234').pass).toBe(true);
    expect(graded([1, 2], '1, 3').pass).toBe(false);
  });

  it('minds the order where it is told to', () => {
    expect(graded(['a', 'b'], 'b, a', { order: true })).toMatchObject({
      pass: false,
      why: expect.stringContaining('order'),
    });
    expect(graded(['a', 'b'], 'a, b', { order: true }).pass).toBe(true);
    expect(graded(['a', 'b'], 'a, b, b', { order: true }).pass).toBe(false);
  });

  it('meets an empty list by saying so', () => {
    for (const answer of ['none', '[]', 'None.', '没有'])
      expect([answer, graded([], answer).pass]).toEqual([answer, true]);
    expect(graded([], 'Oban').pass).toBe(false);
  });

  it('finds a set again in any order, and misses one item', () => {
    const word = fc.stringMatching(/^[b-z]{3,8}$/).filter((text) => !['and', 'none', 'nothing', 'the'].includes(text));
    fc.assert(
      fc.property(fc.uniqueArray(word, { minLength: 2, maxLength: 6 }), (items) => {
        expect(graded(items, items.toReversed().join(', ')).pass).toBe(true);
        expect(graded(items, items.slice(1).join(', ')).pass).toBe(false);
      }),
    );
  });
});
