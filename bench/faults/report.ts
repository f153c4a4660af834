import type { FaultName, GeneratedTask } from '../../src/testing/faulty-model.ts';
import { printTable } from '../measure.ts';
import type { ConfigurationName } from './configurations.ts';
import type { Tally } from './tally.ts';
import type { Trial } from './trial.ts';

export interface Row {
  fault: FaultName | undefined;
  tallies: Record<ConfigurationName, Tally>;
}

export const legend = `Columns. runs: trials in which the fault was committed. code, verifier: who found fault with it first. repaired: right in the end, and passed.
reported: the Result says itself that it is open, cut short or not there. MISSED: passed as good, and wrong or baseless. harmless: nobody
objected, and the answer was right all the same. Below, for the bare loop and for one call without tools, whose every answer counts as not
verified: caught by the loop; reported; wrong: handed over wrong or baseless with no more than "not verified" said of it.`;

/** Prints the faults under the whole configuration. */
export function reportFull(rows: readonly Row[]): void {
  const lines = rows.map(({ fault, tallies: { full } }) => [
    fault ?? '(none)',
    ...[full.trials, full.byCode, full.byVerifier, full.outcomes.right, full.outcomes.reported].map(String),
    ...[full.outcomes.missed, full.harmless].map(String),
  ]);
  printTable('Plan, loop, checks, verifier, refiner', [
    ['fault', 'runs', 'code', 'verifier', 'repaired', 'reported', 'MISSED', 'harmless'],
    ...lines,
  ]);
}

/** Prints what is left of it without checks. */
export function reportBaselines(rows: readonly Row[]): void {
  const cells = ({ trials, byCode, outcomes }: Tally): string[] =>
    trials === 0 ? ['–', '–', '–', '–'] : [trials, byCode, outcomes.reported, outcomes['unverified-wrong']].map(String);
  const lines = rows.map(({ fault, tallies }) => [
    fault ?? '(none)',
    ...cells(tallies.react),
    ...cells(tallies.direct),
  ]);
  printTable('react alone, and direct with the documents in its prompt', [
    ['fault', 'react', 'caught', 'reported', 'wrong', 'direct', 'caught', 'reported', 'wrong'],
    ...lines,
  ]);
}

/** Prints runs of a fault that code did not catch, or false alarms in runs without one, with what was said in them. */
export function reportExamples(fault: FaultName | undefined, trials: readonly Trial[], most: number): void {
  const wanted = trials.filter(({ caughtBy }) => (fault === undefined ? caughtBy !== undefined : caughtBy !== 'code'));
  console.log(
    `${fault ?? 'clean'}: ${wanted.length} of ${trials.length} ${fault ? 'not caught by code' : 'false alarms'}`,
  );
  for (const { task, said, status, caughtBy } of wanted.slice(0, most)) {
    console.log(`\n${task.id}: ${[task.task.input, ...task.task.constraints].join(' ')}`);
    console.log(`  ${status}, caught by ${caughtBy ?? 'nobody'}${said === undefined ? '' : `: ${said}`}`);
    for (const line of draftLines(task, fault)) console.log(`  ${line}`);
  }
}

function draftLines({ right, wrong }: GeneratedTask, fault: FaultName | undefined): string[] {
  const { answer, claims } = (fault === undefined ? undefined : wrong[fault]) ?? right;
  return [answer, ...claims.map(({ text, quotes }) => `- ${text} << ${quotes.join(' | ')}`)];
}
