/** Which lines of the timeline are wanted. */
import type { RunEvent } from '../api/shapes.ts';
import type { Texts } from '../i18n/english.ts';
import { entryText, isTrouble } from './entry-text.ts';
import type { Entry } from './timeline-model.ts';
import type { TimelineFilter } from './timeline-search.ts';

const work: ReadonlySet<RunEvent['type']> = new Set([
  'turn.start',
  'model.start',
  'model.call',
  'tool.call',
  'tool.result',
  'tool.refused',
  'answer.drafted',
]);

const judgement: ReadonlySet<RunEvent['type']> = new Set([
  'plan.made',
  'plan.updated',
  'approval.requested',
  'answer.drafted',
  'verify.report',
  'verify.questions',
  'refine.made',
  'trial.end',
  'reflection.made',
  'vote.made',
  'lesson.recalled',
  'lesson.admitted',
  'run.end',
]);

/** Whether an entry passes the filter; undefined where everything does. */
export function wantedBy({ show, find }: TimelineFilter, t: Texts): ((entry: Entry) => boolean) | undefined {
  if (show === undefined && find === undefined) return undefined;
  const needle = find?.toLowerCase();
  return (entry) => {
    const { type } = entry.event;
    if (show === 'work' && !work.has(type)) return false;
    if (show === 'judgement' && !judgement.has(type)) return false;
    if (show !== 'trouble' && needle === undefined) return true;
    const text = entryText(entry, t);
    return (show !== 'trouble' || isTrouble(text)) && (needle === undefined || told(text).includes(needle));
  };
}

function told({ label, subject, text, state }: ReturnType<typeof entryText>): string {
  return `${label} ${subject} ${text} ${state?.[1] ?? ''}`.toLowerCase();
}
