import type { Comparison, EvalRecord } from '../evaluation.ts';
import { type BootstrapOptions, pairedBootstrap } from '../statistics/bootstrap.ts';
import { greatestDivisor, signFlip } from '../statistics/paired-tests.ts';
import { mean } from '../statistics/quantile.ts';
import { byTask, isSilentFailure, isSuccess, ran } from './records.ts';

/** A difference is called one below this p-value, when its interval leaves out 0 as well. */
const alpha = 0.05;

/**
 * Compares `b` with `a`, each the records of one configuration, on the tasks that both ran; a task counts by its share of repeats. The
 * p-value is that of `signFlip`: McNemar's exact one where tasks ran once. Without a common task figures are NaN and the p-value is 1.
 */
export function compare(
  a: readonly EvalRecord[],
  b: readonly EvalRecord[],
  options: BootstrapOptions = {},
): Comparison {
  const pairs = pairsOf(a, b);
  const success = differences(pairs, isSuccess);
  const silent = differences(pairs, isSilentFailure);
  const difference = pairedBootstrap(success.a, success.b, options);
  const denominator = commonDenominator(pairs);
  const pValue = signFlip(success.changes, denominator);
  return {
    a: a[0]?.configuration ?? '',
    b: b[0]?.configuration ?? '',
    tasks: pairs.length,
    difference,
    onlyB: success.changes.filter((change) => change > 0).length,
    onlyA: success.changes.filter((change) => change < 0).length,
    pValue,
    silentDifference: pairedBootstrap(silent.a, silent.b, options),
    silentPValue: signFlip(silent.changes, denominator),
    ...costRatio(pairs),
    latencyRatio: ratioOf(pairs, ({ latencyMs }) => latencyMs),
    finding: findingOf(difference, pValue),
  };
}

/** Better or worse only where test and interval agree that chance does not do that. */
export function findingOf({ low, high }: { low: number; high: number }, pValue: number): Comparison['finding'] {
  if (!(pValue < alpha)) return 'noise';
  if (low > 0) return 'better';
  return high < 0 ? 'worse' : 'noise';
}

/** The runs of one task under both. */
export interface TaskPair {
  task: string;
  a: EvalRecord[];
  b: EvalRecord[];
}

/** The tasks that both ran, in the order of `a`. */
export function pairsOf(a: readonly EvalRecord[], b: readonly EvalRecord[]): TaskPair[] {
  const others = byTask(ran(b));
  return [...byTask(ran(a))].flatMap(([task, runs]) => {
    const other = others.get(task);
    return other ? [{ task, a: runs, b: other }] : [];
  });
}

/** The mean of a measure over the runs of each task, on both sides. */
export function perTask(
  pairs: readonly TaskPair[],
  measure: (record: EvalRecord) => number,
): { a: number[]; b: number[] } {
  return { a: pairs.map(({ a }) => mean(a.map(measure))), b: pairs.map(({ b }) => mean(b.map(measure))) };
}

function differences(
  pairs: readonly TaskPair[],
  holds: (record: EvalRecord) => boolean,
): { a: number[]; b: number[]; changes: number[] } {
  const { a, b } = perTask(pairs, (record) => Number(holds(record)));
  return { a, b, changes: b.map((share, index) => share - (a[index] ?? Number.NaN)) };
}

/** Beyond this, shares are rounded: their exact sums would take too many steps and tell nothing more. */
const finest = 720;

/** Of the shares of all tasks; a task has as many repeats as were run of it. */
function commonDenominator(pairs: readonly TaskPair[]): number {
  const repeats = new Set(pairs.flatMap(({ a, b }) => [a.length, b.length]));
  return [...repeats].reduce((common, count) => Math.min(finest, (common * count) / greatestDivisor(common, count)), 1);
}

function costRatio(pairs: readonly TaskPair[]): Pick<Comparison, 'costRatio' | 'costUnit'> {
  const priced = pairs.every(({ a, b }) => [...a, ...b].every(({ usage }) => usage.unpricedCalls === 0));
  const inUsd = ratioOf(pairs, ({ usage }) => usage.usd);
  return priced && Number.isFinite(inUsd)
    ? { costRatio: inUsd, costUnit: 'usd' }
    : { costRatio: ratioOf(pairs, ({ usage }) => usage.tokens), costUnit: 'tokens' };
}

function ratioOf(pairs: readonly TaskPair[], measure: (record: EvalRecord) => number): number {
  const { a, b } = perTask(pairs, measure);
  return mean(b) / mean(a);
}
