import { mean } from './quantile.ts';

/**
 * The chance that `k` tries drawn from the trials all succeed: C(successes, k) / C(trials, k) (Yao et al. 2024, tau-bench, section 5).
 * Throws `RangeError` for counts that cannot be.
 */
export function passHatK(successes: number, trials: number, k: number): number {
  if (!(successes >= 0 && successes <= trials && k >= 1 && k <= trials))
    throw new RangeError(
      `${k} of ${trials} trials with ${successes} successes cannot be: k and successes are at most the trials.`,
    );
  let chance = 1;
  for (let drawn = 0; drawn < k && chance > 0; drawn++) chance *= (successes - drawn) / (trials - drawn);
  return chance;
}

/** The chance that one of `k` tries drawn from the trials succeeds: 1 - C(trials - successes, k) / C(trials, k) (Chen et al. 2021, section 2.1). */
export function passAtK(successes: number, trials: number, k: number): number {
  return 1 - passHatK(trials - successes, trials, k);
}

/** How often one task was tried, and with what success. */
export interface Trials {
  successes: number;
  trials: number;
}

/** By number of tries k from 1: means over the tasks that were tried at least k times. */
export interface PassCurves {
  passHatK: number[];
  passAtK: number[];
}

/** Both curves over tasks; without one they are empty. */
export function passCurves(tasks: readonly Trials[]): PassCurves {
  const most = tasks.reduce((longest, { trials }) => Math.max(longest, trials), 0);
  const curve = (pass: typeof passHatK): number[] =>
    Array.from({ length: most }, (_, index) => {
      const k = index + 1;
      const tried = tasks.filter(({ trials }) => trials >= k);
      return mean(tried.map(({ successes, trials }) => pass(successes, trials, k)));
    });
  return { passHatK: curve(passHatK), passAtK: curve(passAtK) };
}
