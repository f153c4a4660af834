import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { EvalTask } from '../suite.ts';
import { selectTasks } from './select-tasks.ts';
import { tasksHash } from './tasks-hash.ts';

const tasks: EvalTask[] = Array.from({ length: 200 }, (_, index) => ({
  id: `t${index}`,
  input: `task ${index}`,
  kind: index % 2 === 0 ? 'even' : 'odd',
}));
const ids = (chosen: readonly EvalTask[]): string[] => chosen.map(({ id }) => id);

test('kinds, then the sample, then the limit', () => {
  const sample = { count: 20, seed: 1 };
  const drawn = selectTasks(tasks, { kinds: ['odd'], sample });
  expect(drawn).toHaveLength(20);
  expect(drawn.every(({ kind }) => kind === 'odd')).toBe(true);
  expect(selectTasks(tasks, { kinds: ['odd'], sample, limit: 5 })).toEqual(drawn.slice(0, 5));
  expect(ids(selectTasks(tasks, { limit: 2 }))).toEqual(['t0', 't1']);
});

describe('a sample', () => {
  test('is the same for a seed, another for another, and in the order of the file', () => {
    const drawn = selectTasks(tasks, { sample: { count: 50, seed: 'a' } });
    expect(selectTasks(tasks.toReversed(), { sample: { count: 50, seed: 'a' } }).toReversed()).toEqual(drawn);
    expect(drawn).toEqual(tasks.filter((task) => drawn.includes(task)));
    expect(selectTasks(tasks, { sample: { count: 50, seed: 'b' } })).not.toEqual(drawn);
  });

  test('loses at most as many of its tasks as were added', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 199 }),
        fc.integer({ min: 1, max: 60 }),
        fc.string(),
        (known, count, seed) => {
          const before = ids(selectTasks(tasks.slice(0, known), { sample: { count, seed } }));
          const after = new Set(ids(selectTasks(tasks, { sample: { count, seed } })));
          const kept = before.filter((id) => after.has(id)).length;
          expect(kept).toBeGreaterThanOrEqual(before.length - (tasks.length - known));
          expect(
            [...after].every((id) => before.includes(id) || Number(id.slice(1)) >= known || before.length < count),
          ).toBe(true);
        },
      ),
    );
  });

  test('of more than there are is all', () => {
    expect(selectTasks(tasks, { sample: { count: 1_000, seed: 1 } })).toEqual(tasks);
  });
});

test('what selects nothing is refused', () => {
  expect(() => selectTasks(tasks, { kinds: ['prime'] })).toThrow(/No task is of the kind 'prime'\. Kinds: even, odd/);
  expect(() => selectTasks(tasks, { limit: 0 })).toThrow(/limit is 0/);
  expect(() => selectTasks(tasks, { sample: { count: 1.5, seed: 1 } })).toThrow(/sample\.count is 1\.5/);
});

test('the hash depends on the tasks and their order, and not on the order of keys', () => {
  const task = { id: 'a', input: 'x', expected: { b: 1, a: [2] } };
  const turned = { expected: { a: [2], b: 1 }, input: 'x', id: 'a' };
  const other = { id: 'b', input: 'y' };
  expect(tasksHash([task])).toBe(tasksHash([turned]));
  expect(tasksHash([task])).toMatch(/^[0-9a-f]{64}$/);
  expect(tasksHash([task, other])).not.toBe(tasksHash([other, task]));
  expect(tasksHash([{ ...task, expected: { b: 1, a: [3] } }])).not.toBe(tasksHash([task]));
});
