import { type FaultName, faultNames } from '../../src/testing/faulty-model.ts';
import type { Tally } from './tally.ts';

/**
 * What code cannot see by comparing texts: the words of a quote and of a claim about it, which of two sources is in force, a unit that
 * no source states, and a lie that stands in the source. These are the verifier's.
 */
const forTheVerifier: ReadonlySet<FaultName> = new Set([
  'wrong-claim-words',
  'stale-value',
  'wrong-derived-unit',
  'injection-in-answer',
]);

export const codeCheckable: ReadonlySet<FaultName> = new Set(faultNames.filter((name) => !forTheVerifier.has(name)));

const leastCaught = 0.99;
const mostFalseAlarms = 0.01;

/** What of a fault's tally misses a target, in words; nothing when all are met. */
export function missedTargets(fault: FaultName, tally: Tally): string[] {
  const { trials, byCode, letThrough } = tally;
  const missed: string[] = [];
  if (codeCheckable.has(fault) && byCode < leastCaught * trials)
    missed.push(`${fault}: code caught ${byCode} of ${trials}, the target is 99 %`);
  if (letThrough > 0) missed.push(`${fault}: ${letThrough} were caught and still handed over as good, the target is 0`);
  return missed;
}

/** The same for the trials without a fault. */
export function missedByClean({ trials, byCode, outcomes }: Tally): string[] {
  const missed: string[] = [];
  if (byCode > mostFalseAlarms * trials)
    missed.push(`clean runs: code raised ${byCode} false alarms in ${trials}, the target is 1 %`);
  if (outcomes.missed > 0) missed.push(`clean runs: ${outcomes.missed} came out wrong`);
  return missed;
}
