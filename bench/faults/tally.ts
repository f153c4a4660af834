import type { Outcome, Trial } from './trial.ts';

/** Counts over the trials of one fault, or over those without any. */
export interface Tally {
  /** Trials in which a faulty reply was given; without a fault, all. */
  trials: number;
  byCode: number;
  byVerifier: number;
  outcomes: Record<Outcome, number>;
  /** Of those that somebody caught: neither right in the end nor reported. */
  letThrough: number;
  /** Trials of faults that nobody caught, and that did no harm. */
  harmless: number;
}

const noOutcomes: Record<Outcome, number> = { right: 0, reported: 0, missed: 0, unverified: 0, 'unverified-wrong': 0 };

export function tallyOf(trials: readonly Trial[]): Tally {
  const outcomes = { ...noOutcomes };
  for (const { outcome } of trials) outcomes[outcome] += 1;
  const count = (holds: (trial: Trial) => boolean): number => trials.filter(holds).length;
  return {
    trials: trials.length,
    byCode: count(({ caughtBy }) => caughtBy === 'code'),
    byVerifier: count(({ caughtBy }) => caughtBy === 'verifier'),
    outcomes,
    letThrough: count(({ caughtBy, outcome }) => caughtBy !== undefined && outcome === 'missed'),
    harmless: count(
      ({ caughtBy, outcome }) => caughtBy === undefined && outcome !== 'missed' && outcome !== 'unverified-wrong',
    ),
  };
}
