import type { Estimate } from '../evaluation.ts';
import { mean, quantile } from './quantile.ts';
import { seededWords } from './seeded-words.ts';

export interface BootstrapOptions {
  /** The same seed draws the same samples. */
  seed?: string;
  /** Default 2,000. */
  draws?: number;
  /** Default 0.95. */
  confidence?: number;
}

/**
 * The mean with its percentile interval (Efron and Tibshirani 1993, section 13.3). Not BCa: its correction counts the draws below the
 * estimate, and with shares of few repeats most draws tie. Of nothing, or with a value that is NaN, all of it is NaN.
 */
export function bootstrapMean(values: readonly number[], options: BootstrapOptions = {}): Estimate {
  const { seed = 'bootstrap', draws = 2_000, confidence = 0.95 } = options;
  const value = mean(values);
  if (Number.isNaN(value) || values.every((other) => other === values[0])) return { value, low: value, high: value };
  const means = drawnMeans(Float64Array.from(values), { seed, draws });
  return { value, low: quantile(means, (1 - confidence) / 2), high: quantile(means, (1 + confidence) / 2) };
}

/**
 * The mean of `b` minus `a` where both are values of the same tasks in the same order, with its interval over tasks.
 * Throws `RangeError` when they are not as many.
 */
export function pairedBootstrap(a: readonly number[], b: readonly number[], options: BootstrapOptions = {}): Estimate {
  if (a.length !== b.length)
    throw new RangeError(`${a.length} values cannot be paired with ${b.length}: give one of each for every task.`);
  const differences = a.map((value, index) => (b[index] ?? Number.NaN) - value);
  return bootstrapMean(differences, options);
}

function drawnMeans(values: Float64Array, { seed, draws }: { seed: string; draws: number }): number[] {
  const { length } = values;
  const word = seededWords(seed);
  const scale = length / 2 ** 32;
  return Array.from({ length: draws }, () => {
    let sum = 0;
    for (let drawn = 0; drawn < length; drawn++) sum += values[Math.floor(word() * scale)] ?? 0;
    return sum / length;
  });
}
