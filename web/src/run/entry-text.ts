/** What a line of the timeline says. */
import type { RunEvent } from '../api/shapes.ts';
import type { Texts } from '../i18n/english.ts';
import { count, duration, percent } from '../parts/amounts.ts';
import { statusText, statusTone, type Tone, verdictBadges } from '../parts/badge.tsx';
import type { IconName } from '../parts/icons.tsx';
import { stepStates } from './plan-state.ts';
import { searchTellers } from './search-text.ts';
import type { Entry } from './timeline-model.ts';

export interface EntryText {
  icon: IconName;
  label: string;
  /** Which one: a tool, a role, a step of the plan. A stranger's word, as `text` is. */
  subject: string;
  text: string;
  /** How it came out, where that is worth a word. */
  state: [Tone, string] | undefined;
  /** What it took, as figures. */
  figure: string;
  /** Milliseconds it took. */
  ms: number | undefined;
  /** Whether it begins a section. */
  isHead: boolean;
}

export type EventOf<Type extends RunEvent['type']> = Extract<RunEvent, { type: Type }>;
export type Told = Pick<EntryText, 'icon' | 'label'> & Partial<EntryText>;
export type Teller<Type extends RunEvent['type']> = (event: EventOf<Type>, t: Texts, entry: Entry) => Told;

const tellers: { [Type in RunEvent['type']]: Teller<Type> } = {
  'run.start': ({ model, solver, layers }, t) => ({
    icon: 'run',
    label: t.run,
    text: [model, solver, layers.join(', ')].filter((part) => part !== '').join(' · '),
    isHead: true,
  }),
  'run.end': ({ status, reason, usage, activeMs }, t) => ({
    icon: 'run',
    label: t.eventRunEnd,
    state: [statusTone(status), statusText(status, t)],
    text: reason,
    figure: `${count(usage.tokens)} ${t.tokensShort}`,
    ms: activeMs,
    isHead: true,
  }),
  'run.warning': ({ why }, t) => warning(t.eventWarning, why),
  'lesson.recalled': ({ lessons }, t) => ({
    icon: 'lesson',
    label: t.eventRecalled,
    text: lessons.length === 0 ? t.eventNoneRecalled : lessons.map(({ lesson }) => lesson).join(' · '),
    figure: lessons.length === 0 ? '' : count(lessons.length),
  }),
  'lesson.admitted': ({ admitted, lesson, why }, t) => ({
    icon: 'lesson',
    label: t.eventLesson,
    text: admitted ? lesson : `${lesson} (${why})`,
    state: admitted ? ['good', t.lessonKept] : ['plain', t.lessonNotKept],
  }),
  'lesson.failed': ({ what, why }, t) => warning(t.eventLessonFailed, `${what}: ${why}`),
  'plan.made': ({ plan }, t) => ({
    icon: 'plan',
    label: t.plan,
    text: plan.goal,
    figure: `${plan.steps.length} ${t.stepsShort}`,
  }),
  'plan.updated': ({ step, status }, t) => {
    const [tone, key] = stepStates[status];
    return { icon: 'plan', label: t.eventPlanStep, subject: step, state: [tone, t[key]] };
  },
  'plan.failed': ({ why }, t) => warning(t.eventPlanFailed, why),
  'step.start': ({ step, objective }, t) => ({
    icon: 'plan',
    label: t.step,
    subject: step,
    text: objective,
    isHead: true,
  }),
  'turn.start': ({ turn }, t) => ({ icon: 'turn', label: `${t.eventTurn} ${turn}`, isHead: true }),
  'turn.invalid': ({ why }, t) => warning(t.eventInvalid, why),
  'model.start': ({ role, step }, t, entry) => modelText({ role, step }, t, entry),
  'model.call': ({ role, step }, t, entry) => modelText({ role, step }, t, entry),
  'model.delta': ({ text }, t) => ({ icon: 'model', label: t.eventModel, text }),
  'model.retry': ({ why, attempt, waitMs }, t) => ({
    ...warning(t.eventRetry, why),
    subject: count(attempt),
    ms: waitMs,
  }),
  'model.fallback': ({ from, to, why }, t) => warning(t.eventFallback, `${from} → ${to}: ${why}`),
  'model.repaired': ({ how }, t) => warning(t.eventRepaired, how.join(', ')),
  'tool.call': toolText,
  'tool.result': ({ tool, preview, status, ms }, t) => ({
    icon: 'tool',
    label: t.eventTool,
    subject: tool,
    text: preview,
    state: toolState(status),
    ms,
  }),
  'tool.refused': ({ tool, why, cause }, t) => ({
    icon: 'tool',
    label: t.eventTool,
    subject: tool,
    text: why,
    state: ['warn', `${t.eventRefused}: ${cause}`],
  }),
  'tool.late': ({ tool, ms }, t) => ({ icon: 'tool', label: t.eventTool, subject: tool, state: ['warn', t.late], ms }),
  'approval.requested': ({ tool, why }, t, { end }) => ({
    icon: 'approval',
    label: t.eventApproval,
    subject: tool,
    text: why,
    state:
      end?.type === 'approval.decided'
        ? [end.approved ? 'good' : 'bad', end.approved ? t.approved : t.denied]
        : ['warn', t.statusAwaiting],
  }),
  'approval.decided': ({ approved, reason }, t) => ({
    icon: 'approval',
    label: t.eventApproval,
    text: reason,
    state: approved ? ['good', t.approved] : ['bad', t.denied],
  }),
  'answer.drafted': ({ answer, claims, degraded }, t) => ({
    icon: 'answer',
    label: t.eventDraft,
    text: answer,
    figure: `${count(claims)} ${t.claimsShort}`,
    ...(degraded && { state: ['warn', t.forced] }),
  }),
  'attempt.end': ({ ended }, t) =>
    ended.type === 'final'
      ? { icon: 'answer', label: t.eventAttempt, text: ended.type }
      : warning(t.eventAttempt, ended.detail),
  'verify.report': ({ report: { by, verdict, issues } }, t) => {
    const [tone, key] = verdictBadges[verdict];
    return {
      icon: 'check',
      label: t.eventReport,
      subject: by,
      text: issues.map(({ detail }) => detail).join(' · '),
      state: [tone, t[key]],
    };
  },
  'verify.questions': ({ questions }, t) => ({
    icon: 'check',
    label: t.eventQuestions,
    text: questions.join(' '),
    figure: count(questions.length),
  }),
  'refine.made': ({ round, issues, withTools }, t) => ({
    icon: 'turn',
    label: `${t.eventRefine} ${round}`,
    text: issues.map(({ requiredAction }) => requiredAction).join(' · '),
    figure: withTools ? t.withTools : '',
    isHead: true,
  }),
  ...searchTellers,
  'budget.spent': ({ usage, activeMs }, t) => ({
    icon: 'budget',
    label: t.eventBudget,
    figure: `${count(usage.tokens)} ${t.tokensShort}`,
    ms: activeMs,
  }),
  'sink.failed': ({ sink, why }, t) => warning(t.eventSink, `${sink}: ${why}`),
};

const untold = { subject: '', text: '', state: undefined, figure: '', ms: undefined, isHead: false };

/** The words of an entry. An event of a newer server is told by its name. */
export function entryText(entry: Entry, t: Texts): EntryText {
  const { event } = entry;
  if (!Object.hasOwn(tellers, event.type))
    return { ...untold, icon: 'other', label: t.eventOther, subject: event.type };
  // The teller of a type takes events of that type.
  const tell = tellers[event.type] as Teller<RunEvent['type']>;
  return { ...untold, ...tell(event, t, entry) };
}

/** Whether somebody who looks for what went wrong wants to see it. */
export function isTrouble({ state }: EntryText): boolean {
  return state?.[0] === 'bad' || state?.[0] === 'warn';
}

/** What an entry took, in words: `2.4 s`. */
export function timeText({ ms }: EntryText): string {
  return ms === undefined ? '' : duration(ms);
}

function warning(label: string, text: string): Told {
  return { icon: 'note', label, text, state: ['warn', ''] };
}

function modelText({ role, step }: { role: string; step: string }, t: Texts, entry: Entry): Told {
  const told = { icon: 'model', label: t.eventModel, subject: role } as const;
  const call = entry.event.type === 'model.call' ? entry.event : entry.end;
  if (call?.type !== 'model.call')
    return { ...told, text: lastWords(entry.spoken ?? ''), state: ['active', t.eventThinking] };
  const { usage, ms, outcome, detail, model, provider } = call;
  const cached = usage.cachedTokens > 0 ? ` (${percent(usage.cachedTokens / usage.inputTokens)} ${t.cachedShort})` : '';
  return {
    ...told,
    text: outcome === 'reply' ? `${step} · ${model} · ${provider}` : detail,
    figure: `${count(usage.inputTokens)} → ${count(usage.outputTokens)} ${t.tokensShort}${cached}`,
    ms,
    ...(outcome !== 'reply' && { state: ['bad', outcome] }),
  };
}

/** Characters of what a model says that its line shows while it speaks. */
const heard = 160;

function lastWords(spoken: string): string {
  return spoken.length > heard ? `…${spoken.slice(-heard)}` : spoken;
}

function toolText({ tool, args, observation }: EventOf<'tool.call'>, t: Texts, { end }: Entry): Told {
  const told = { icon: 'tool', label: t.eventTool, subject: tool } as const;
  if (end?.type !== 'tool.result')
    return { ...told, text: argumentsText(args), figure: observation, state: ['active', t.running] };
  return {
    ...told,
    text: `${argumentsText(args)} → ${end.preview}`,
    figure: observation,
    state: toolState(end.status),
    ms: end.ms,
  };
}

function toolState(status: string): [Tone, string] | undefined {
  return status === 'ok' ? undefined : [status === 'denied' ? 'warn' : 'bad', status];
}

/** Arguments as a reader wants them: `query: "SKU-42", limit: 1`. */
function argumentsText(args: unknown): string {
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return JSON.stringify(args) ?? '';
  return Object.entries(args)
    .map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
    .join(', ');
}
