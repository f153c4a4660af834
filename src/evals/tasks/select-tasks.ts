import { hash } from 'node:crypto';
import { UsageError } from '../../core/errors.ts';
import type { EvalTask } from '../suite.ts';

/** Which tasks of a set are taken: those of the kinds, of them a sample, and of that the first ones. */
export interface TaskSelection {
  kinds?: readonly string[];
  /**
   * So many by chance, the same ones for the same seed and in the order of the file. Each task has its place in the draw by its id
   * alone, so that a row that is added displaces at most one other.
   */
  sample?: { count: number; seed: string | number };
  /** The first so many. */
  limit?: number;
}

/** The selected tasks. Throws `UsageError` for a kind that is not there and a number that is none. */
export function selectTasks(tasks: readonly EvalTask[], { kinds, sample, limit }: TaskSelection): EvalTask[] {
  if (sample) checkCount('sample.count', sample.count);
  if (limit !== undefined) checkCount('limit', limit);
  const ofKinds = kinds ? tasksOfKinds(tasks, kinds) : tasks;
  return (sample ? drawn(ofKinds, sample) : ofKinds).slice(0, limit);
}

function checkCount(name: string, count: number): void {
  if (Number.isInteger(count) && count > 0) return;
  throw new UsageError(`${name} is ${count}. Give a whole number of at least 1.`);
}

function tasksOfKinds(tasks: readonly EvalTask[], kinds: readonly string[]): EvalTask[] {
  const present = new Set(tasks.flatMap(({ kind }) => kind ?? []));
  const unknown = kinds.find((kind) => !present.has(kind));
  if (unknown !== undefined)
    throw new UsageError(`No task is of the kind '${unknown}'. Kinds: ${[...present].sort().join(', ') || 'none'}.`);
  return tasks.filter(({ kind }) => kind !== undefined && kinds.includes(kind));
}

/** Those with the least hashes (bottom-k sampling, Cohen and Kaplan 2007). */
function drawn(tasks: readonly EvalTask[], { count, seed }: NonNullable<TaskSelection['sample']>): EvalTask[] {
  const places = tasks.map((task) => ({ task, place: hash('sha256', `${seed}\n${task.id}`) }));
  const chosen = places.toSorted((a, b) => (a.place < b.place ? -1 : 1)).slice(0, count);
  const kept = new Set(chosen.map(({ task }) => task));
  return tasks.filter((task) => kept.has(task));
}
