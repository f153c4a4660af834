/** How a lesson changes: pure functions that every store shares, so that stores differ only in how they keep and find. */
import type { LessonDraft } from '../core/attempt.ts';
import type { Lesson, LessonEvidence } from '../core/lesson.ts';
import { checkSafety } from './admission.ts';
import { draftFields } from './draft-text.ts';
import type { AdmissionMeta, LessonChange, Outcome } from './memory.ts';
import { isPassing, passingTtlMs } from './passing.ts';
import { hurts } from './posterior.ts';
import { defaultMaxLessons, defaultTtlMs, worstFirst } from './ranking.ts';
import { overlap, termsOf } from './tokens.ts';

export interface LessonStoreOptions {
  /** Milliseconds until a lesson expires that neither wins nor is learned again. Default 90 days; at most 7 for what may be passing. */
  ttlMs?: number;
  /** Active lessons per scope; beyond it the worst one expires. Default 500. */
  maxLessons?: number;
  /** The share of runs that end well without lessons, 0 to 1. A lesson under which fewer do is retired. Default 0.5. */
  baseline?: number;
}

export type StoreLimits = Required<LessonStoreOptions>;

/** The options with their defaults. */
export function withDefaults(options: LessonStoreOptions): StoreLimits {
  return {
    ttlMs: options.ttlMs ?? defaultTtlMs,
    maxLessons: options.maxLessons ?? defaultMaxLessons,
    baseline: options.baseline ?? 0.5,
  };
}

const mostEvidence = 20;

function withEvidence(evidence: readonly LessonEvidence[], more: LessonEvidence): LessonEvidence[] {
  const others = evidence.filter((known) => known.run !== more.run);
  return [...others, more].slice(-mostEvidence);
}

/** A lesson that was just admitted and has no record yet. */
export function newLesson(
  draft: LessonDraft,
  meta: AdmissionMeta,
  kept: Pick<Lesson, 'status' | 'why' | 'conflicts'> & { ttlMs: number },
): Lesson {
  const { id, source, scope, now, applies = {} } = meta;
  const { ttlMs, status, why, conflicts } = kept;
  const lesson = {
    trigger: draft.trigger.trim(),
    failurePattern: draft.failurePattern.trim(),
    lesson: draft.lesson.trim(),
    avoid: draft.avoid.trim(),
    applies,
  };
  return {
    ...lesson,
    id,
    source,
    scope,
    created: now,
    expires: now + lifeOf(lesson, ttlMs),
    checked: now,
    uses: 0,
    wins: 0,
    losses: 0,
    evidence: [{ run: source, says: 'supports' }],
    conflicts,
    status,
    why,
  };
}

function lifeOf(lesson: LessonDraft & Pick<Lesson, 'applies'>, ttlMs: number): number {
  return isPassing(lesson) ? Math.min(ttlMs, passingTtlMs) : ttlMs;
}

/** A lesson that works lives on; one that may rest on a passing state has to be learned again. */
function renewed(lesson: Lesson, now: number, ttlMs: number): number {
  return isPassing(lesson) ? lesson.expires : Math.max(lesson.expires, now + ttlMs);
}

/** The lesson after one more use. A record that hurts retires it, a better one brings it back. */
export function counted(
  lesson: Lesson,
  outcome: Outcome,
  context: { run: string; now: number; limits: StoreLimits },
): Lesson {
  const { run, now, limits } = context;
  const won = outcome === 'win';
  const wins = lesson.wins + (won ? 1 : 0);
  const losses = lesson.losses + (won ? 0 : 1);
  const inUse = lesson.status === 'active' || lesson.status === 'retired';
  const retired = outcome === 'refuted' || hurts({ wins, losses }, limits.baseline);
  return {
    ...lesson,
    uses: lesson.uses + 1,
    wins,
    losses,
    checked: Math.max(lesson.checked, now),
    expires: won && lesson.status === 'active' ? renewed(lesson, now, limits.ttlMs) : lesson.expires,
    evidence: withEvidence(lesson.evidence, { run, says: won ? 'supports' : 'contradicts' }),
    status: inUse ? (retired ? 'retired' : 'active') : lesson.status,
  };
}

/** A trigger of two lessons that were merged grows no longer than this. */
const longestTrigger = 400;
/** Triggers that share less than this are about situations that both have to be found by. */
const nearTrigger = 0.5;

/** The lesson with the evidence of a run that learned it again. Its counts stay: only outcomes change them. */
export function merged(lesson: Lesson, draft: LessonDraft, context: { meta: AdmissionMeta; ttlMs: number }): Lesson {
  const { meta, ttlMs } = context;
  const both = `${lesson.trigger}; ${draft.trigger.trim()}`;
  const near = overlap(new Set(termsOf(lesson.trigger)), new Set(termsOf(draft.trigger))) >= nearTrigger;
  return {
    ...lesson,
    trigger:
      near || both.length > longestTrigger || lesson.trigger.includes(draft.trigger.trim()) ? lesson.trigger : both,
    applies: common(lesson.applies, meta.applies ?? {}),
    expires: Math.max(lesson.expires, meta.now + lifeOf(lesson, ttlMs)),
    evidence: withEvidence(lesson.evidence, { run: meta.source, says: 'supports' }),
  };
}

/** What binds both: a lesson that is learned under another model or kind of task is bound to neither. */
function common(a: Lesson['applies'], b: Lesson['applies']): Lesson['applies'] {
  return {
    ...(a.taskKind !== undefined && a.taskKind === b.taskKind && { taskKind: a.taskKind }),
    ...(a.model !== undefined && a.model === b.model && { model: a.model }),
    ...(a.tools && { tools: a.tools }),
  };
}

/** The lesson with a mark of one that contradicts it. */
export function inConflictWith(lesson: Lesson, id: string): Lesson {
  return lesson.conflicts.includes(id) ? lesson : { ...lesson, conflicts: [...lesson.conflicts, id] };
}

/** The lesson as a human wants it. Throws `UsageError` for what no lesson may say. */
export function edited(lesson: Lesson, change: LessonChange, context: { now: number; ttlMs: number }): Lesson {
  const { status, expires, ...texts } = change;
  const next: Lesson = { ...lesson, ...texts, status: 'active' };
  checkSafety(next);
  const advises = (['lesson', 'avoid'] as const).some((field) => next[field] !== lesson[field]);
  const back = lesson.status === 'expired' || lesson.expires <= context.now;
  return {
    ...next,
    expires: expires ?? (back ? context.now + lifeOf(next, context.ttlMs) : lesson.expires),
    ...((advises || lesson.status === 'retired') && { uses: 0, wins: 0, losses: 0, checked: context.now }),
    why: draftFields.some((field) => next[field] !== lesson[field]) ? 'edited by a human' : 'put in use by a human',
  };
}

/** The lesson as it is kept for the record only. */
export function expired(lesson: Lesson, now: number): Lesson {
  return { ...lesson, status: 'expired', expires: Math.min(lesson.expires, now) };
}

/** What is left of a lesson that a user wants gone: no text, only the place that keeps a replay from admitting it again. */
export function forgotten(lesson: Lesson): Lesson {
  const nothing = { trigger: '', failurePattern: '', lesson: '', avoid: '', applies: {}, why: 'new' };
  return { ...lesson, ...nothing, conflicts: [], status: 'forgotten' };
}

/** The lessons a scope has to give up so that `maxLessons` stay; never the one just admitted. */
export function surplus(active: readonly Lesson[], maxLessons: number, admitted?: string): Lesson[] {
  const candidates = active.filter((lesson) => lesson.id !== admitted);
  return worstFirst(candidates).slice(0, Math.max(0, active.length - Math.max(1, maxLessons)));
}
