import fc from 'fast-check';
import { expect, test } from 'vitest';
import { lessonWith } from '../testing/lesson-contract-fixture.ts';
import { chooseLessons, worstFirst } from './ranking.ts';

const query = { limit: 9, now: 0 };
const ids = (lists: string[][], lessons = all(lists)) =>
  chooseLessons(
    lists.map((list) => list.map((id, index) => ({ id, score: 1 / (index + 1) }))),
    lessons,
    query,
  ).map((lesson) => lesson.id);
const all = (lists: string[][]) => [...new Set(lists.flat())].map((id) => lessonWith({ id }));

test('lists are fused by reciprocal rank: second in both beats first in one', () => {
  expect(
    ids([
      ['a', 'b'],
      ['c', 'b'],
    ]),
  ).toEqual(['b', 'a', 'c']);
  expect(ids([['a', 'b', 'c']])).toEqual(['a', 'b', 'c']);
  expect(ids([[], ['b', 'a']])).toEqual(['b', 'a']);
});

test('of three in a chain of contradictions the outer two hold when the best is one of them', () => {
  const chain = (wins: [number, number, number]) => [
    lessonWith({ id: 'a', conflicts: ['b'], wins: wins[0] }),
    lessonWith({ id: 'b', conflicts: ['a', 'c'], wins: wins[1] }),
    lessonWith({ id: 'c', conflicts: ['b'], wins: wins[2] }),
  ];
  expect(ids([['a', 'b', 'c']], chain([3, 2, 1]))).toEqual(['a', 'c']);
  expect(ids([['a', 'b', 'c']], chain([1, 2, 1]))).toEqual(['b']);
  expect(ids([['b']], chain([3, 2, 1]))).toEqual(['a']);
});

const lesson = fc.record({
  id: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
  wins: fc.nat(3),
  losses: fc.nat(3),
  created: fc.nat(3),
  conflicts: fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { maxLength: 2 }),
});

test('the choice depends on no order, holds no contradiction, and is empty only when nothing matches', () => {
  const lessons = fc.uniqueArray(lesson, { selector: ({ id }) => id, minLength: 1 });
  fc.assert(
    fc.property(lessons, fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e')), (made, matches) => {
      const whole = made.map(({ conflicts, ...rest }) =>
        lessonWith({ ...rest, conflicts: conflicts.filter((id) => id !== rest.id) }),
      );
      const list = matches.map((id, index) => ({ id, score: 5 - index }));
      const chosen = chooseLessons([list], whole, query);
      expect(chooseLessons([[...list].reverse()], [...whole].reverse(), query)).toEqual(chosen);
      for (const one of chosen) expect(chosen.some((other) => one.conflicts.includes(other.id))).toBe(false);
      expect(chosen.length > 0).toBe(whole.some((lesson) => list.some(({ id }) => id === lesson.id)));
      expect(worstFirst([...whole].reverse())).toEqual(worstFirst(whole));
    }),
  );
});
