import type { LessonDraft } from '../core/attempt.ts';
import type { Lesson } from '../core/lesson.ts';

export interface Admission {
  id: string;
  admitted: boolean;
  /** The rule that refused it, or `new`. */
  why: string;
}

/**
 * The reflection memory (Reflexion, section 3.3) under rules (invariant 11). Every method is idempotent in its key, because
 * it is called inside an at-least-once step.
 */
export interface LessonStore {
  /** The active, unexpired lessons of the scope whose trigger shares words with the text, best first. */
  recall(query: { text: string; scope: string; limit: number; now: number }): Promise<Lesson[]>;
  /** Keeps a draft if the rules allow it. The same `id` twice is one lesson. */
  admit(draft: LessonDraft, meta: { id: string; source: string; scope: string; now: number }): Promise<Admission>;
  /** Counts a use and its outcome for each lesson; the same `key` twice counts once. */
  report(ids: readonly string[], outcome: 'win' | 'loss', key: string): Promise<void>;
  list(query?: { scope?: string; status?: Lesson['status'] }): Promise<Lesson[]>;
  get(id: string): Promise<Lesson | undefined>;
  /** True when there was one. */
  forget(id: string): Promise<boolean>;
  expire(id: string, now: number): Promise<boolean>;
  /** Adds lessons as they are (from an export); the number that was new. */
  restore(lessons: readonly Lesson[]): Promise<number>;
  close(): Promise<void>;
}
