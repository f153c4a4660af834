import type { LessonDraft } from '../core/attempt.ts';
import type { Lesson } from '../core/lesson.ts';
import { defaultMaxLessons, defaultTtlMs, worstFirst } from './ranking.ts';

export interface LessonStoreOptions {
  /** Milliseconds until a lesson expires. Default 90 days. */
  ttlMs?: number;
  /** Active lessons per scope; beyond it the worst one expires. Default 500. */
  maxLessons?: number;
}

/** The options with their defaults. */
export function withDefaults(options: LessonStoreOptions): Required<LessonStoreOptions> {
  return { ttlMs: options.ttlMs ?? defaultTtlMs, maxLessons: options.maxLessons ?? defaultMaxLessons };
}

/** A lesson that was just admitted and has no record yet. */
export function newLesson(
  draft: LessonDraft,
  meta: { id: string; source: string; scope: string; now: number },
  ttlMs: number,
): Lesson {
  const { trigger, failurePattern, lesson, avoid } = draft;
  const { id, source, scope, now } = meta;
  const texts = {
    trigger: trigger.trim(),
    failurePattern: failurePattern.trim(),
    lesson: lesson.trim(),
    avoid: avoid.trim(),
  };
  return {
    ...texts,
    id,
    source,
    scope,
    created: now,
    expires: now + ttlMs,
    uses: 0,
    wins: 0,
    losses: 0,
    status: 'active',
  };
}

/** The lesson after one more use. */
export function counted(lesson: Lesson, outcome: 'win' | 'loss'): Lesson {
  const [wins, losses] = outcome === 'win' ? [1, 0] : [0, 1];
  return { ...lesson, uses: lesson.uses + 1, wins: lesson.wins + wins, losses: lesson.losses + losses };
}

/** The lesson as it is kept for the record only. */
export function expired(lesson: Lesson, now: number): Lesson {
  return { ...lesson, status: 'expired', expires: Math.min(lesson.expires, now) };
}

/** What is left of a lesson that a user wants gone: no text, only the place that keeps a replay from admitting it again. */
export function forgotten(lesson: Lesson): Lesson {
  return { ...lesson, trigger: '', failurePattern: '', lesson: '', avoid: '', status: 'forgotten' };
}

/** The lessons a scope has to give up so that `maxLessons` stay; never the one just admitted. */
export function surplus(active: readonly Lesson[], maxLessons: number, admitted?: string): Lesson[] {
  const candidates = active.filter((lesson) => lesson.id !== admitted);
  return worstFirst(candidates).slice(0, Math.max(0, active.length - Math.max(1, maxLessons)));
}
