/** The evaluations below a folder, for whoever looks at them. */
import { existsSync } from 'node:fs';
import { StateError } from '../core/errors.ts';
import type { DurableHost } from '../runtime/durable.ts';
import { sqliteHost } from '../runtime/sqlite.ts';
import { sqliteEvents } from '../trace/event-store.ts';
import type { EventStore } from '../trace/events.ts';
import type { Share } from './evaluation.ts';
import { reportOf } from './evaluation-report.ts';
import { failedRuns } from './failed-runs.ts';
import type { EvaluationReport } from './findings.ts';
import { metricsOf } from './metrics/metrics.ts';
import {
  type EvaluationPlace,
  evaluationsBelow,
  readEvaluation,
  runsFile,
  stampOf,
} from './runner/evaluation-folder.ts';
import { storedFindings } from './stored-findings.ts';
import { triageAll } from './triage/triage.ts';

/** An evaluation in a list. Times are milliseconds since the epoch. */
export interface EvaluationSummary {
  suite: string;
  id: string;
  began: number;
  ended?: number | undefined;
  tasks: number;
  repeats: number;
  /** How many. */
  configurations: number;
  /** The configuration under test, and its success; null before its first run. */
  subject: string;
  success: Share | null;
}

/** The runs of an evaluation and their events, for looking. */
export interface EvaluationRuns {
  host: DurableHost;
  events: EventStore;
  close(): Promise<void>;
}

/** Evaluations by suite and id. What is not there is undefined; what is damaged is left out of the list, and `read` throws its `StateError`. */
export interface EvaluationShelf {
  /** Newest first. */
  list(): readonly EvaluationSummary[] | Promise<readonly EvaluationSummary[]>;
  /** With the failures labelled by rules, and what an ablation found. */
  read(suite: string, id: string): Promise<EvaluationReport | undefined>;
  /** Undefined also where the runs were removed. Whoever opens them closes them. */
  openRuns(suite: string, id: string): Promise<EvaluationRuns | undefined>;
}

const reportsKept = 8;

/** The evaluations of `folder`, which has a folder for each suite and in it one for each evaluation. They may still be running. */
export function evaluationShelf({ folder }: { folder: string }): EvaluationShelf {
  const summaries = new Fresh<EvaluationSummary | undefined>(Number.POSITIVE_INFINITY);
  const reports = new Fresh<Promise<EvaluationReport>>(reportsKept);
  const find = (suite: string, id: string): EvaluationPlace | undefined =>
    evaluationsBelow(folder).find((place) => place.suite === suite && place.id === id);
  return {
    list: () => evaluationsBelow(folder).flatMap((place) => summaries.of(place.folder, () => summaryOf(place)) ?? []),
    read: async (suite, id) => {
      const place = find(suite, id);
      if (!place) return undefined;
      const report = reports.of(place.folder, () => labelledReport(place.folder));
      report.catch(() => reports.forget(place.folder));
      return report;
    },
    openRuns: async (suite, id) => {
      const place = find(suite, id);
      const file = place && runsFile(place.folder);
      if (file === undefined || !existsSync(file)) return undefined;
      const host = sqliteHost({ file });
      const events = sqliteEvents({ file });
      return {
        host,
        events,
        close: async () => {
          await host.close();
          events.close();
        },
      };
    },
  };
}

function summaryOf({ suite, id, folder }: EvaluationPlace): EvaluationSummary | undefined {
  try {
    const { header, records } = readEvaluation(folder);
    const { began, ended, tasks, repeats, subject } = header;
    const { success } = metricsOf(subject, records);
    return {
      ...{ suite, id, began, tasks, repeats, subject },
      ...(ended !== undefined && { ended }),
      configurations: header.configurations.length,
      success: success.of === 0 ? null : success,
    };
  } catch (error) {
    if (error instanceof StateError) return undefined;
    throw error;
  }
}

async function labelledReport(folder: string): Promise<EvaluationReport> {
  const evaluation = readEvaluation(folder);
  const failed = existsSync(runsFile(folder)) ? await failedRuns(evaluation) : [];
  const { labels } = await triageAll(failed);
  return reportOf(evaluation, { ablation: storedFindings(folder), failures: labels });
}

/** What was made of an evaluation, as long as nothing of it changes. The oldest make room. */
class Fresh<Made> {
  readonly #kept = new Map<string, { stamp: string; made: Made }>();
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  forget(folder: string): void {
    this.#kept.delete(folder);
  }

  of(folder: string, make: () => Made): Made {
    const stamp = stampOf(folder);
    const kept = this.#kept.get(folder);
    if (kept?.stamp === stamp) return kept.made;
    const made = make();
    this.#kept.delete(folder);
    this.#kept.set(folder, { stamp, made });
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= this.#most) break;
      this.#kept.delete(oldest);
    }
    return made;
  }
}
