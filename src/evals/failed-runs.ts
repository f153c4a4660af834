import type { Result } from '../core/result.ts';
import { sqliteHost } from '../runtime/sqlite.ts';
import { storedResult } from '../stored-result.ts';
import { sqliteEvents } from '../trace/event-store.ts';
import type { EvalRecord, Evaluation } from './evaluation.ts';
import { readTasksOf, runsFile } from './runner/evaluation-folder.ts';
import type { FailedRun } from './triage/failed-run.ts';

/** The failed runs of an evaluation with all that is recorded of them, for triage. Runs that did not take place are no failures. */
export async function failedRuns(
  evaluation: Evaluation,
  chosen: (record: EvalRecord) => boolean = () => true,
): Promise<FailedRun[]> {
  const { records, folder } = evaluation;
  const failed = records.filter(
    (record) => record.outcome !== 'success' && record.outcome !== 'not-run' && chosen(record),
  );
  if (failed.length === 0) return [];
  const tasks = readTasksOf(folder);
  const host = sqliteHost({ file: runsFile(folder) });
  const events = sqliteEvents({ file: runsFile(folder) });
  try {
    const runs: FailedRun[] = [];
    for (const record of failed) {
      const info = await host.info(record.runId);
      runs.push({
        runId: record.runId,
        task: tasks.get(record.task) ?? { id: record.task, input: '' },
        configuration: record.configuration,
        repeat: record.repeat,
        status: record.status,
        reason: { code: record.reason, detail: record.detail },
        // A run that broke left none.
        attempt: (info && storedResult(info)?.attempt) ?? nothing,
        events: events.read(record.runId),
        grade: record.grade,
        ...(record.outcome === 'broken' && { error: record.detail }),
      });
    }
    return runs;
  } finally {
    await host.close();
    events.close();
  }
}

const nothing: Result['attempt'] = {
  claims: [],
  observations: [],
  reports: [],
  drafts: [],
  ended: { type: 'limit', limit: 'interrupted', detail: 'the run left no result' },
  degraded: false,
  revisions: 0,
};
