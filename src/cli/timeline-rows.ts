/** How each kind of event reads in a terminal: rows of a label and a text. */
import type { Issue } from '../core/attempt.ts';
import type { EditedObservation } from '../core/edited-observation.ts';
import type { EventBody, RunEvent } from '../core/event.ts';
import { canonicalJson } from '../core/json.ts';
import { cleanLine, escapeHidden } from './clean.ts';
import { cost, count, duration, plural, tokens, tokensInAndOut } from './numbers.ts';
import type { EventOf, Row } from './row.ts';
import { searchFormats } from './search-rows.ts';
import type { Style } from './style.ts';
import { widthOf } from './width.ts';

const previewCharacters = 200;
const besideColumns = 32;

const formats: { [Type in EventBody['type']]: (event: EventOf<Type>) => Row[] } = {
  'run.warning': ({ why }) => [{ label: 'warning', text: cleanLine(why), tone: 'yellow' }],
  'run.start': ({ task, layers, solver, size, edited = [] }) => [
    { label: 'task', text: cleanLine(task), tone: 'bold' },
    { label: 'agent', text: [...layers, solver].join(' > '), tone: 'dim' },
    ...(size === undefined ? [] : [{ label: 'mode', text: cleanLine(size), tone: 'dim' as const }]),
    ...editedRows(edited),
  ],
  'run.end': ({ status, reason, usage, activeMs }) => [
    { label: 'end', text: `${status}: ${cleanLine(reason)}`, tone: status === 'failed' ? 'red' : 'bold' },
    { label: '', text: `${tokensInAndOut(usage)}, ${cost(usage)}, ${duration(activeMs)}`, tone: 'dim' },
  ],
  'lesson.recalled': ({ lessons }) => [
    {
      label: 'lessons',
      text: lessons.length === 0 ? 'none fits this task' : `${count(lessons.length)} recalled from earlier runs`,
      tone: lessons.length === 0 ? 'dim' : 'cyan',
    },
    ...lessons.map(({ lesson }) => ({ label: '', text: `· ${cleanLine(lesson)}` })),
  ],
  'lesson.admitted': ({ admitted, why, lesson }) => [
    admitted
      ? { label: 'lesson', text: `kept: ${cleanLine(lesson)}`, tone: 'cyan' }
      : { label: 'lesson', text: `not kept (${cleanLine(why)})`, tone: 'dim' },
  ],
  'lesson.failed': ({ what, why }) => [
    { label: 'lessons', text: `${what} failed, the run goes on without: ${cleanLine(why)}`, tone: 'yellow' },
  ],
  'plan.made': ({ plan }) => [
    { label: 'plan', text: cleanLine(plan.goal), tone: 'bold' },
    ...plan.constraints.map((text) => ({ label: '', text: `must: ${cleanLine(text)}`, tone: 'dim' as const })),
    ...plan.steps.map((step) => ({ label: '', text: `${cleanLine(step.id)}  ${cleanLine(step.objective)}` })),
  ],
  'plan.updated': ({ step, status }) => [
    {
      label: '',
      text: `${stepMarks[status]} ${cleanLine(step)} ${status}`,
      tone: status === 'failed' ? 'red' : status === 'done' ? 'green' : 'dim',
    },
  ],
  'plan.failed': ({ why }) => [{ label: 'plan', text: `none: ${cleanLine(why)}`, tone: 'yellow' }],
  'step.start': ({ step, objective }) => [
    { label: 'step', text: `${cleanLine(step)}: ${cleanLine(objective)}`, tone: 'bold' },
  ],
  'turn.start': () => [],
  'model.start': () => [],
  'model.delta': () => [],
  'model.retry': ({ attempt, waitMs, why }) => [
    { label: 'retry', text: `attempt ${attempt + 1} in ${duration(waitMs)}: ${cleanLine(why)}`, tone: 'yellow' },
  ],
  'model.fallback': ({ role, from, to, why }) => [
    { label: 'fallback', text: `${role}: ${cleanLine(to)} answers in place of ${cleanLine(from)}`, tone: 'yellow' },
    { label: '', text: cleanLine(why), tone: 'dim', short: true },
  ],
  'model.call': modelCall,
  'model.repaired': ({ how }) => [
    { label: 'repair', text: `the reply was mended: ${cleanLine(how.join(', '))}`, tone: 'yellow' },
  ],
  'turn.invalid': ({ why }) => [{ label: 'invalid', text: cleanLine(why), tone: 'yellow', short: true }],
  'tool.call': ({ tool, args, observation }) => [
    { label: '', text: `→ ${observation} ${cleanLine(tool)} ${argsText(args)}`, short: true },
  ],
  'tool.result': toolResult,
  'tool.late': ({ tool, ms }) => [
    {
      label: 'late',
      text: `${cleanLine(tool)} came to an end after ${ms} ms, past its limit; its result is not used`,
      tone: 'yellow',
    },
  ],
  'tool.refused': ({ tool, why }) => [
    { label: '', text: `✗ ${cleanLine(tool)} refused: ${cleanLine(why)}`, tone: 'yellow' },
  ],
  'approval.requested': ({ tool, args, why }) => [
    { label: 'approval', text: `${cleanLine(tool)} needs a human's word: ${cleanLine(why)}`, tone: 'yellow' },
    { label: '', text: escapeHidden(canonicalJson(args)) },
  ],
  'approval.decided': ({ approved, reason }) => [
    {
      label: 'approval',
      text: `${approved ? 'approved' : 'denied'}${reason ? `: ${cleanLine(reason)}` : ''}`,
      tone: approved ? 'green' : 'red',
    },
  ],
  'answer.drafted': ({ answer, claims, degraded }) => [
    {
      label: degraded ? 'last' : 'draft',
      text: `${plural(claims, 'claim')}: ${preview(answer)}`,
      short: true,
      ...(degraded && { tone: 'yellow' as const }),
    },
  ],
  'attempt.end': ({ ended }) =>
    ended.type === 'final' ? [] : [{ label: 'attempt', text: `ended: ${cleanLine(ended.detail)}`, tone: 'yellow' }],
  'verify.report': ({ report }) => [
    {
      label: report.by === 'checks' ? 'checks' : 'verify',
      text: `${report.verdict}${report.issues.length > 0 ? `, ${plural(report.issues.length, 'issue')}` : ''} (${judgeText(report)})`,
      tone: verdictTones[report.verdict],
    },
    ...report.issues.flatMap(issueRows),
  ],
  'verify.questions': ({ questions }) => [
    {
      label: 'verify',
      text: `${plural(questions.length, 'question')}, answered without seeing the draft`,
      tone: 'dim',
    },
    ...questions.map((question) => ({
      label: '',
      text: `? ${cleanLine(question)}`,
      tone: 'dim' as const,
      short: true,
    })),
  ],
  'refine.made': ({ round, issues, withTools }) => [
    {
      label: 'refine',
      text: `round ${round}: ${plural(issues.length, 'issue')} to mend${withTools ? ', back to the tools' : ''}`,
      tone: 'cyan',
    },
  ],
  ...searchFormats,
  'budget.spent': ({ usage, activeMs }) => [
    { label: 'budget', text: `${tokens(usage)}, ${cost(usage)}, ${duration(activeMs)} so far`, tone: 'dim' },
  ],
  'sink.failed': ({ sink, why }) => [
    { label: 'warning', text: `${cleanLine(sink)} gets no more events: ${cleanLine(why)}`, tone: 'yellow' },
  ],
};

const stepMarks: Record<EventOf<'plan.updated'>['status'], string> = {
  todo: '·',
  doing: '▸',
  done: '✓',
  failed: '✗',
  skipped: '–',
};

const verdictTones: Record<EventOf<'verify.report'>['report']['verdict'], keyof Style> = {
  pass: 'green',
  revise: 'yellow',
  fail: 'red',
  unchecked: 'yellow',
};

/** The rows of one event; none for what only a progress line shows. */
export function rowsOf(event: RunEvent): Row[] {
  // The table is keyed by the event's own type, which the compiler cannot follow through an index.
  const format = formats[event.type] as (event: EventBody) => Row[];
  return format(event);
}

/** An issue with what would mend it. */
export function issueRows(issue: Issue): Row[] {
  return [
    { label: '', text: `✗ ${issue.type}: ${cleanLine(issue.detail)}`, tone: 'yellow' },
    { label: '', text: `to do: ${cleanLine(issue.requiredAction)}`, tone: 'dim', indent: 2 },
  ];
}

function modelCall(event: EventOf<'model.call'>): Row[] {
  const { outcome, detail, role, step, usage, ms } = event;
  // The Result, or what was asked for, tells it in full.
  if (outcome === 'error') return [{ label: 'model', text: cleanLine(detail), tone: 'red', short: true }];
  if (outcome === 'refused')
    return [{ label: 'limit', text: `the limit ${cleanLine(detail)} is used up`, tone: 'yellow' }];
  const about = usage.estimatedCalls > 0 ? 'about ' : '';
  const spent = `${about}${count(usage.inputTokens)} + ${count(usage.outputTokens)} tokens`;
  const paid = usage.usd > 0 ? `, ${cost({ ...usage, estimatedCalls: 0 })}` : '';
  return [{ label: 'model', text: `${role} (${step}) ${spent}${paid}, ${duration(ms)}`, tone: 'dim' }];
}

/** A short result stands beside its status, a longer one below it. */
/** The observations of a run that a human wrote. */
export function editedRows(edited: readonly EditedObservation[]): Row[] {
  return edited.map(({ seq, observation }) => ({
    label: 'edited',
    text: `${observation} was written by hand (step ${seq}): what follows is no proof`,
    tone: 'yellow',
  }));
}

function toolResult(event: EventOf<'tool.result'>): Row[] {
  const { observation, status, chars, ms } = event;
  const tone = status === 'ok' ? 'green' : 'red';
  const head = `← ${observation} ${status}, ${plural(chars, 'character')}, ${duration(ms)}`;
  const shown = cleanLine(event.preview);
  if (widthOf(shown) <= besideColumns) return [{ label: '', text: `${head}: ${shown}`, tone, short: true }];
  return [
    { label: '', text: head, tone },
    { label: '', text: shown, tone: 'dim', short: true, indent: 2 },
  ];
}

/** Who judged, and a warning when nobody but the author did. */
function judgeText(report: EventOf<'verify.report'>['report']): string {
  if (report.by === 'checks') return 'by code';
  return report.knows === 'self' ? 'by the same model, from the sources' : cleanLine(report.by);
}

/** Arguments as a reader wants them: `expression: "37 * 129"`. */
function argsText(args: unknown): string {
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return cleanLine(canonicalJson(args));
  return cleanLine(
    Object.entries(args)
      .map(([name, value]) => `${name}: ${canonicalJson(value)}`)
      .join(', '),
  );
}

function preview(text: string): string {
  return cleanLine(text.slice(0, previewCharacters));
}
