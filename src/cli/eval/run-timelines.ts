import type { Evaluation } from '../../evals/evaluation.ts';
import { runsFile } from '../../evals/runner/evaluation-folder.ts';
import { sqliteEvents } from '../../trace/event-store.ts';
import type { Row } from '../row.ts';
import { rowsOf } from '../timeline-rows.ts';

const mostTimelines = 50;

/** What happened in the runs that failed, as `assay show` tells it: those of the configuration under test first. */
export function runTimelines({ header, records, folder }: Evaluation): Map<string, Row[]> {
  const failed = records.filter(({ outcome }) => outcome !== 'success' && outcome !== 'not-run');
  const first = failed.filter(({ configuration }) => configuration === header.subject);
  const chosen = [...first, ...failed.filter((record) => !first.includes(record))].slice(0, mostTimelines);
  const events = sqliteEvents({ file: runsFile(folder) });
  try {
    return new Map(chosen.map(({ runId }) => [runId, events.read(runId).flatMap(rowsOf)]));
  } finally {
    events.close();
  }
}
