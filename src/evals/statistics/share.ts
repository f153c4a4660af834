import type { Share } from '../evaluation.ts';
import { normalQuantile } from './normal-quantile.ts';

/** What was counted on one task. */
export interface Tally {
  count: number;
  of: number;
}

/**
 * A share with its score interval (Wilson 1927). Of nothing the rate is NaN and the interval everything.
 * Throws `RangeError` when `count` is not between 0 and `of`.
 */
export function wilson(count: number, of: number, confidence = 0.95): Share {
  return { count, of, rate: count / of, ...scoreInterval({ count, of }, of, confidence) };
}

/**
 * A share over tasks that were each counted several times: the interval of Wilson with the number of counts divided by their design
 * effect (Rao and Scott 1992), since repeats of one task tell less than as many tasks. Where every task was counted once it
 * is Wilson's own; where all counts agree a task counts as one.
 */
export function wilsonOfTasks(tasks: readonly Tally[], confidence = 0.95): Share {
  const counted = tasks.filter(({ of }) => of > 0);
  const sum = (of: (tally: Tally) => number): number => counted.reduce((total, tally) => total + of(tally), 0);
  const [count, of] = [sum((tally) => tally.count), sum((tally) => tally.of)];
  const rate = count / of;
  const size = of === counted.length ? of : of / designEffect(counted, { count, of });
  return { count, of, rate, ...scoreInterval({ count, of }, size, confidence) };
}

function designEffect(tasks: readonly Tally[], { count, of }: Tally): number {
  const rate = count / of;
  if (rate === 0 || rate === 1 || tasks.length === 1) return of / tasks.length;
  const squares = tasks.reduce((sum, task) => sum + (task.count - rate * task.of) ** 2, 0);
  return Math.max(1, ((tasks.length / (tasks.length - 1)) * squares) / (of * rate * (1 - rate)));
}

function scoreInterval({ count, of }: Tally, size: number, confidence: number): { low: number; high: number } {
  if (!(count >= 0 && count <= of)) throw new RangeError(`${count} of ${of} is no share: count from 0 to the whole.`);
  if (of === 0) return { low: 0, high: 1 };
  const rate = count / of;
  const squared = normalQuantile((1 + confidence) / 2) ** 2 / size;
  const middle = (rate + squared / 2) / (1 + squared);
  const reach = Math.sqrt(squared * (rate * (1 - rate) + squared / 4)) / (1 + squared);
  return {
    low: count === 0 ? 0 : middle - reach,
    high: count === of ? 1 : middle + reach,
  };
}
