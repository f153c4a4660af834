import type { RebuiltRun } from '../../rebuild-run.ts';
import type { JournalEntry } from '../../runtime/durable.ts';

/** A run as it was when it was looked at. */
export interface InspectedRun {
  entries: readonly JournalEntry[];
  /** The journal is longer. */
  isCut: boolean;
  rebuilt: RebuiltRun;
}
