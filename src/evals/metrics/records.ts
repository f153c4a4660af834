/** What a single record counts as. One meaning for metrics and comparisons. */
import type { EvalRecord } from '../evaluation.ts';

/** The records of runs that took place. */
export function ran(records: readonly EvalRecord[]): EvalRecord[] {
  return records.filter(({ outcome }) => outcome !== 'not-run');
}

export function isSuccess({ outcome }: EvalRecord): boolean {
  return outcome === 'success';
}

/** Wrong and handed over without a word. A broken run handed nothing over. */
export function isSilentFailure({ outcome, grade, flagged }: EvalRecord): boolean {
  return outcome !== 'broken' && !grade.pass && !flagged;
}

export function byTask(records: readonly EvalRecord[]): Map<string, EvalRecord[]> {
  return Map.groupBy(records, ({ task }) => task);
}
