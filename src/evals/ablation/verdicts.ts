/**
 * What to do with each mechanism, by rules that are fixed before anything is measured:
 *
 * 1. Keep what raises success, or lowers answers that are wrong without a word and does not lower success; a difference counts when its
 *    p-value, adjusted for how many mechanisms are judged (Holm 1979), is below 0.05. Also keep what the whole ladder is worse without.
 * 2. Drop what lowers success, and what could at best be worth less than `leastGain`: the interval says so.
 * 3. Else there is not enough data: say how many tasks would do.
 */
import type { Comparison } from '../evaluation.ts';
import type { Mechanism, MechanismVerdict } from '../findings.ts';
import { holm, tasksForPower } from '../statistics/paired-tests.ts';
import { count, points, times } from './numbers.ts';

/** A mechanism and what was measured of it. */
export interface Measured {
  mechanism: Mechanism;
  /** The rung with it against the one below. */
  added: Comparison;
  /** The whole ladder against the whole without it. */
  leftOut?: Comparison | undefined;
}

export interface VerdictOptions {
  /** Adjusted p-value below which a difference counts. Default 0.05. */
  alpha?: number;
  /** A share of tasks: a gain that is at best smaller is not worth a mechanism. Default 0.02. */
  leastGain?: number;
}

/** One verdict for each mechanism, in their order. */
export function verdictsOn(measured: readonly Measured[], options: VerdictOptions = {}): MechanismVerdict[] {
  const { alpha = 0.05, leastGain = 0.02 } = options;
  const added = holm(measured.map(({ added }) => added.pValue));
  const silent = holm(measured.map(({ added }) => added.silentPValue));
  const left = holm(measured.map(({ leftOut }) => leftOut?.pValue ?? 1));
  return measured.map((one, index) => {
    const signs: Signs = {
      success: sign(one.added.difference.value, added[index] ?? 1, alpha),
      silent: sign(one.added.silentDifference.value, silent[index] ?? 1, alpha),
      whole: one.leftOut ? sign(one.leftOut.difference.value, left[index] ?? 1, alpha) : 'noise',
    };
    return { ...one, ...decided(one, signs, leastGain) };
  });
}

type Sign = 'up' | 'down' | 'noise';

/** Which way each difference goes, where it is one. */
interface Signs {
  success: Sign;
  silent: Sign;
  whole: Sign;
}

function sign(difference: number, pValue: number, alpha: number): Sign {
  if (!(pValue < alpha) || difference === 0) return 'noise';
  return difference > 0 ? 'up' : 'down';
}

type Decided = Pick<MechanismVerdict, 'verdict' | 'why' | 'tasksNeeded'>;

function decided({ added, leftOut }: Measured, signs: Signs, leastGain: number): Decided {
  const cost = `at ${times(added.costRatio)} the ${added.costUnit === 'usd' ? 'cost' : 'tokens'}`;
  const gain = points(added.difference);
  if (signs.success === 'up') return { verdict: 'keep', why: `success ${gain}, ${cost}` };
  if (signs.success === 'down') return { verdict: 'drop', why: `success ${gain}, ${cost}` };
  if (signs.silent === 'down')
    return {
      verdict: 'keep',
      why: `wrong answers without a word ${points(added.silentDifference)}, success ${gain} (noise), ${cost}`,
    };
  if (signs.whole === 'up' && leftOut)
    return {
      verdict: 'keep',
      why: `the whole is better with it: success ${points(leftOut.difference)}; where it was added ${gain} (noise)`,
    };
  const most = Math.max(added.difference.high, -added.silentDifference.low);
  if (most < leastGain)
    return { verdict: 'drop', why: `success ${gain} (noise): at best ${points(most)} are to be had, ${cost}` };
  const tasksNeeded = tasksForPower(added);
  const enough =
    tasksNeeded === undefined
      ? 'no difference was seen, so no number of tasks can be named'
      : `about ${count(tasksNeeded)} tasks would tell`;
  return {
    verdict: 'not-enough-data',
    why: `success ${gain} (noise) on ${added.tasks} tasks, ${cost}: ${enough}`,
    tasksNeeded,
  };
}
