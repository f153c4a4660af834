/** How an answer became what it is, from the events of a run alone. */
import type { Issue, RunEvent } from '../api/shapes.ts';

type Report = Extract<RunEvent, { type: 'verify.report' }>['report'];

export interface AnswerVersion {
  answer: string;
  /** Forced when a limit was reached. */
  degraded: boolean;
  /** The verdicts on it, in order. */
  reports: Report[];
  /** What was to be mended in the version before; empty where nobody said. */
  causes: Issue[];
}

/** The versions of one answer, which each trial, sample and branch has of its own. */
export interface VersionChain {
  path: string;
  versions: AnswerVersion[];
}

interface Drafted {
  path: string;
  version: AnswerVersion;
}

/** The answers that were written more than once, in the order of their first drafts. */
export function answerVersions(events: readonly RunEvent[]): VersionChain[] {
  const drafts: Drafted[] = [];
  const causes = new Map<string, Issue[]>();
  for (const event of events) {
    if (event.type === 'answer.drafted') {
      const { path, answer, degraded } = event;
      drafts.push({ path, version: { answer, degraded, reports: [], causes: causes.get(path) ?? [] } });
      causes.delete(path);
    } else if (event.type === 'verify.report') {
      newest(drafts, event.path)?.version.reports.push(event.report);
    } else if (event.type === 'refine.made') {
      // The issues are of the newest answer there, which may have been written further below.
      causes.set(newest(drafts, event.path)?.path ?? event.path, event.issues);
    }
  }
  const byPath = Map.groupBy(drafts, ({ path }) => path);
  return [...byPath]
    .map(([path, made]) => ({ path, versions: made.map(({ version }) => version) }))
    .filter(({ versions }) => versions.length > 1);
}

/** A report is about the newest answer at or below its place. */
function newest(drafts: readonly Drafted[], place: string): Drafted | undefined {
  return drafts.findLast(({ path }) => path === place || place === '' || path.startsWith(`${place}/`));
}
