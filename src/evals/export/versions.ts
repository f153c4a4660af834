/** The answers of a run before its last one, and what was said of them. Read from events alone. */
import type { Report } from '../../core/attempt.ts';
import type { RunEvent } from '../../core/event.ts';
import type { ExportAnswer, ExportVerdict } from './export-run.ts';
import { verdictOf } from './verdicts.ts';

interface Drafted {
  path: string;
  answer: string;
  reports: Report[];
  /** What a trial came to; it counts for more than the reports within it. */
  trial?: ExportVerdict | undefined;
}

/**
 * The judged answers of a run in order, with the verdicts that the run itself recorded. A report is about the newest answer at or below its
 * place; a vote puts the winner there. A trial's verdict counts only where the trial made a single answer: with several it is not
 * recorded which of them was handed out.
 */
export function judgedAnswers(events: readonly RunEvent[]): ExportAnswer[] {
  const drafts: Drafted[] = [];
  for (const event of events) take(event, drafts);
  return drafts.flatMap(({ answer, reports, trial }) => {
    const verdict = trial ?? verdictOf(reports);
    return verdict ? [{ answer, verdict }] : [];
  });
}

function take(event: RunEvent, drafts: Drafted[]): void {
  const { path } = event;
  const below = (draft: Drafted): boolean => draft.path === path || path === '' || draft.path.startsWith(`${path}/`);
  switch (event.type) {
    case 'answer.drafted':
      if (!event.degraded) drafts.push({ path, answer: event.answer, reports: [] });
      break;
    case 'vote.made': {
      // The samples are replaced by the one that won, but for those that were judged on their own.
      const kept = drafts.filter((draft) => !below(draft) || draft.reports.length > 0);
      drafts.splice(0, drafts.length, ...kept, { path, answer: event.winner, reports: [] });
      break;
    }
    case 'verify.report':
      drafts.findLast(below)?.reports.push(event.report);
      break;
    case 'trial.end': {
      const made = drafts.filter(below);
      const [only] = made;
      const { pass, score, by, knows } = event;
      if (only && made.length === 1) only.trial = { pass, score, by, knows };
      break;
    }
    default:
      break;
  }
}

/**
 * The answers that an evaluation graded: `versions` is, for each place where an answer was revised, whether each version passed. Empty where
 * the events do not fit it, since it cannot be told then which answer a grade is about.
 */
export function gradedAnswers(
  events: readonly RunEvent[],
  versions: readonly (readonly boolean[])[],
  verdict: (pass: boolean) => ExportVerdict | undefined,
): ExportAnswer[] {
  const drafts = events.flatMap((event) => (event.type === 'answer.drafted' && !event.degraded ? [event] : []));
  const revised = [...Map.groupBy(drafts, ({ path }) => path).values()].filter(({ length }) => length > 1);
  const fits =
    revised.length === versions.length && revised.every((place, at) => place.length === versions[at]?.length);
  if (!fits) return [];
  return revised.flatMap((place, at) =>
    place.map(({ answer }, index) => ({ answer, verdict: verdict(versions[at]?.[index] ?? false) })),
  );
}
