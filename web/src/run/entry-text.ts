/** What a line of the timeline says. */
import type { RunEvent } from '../api/shapes.ts';
import type { Texts } from '../i18n/english.ts';
import { count, duration, money } from '../parts/amounts.ts';
import type { Tone } from '../parts/badge.tsx';
import type { Entry } from './timeline-model.ts';

export interface EntryText {
  label: string;
  /** Written by a model or a tool, or about one: shown as untrusted text. */
  text: string;
  tone: Tone;
  /** Figures at the end of the line. */
  facts: string[];
  /** Whether it is a heading among the lines. */
  strong?: boolean;
}

type Of<Type extends RunEvent['type']> = Extract<RunEvent, { type: Type }>;
type Teller<Type extends RunEvent['type']> = (
  event: Of<Type>,
  t: Texts,
  entry: Entry,
) => Omit<EntryText, 'facts'> & { facts?: string[] };

const tellers: { [Type in RunEvent['type']]: Teller<Type> } = {
  'run.start': (event, t) => ({
    label: t.eventRunStart,
    text: [event.model, event.solver, event.layers.join(', ')].filter((part) => part !== '').join(' · '),
    tone: 'plain',
    strong: true,
  }),
  'run.end': (event, t) => ({
    label: t.eventRunEnd,
    text: event.reason,
    tone:
      event.status === 'completed' || event.status === 'revised' ? 'good' : event.status === 'failed' ? 'bad' : 'warn',
    facts: [`${count(event.usage.tokens)} ${t.tokens}`, duration(event.activeMs)],
    strong: true,
  }),
  'run.warning': ({ why }, t) => ({ label: t.eventWarning, text: why, tone: 'warn' }),
  'lesson.recalled': ({ lessons }, t) => ({
    label: t.eventRecalled,
    text: lessons.length === 0 ? t.eventNoneRecalled : lessons.map(({ lesson }) => lesson).join('\n'),
    tone: 'plain',
  }),
  'lesson.admitted': ({ admitted, lesson, why }, t) => ({
    label: admitted ? t.eventAdmitted : t.eventRefusedLesson,
    text: admitted ? lesson : `${lesson} (${why})`,
    tone: admitted ? 'good' : 'plain',
  }),
  'lesson.failed': ({ why }, t) => ({ label: t.eventLessonFailed, text: why, tone: 'bad' }),
  'plan.made': ({ plan }, t) => ({ label: t.eventPlan, text: plan.goal, tone: 'active' }),
  'plan.updated': ({ step, status }, t) => ({ label: t.eventPlanStep, text: `${step} → ${status}`, tone: 'plain' }),
  'plan.failed': ({ why }, t) => ({ label: t.eventPlanFailed, text: why, tone: 'bad' }),
  'step.start': ({ step, objective }, t) => ({
    label: t.eventStep,
    text: `${step}: ${objective}`,
    tone: 'active',
    strong: true,
  }),
  'turn.start': ({ turn }, t) => ({ label: `${t.eventTurn} ${turn}`, text: '', tone: 'plain', strong: true }),
  'turn.invalid': ({ why }, t) => ({ label: t.eventInvalid, text: why, tone: 'warn' }),
  'model.start': (event, t, entry) => modelText(event.role, { t, entry }),
  'model.call': (event, t, entry) => modelText(event.role, { t, entry }),
  'model.delta': ({ text }, t) => ({ label: t.eventModel, text, tone: 'plain' }),
  'model.retry': ({ why, attempt }, t) => ({ label: `${t.eventRetry} ${attempt}`, text: why, tone: 'warn' }),
  'model.fallback': (event, t) => ({
    label: t.eventFallback,
    text: `${event.from} → ${event.to}: ${event.why}`,
    tone: 'warn',
  }),
  'model.repaired': ({ how }, t) => ({ label: t.eventRepaired, text: how.join(', '), tone: 'warn' }),
  'tool.call': (event, t, entry) => toolText(event, { t, entry }),
  'tool.result': ({ tool, preview, status }, t) => ({
    label: t.eventTool,
    text: `${tool}: ${preview}`,
    tone: toneOf(status),
  }),
  'tool.refused': ({ tool, why }, t) => ({ label: t.eventRefused, text: `${tool}: ${why}`, tone: 'warn' }),
  'tool.late': ({ tool, ms }, t) => ({ label: t.eventLate, text: tool, tone: 'warn', facts: [duration(ms)] }),
  'approval.requested': ({ tool, why }, t, { end }) => ({
    label: t.eventApproval,
    text: `${tool}: ${why}`,
    tone: end ? 'plain' : 'warn',
    facts: end?.type === 'approval.decided' ? [end.approved ? t.approved : t.denied] : [],
  }),
  'approval.decided': ({ approved, reason }, t) => ({
    label: t.eventDecided,
    text: `${approved ? t.approved : t.denied} ${reason}`,
    tone: approved ? 'good' : 'bad',
  }),
  'answer.drafted': ({ answer, degraded }, t) => ({
    label: t.eventDraft,
    text: answer,
    tone: degraded ? 'warn' : 'active',
  }),
  'attempt.end': ({ ended }, t) => ({
    label: t.eventAttempt,
    text: ended.type === 'final' ? ended.type : ended.detail,
    tone: ended.type === 'final' ? 'plain' : 'warn',
  }),
  'verify.report': ({ report }, t) => ({
    label: t.eventReport,
    text: [`${report.by}: ${t[verdictKeys[report.verdict]]}`, ...report.issues.map(({ detail }) => detail)].join('\n'),
    tone:
      report.verdict === 'pass'
        ? 'good'
        : report.verdict === 'fail'
          ? 'bad'
          : report.verdict === 'revise'
            ? 'warn'
            : 'plain',
  }),
  'verify.questions': ({ questions }, t) => ({ label: t.eventQuestions, text: questions.join('\n'), tone: 'plain' }),
  'refine.made': ({ round, issues, withTools }, t) => ({
    label: `${t.eventRefine} ${round}`,
    text: issues.map(({ requiredAction }) => requiredAction).join('\n'),
    tone: 'warn',
    facts: withTools ? [t.withTools] : [],
    strong: true,
  }),
  'trial.start': ({ trial, reflections }, t) => ({
    label: `${t.eventTrial} ${trial}`,
    text: reflections.join('\n'),
    tone: 'plain',
    strong: true,
  }),
  'trial.end': ({ trial, by, pass, feedback, score }, t) => ({
    label: `${t.eventTrial} ${trial}`,
    text: `${by}: ${feedback}`,
    tone: pass ? 'good' : 'bad',
    facts: [score.toFixed(2)],
  }),
  'reflection.made': ({ text }, t) => ({ label: t.eventReflection, text, tone: 'plain' }),
  'sample.end': ({ sample, vote }, t) => ({ label: `${t.eventSample} ${sample + 1}`, text: vote, tone: 'plain' }),
  'vote.made': ({ winner, votes, by }, t) => ({
    label: t.eventVote,
    text: winner,
    tone: 'good',
    facts: [by, votes.map((vote) => vote.count).join(' : ')],
  }),
  'search.node': ({ state, value, verdict }, t) => ({
    label: t.eventNode,
    text: state,
    tone: verdict === 'solution' ? 'good' : 'plain',
    facts: [t[nodeKeys[verdict]], value.toFixed(2)],
  }),
  'search.end': ({ best, visited }, t) => ({
    label: t.eventSearchEnd,
    text: best,
    tone: 'good',
    facts: [count(visited)],
  }),
  'budget.spent': ({ usage, activeMs }, t) => ({
    label: t.eventBudget,
    text: '',
    tone: 'plain',
    facts: [`${count(usage.tokens)} ${t.tokens}`, money(usage.usd), duration(activeMs)],
  }),
  'sink.failed': ({ sink, why }, t) => ({ label: t.eventSink, text: `${sink}: ${why}`, tone: 'bad' }),
};

export const nodeKeys: Readonly<Record<Of<'search.node'>['verdict'], keyof Texts>> = {
  kept: 'nodeKept',
  pruned: 'nodePruned',
  duplicate: 'nodeDuplicate',
  solution: 'nodeSolution',
};

const verdictKeys: Readonly<Record<Of<'verify.report'>['report']['verdict'], keyof Texts>> = {
  pass: 'verdictPass',
  revise: 'verdictRevise',
  fail: 'verdictFail',
  unchecked: 'verdictUnchecked',
};

/** The words of an entry. An event of a newer server is told by its name. */
export function entryText(entry: Entry, t: Texts): EntryText {
  const { event } = entry;
  if (!Object.hasOwn(tellers, event.type)) return { label: t.eventOther, text: event.type, tone: 'plain', facts: [] };
  // The teller of a type takes events of that type.
  const tell = tellers[event.type] as Teller<RunEvent['type']>;
  return { facts: [], ...tell(event, t, entry) };
}

function modelText(role: string, { t, entry }: { t: Texts; entry: Entry }): ReturnType<Teller<'model.start'>> {
  const call = entry.event.type === 'model.call' ? entry.event : entry.end;
  if (call?.type !== 'model.call') {
    return { label: `${t.eventModel} · ${role}`, text: entry.spoken ?? t.eventThinking, tone: 'active' };
  }
  const { usage, ms, outcome, detail, model } = call;
  return {
    label: `${t.eventModel} · ${role}`,
    text: outcome === 'reply' ? model : `${model}: ${detail}`,
    tone: outcome === 'reply' ? 'plain' : 'bad',
    facts: [`${count(usage.inputTokens)} → ${count(usage.outputTokens)} ${t.tokens}`, duration(ms)],
  };
}

function toolText(event: Of<'tool.call'>, { t, entry }: { t: Texts; entry: Entry }): ReturnType<Teller<'tool.call'>> {
  const { end } = entry;
  const said = `${event.observation} ${event.tool} ${JSON.stringify(event.args)}`;
  if (end?.type !== 'tool.result') return { label: t.eventTool, text: said, tone: 'active', facts: [t.running] };
  return {
    label: t.eventTool,
    text: `${said}\n${end.preview}`,
    tone: toneOf(end.status),
    facts: [`${count(end.chars)} ${t.characters}`, duration(end.ms)],
  };
}

function toneOf(status: string): Tone {
  return status === 'ok' ? 'good' : status === 'denied' ? 'warn' : 'bad';
}
