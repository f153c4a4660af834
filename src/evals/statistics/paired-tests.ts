import { normalQuantile } from './normal-quantile.ts';

/**
 * The exact two-sided p-value of McNemar's test (McNemar 1947): how likely tasks on which only one of the two succeeds fall so unevenly
 * when neither is better.
 */
export function mcnemar(onlyA: number, onlyB: number): number {
  const tasks = onlyA + onlyB;
  let logOfTerm = -tasks * Math.LN2;
  let tail = 0;
  for (let index = 0; index <= Math.min(onlyA, onlyB); index++) {
    if (index > 0) logOfTerm += Math.log((tasks - index + 1) / index);
    tail += Math.exp(logOfTerm);
  }
  return Math.min(1, 2 * tail);
}

/**
 * The exact two-sided p-value of the sign-flip permutation test for paired differences (Fisher 1935, section 21): how likely a sum at least
 * as far from 0 is when each difference is as likely to fall the other way. With differences of -1, 0 and 1 it is McNemar's exact test;
 * with shares of repeats it sees how large they are, which the sign test does not. Differences are rounded to multiples of
 * 1 / `denominator`.
 */
export function signFlip(differences: readonly number[], denominator = 1): number {
  const steps = differences.map((difference) => Math.round(difference * denominator)).filter((step) => step !== 0);
  if (steps.length === 0) return 1;
  const unit = steps.reduce(greatestDivisor, 0);
  const sizes = steps.map((step) => Math.abs(step) / unit);
  const reach = sizes.reduce((sum, size) => sum + size, 0);
  const observed = Math.abs(steps.reduce((sum, step) => sum + step, 0)) / unit;
  const extreme = positiveSums(sizes, reach).filter((_, positive) => Math.abs(2 * positive - reach) >= observed);
  return Math.min(
    1,
    extreme.reduce((sum, chance) => sum + chance, 0),
  );
}

/** The chance of each sum of the sizes that keep their sign when each does with one half. */
function positiveSums(sizes: readonly number[], reach: number): Float64Array {
  const chances = new Float64Array(reach + 1);
  chances[0] = 1;
  let top = 0;
  for (const size of sizes) {
    top += size;
    for (let sum = top; sum >= size; sum--) chances[sum] = ((chances[sum] ?? 0) + (chances[sum - size] ?? 0)) / 2;
    for (let sum = size - 1; sum >= 0; sum--) chances[sum] = (chances[sum] ?? 0) / 2;
  }
  return chances;
}

/** The greatest number that divides both; of 0 and another it is the other. */
export function greatestDivisor(a: number, b: number): number {
  return b === 0 ? Math.abs(a) : greatestDivisor(b, a % b);
}

/** P-values adjusted for how many there are, in the order given: below alpha, the family errs with at most that chance (Holm 1979). */
export function holm(pValues: readonly number[]): number[] {
  const order = pValues.map((_, index) => index).sort((a, b) => (pValues[a] ?? 0) - (pValues[b] ?? 0));
  const adjusted = new Array<number>(pValues.length).fill(1);
  let least = 0;
  for (const [rank, index] of order.entries()) {
    least = Math.max(least, Math.min(1, (pValues[index] ?? 1) * (pValues.length - rank)));
    adjusted[index] = least;
  }
  return adjusted;
}

/** What was observed, and how sure the answer shall be. */
export interface PowerQuestion {
  onlyA: number;
  onlyB: number;
  /** Tasks on which both were tried. */
  tasks: number;
  /** Default 0.05, two-sided. */
  alpha?: number;
  /** Default 0.8. */
  power?: number;
}

/**
 * The tasks with which McNemar's test tells the observed difference from chance (Connor 1987), and never fewer than the exact test needs to
 * be able to. Undefined where no difference was observed. The exact test has a power 2 to 3 points lower there.
 */
export function tasksForPower(question: PowerQuestion): number | undefined {
  const { onlyA, onlyB, tasks, alpha = 0.05, power = 0.8 } = question;
  if (onlyA === onlyB || tasks === 0) return undefined;
  const discordant = (onlyA + onlyB) / tasks;
  const difference = (onlyB - onlyA) / tasks;
  const error = normalQuantile(1 - alpha / 2) * Math.sqrt(discordant);
  const miss = normalQuantile(power) * Math.sqrt(discordant - difference ** 2);
  const leastDiscordant = Math.floor(Math.log2(2 / alpha)) + 1;
  return Math.ceil(Math.max(((error + miss) / difference) ** 2, leastDiscordant / discordant));
}
