import type { LessonDraft } from '../core/attempt.ts';
import type { Applicability, Lesson, LessonStatus } from '../core/lesson.ts';

export interface Admission {
  /** The lesson the draft became, or the one it was merged into. */
  id: string;
  /** False also for what was quarantined. */
  admitted: boolean;
  /** The rule that refused it, what it was merged into, what it is in conflict with, or `new`. */
  why: string;
}

/** A text as a vector. Vectors of another model or of another length are never compared. */
export interface Embedding {
  /** `provider:modelId`. */
  model: string;
  vector: readonly number[];
}

export interface RecallQuery {
  text: string;
  scope: string;
  /** Lessons at most. */
  limit: number;
  now: number;
  /** What the task is and has. Lessons bound to something else are passed over; what is absent is not asked. */
  applies?: Applicability | undefined;
  /** Tokens of all texts together at most, estimated as a quarter of their UTF-8 bytes. Default 600. */
  maxTokens?: number | undefined;
  /** Of the text: recalls also what has its meaning in other words. */
  embedding?: Embedding | undefined;
  /** The cosine from which on two texts are alike, 0 to 1. Default 0.5; it depends on the model. */
  minSimilarity?: number | undefined;
}

/** Where a draft comes from. It was written by a model that had read all of this. */
export interface Origin {
  /** What the user wrote. */
  task: string;
  /** Texts that a stranger may have written: untrusted observations. */
  untrusted: readonly string[];
  /** The lessons that the run was given. */
  recalled: readonly Lesson[];
}

export interface AdmissionMeta {
  id: string;
  /** The run. */
  source: string;
  scope: string;
  now: number;
  applies?: Applicability;
  origin?: Origin;
  /** Of `textToEmbed` of the draft. */
  embedding?: Embedding | undefined;
}

/** `refuted`: what the lesson forbids went well. One such outcome retires it. */
export type Outcome = 'win' | 'loss' | 'refuted';

/** What a human may change of a lesson. */
export type LessonChange = Partial<LessonDraft> & { status?: 'active'; expires?: number };

/**
 * The reflection memory (Reflexion, section 3.3) under rules (invariant 11). Every method is idempotent in its key, because
 * it is called inside an at-least-once step.
 */
export interface LessonStore {
  /**
   * The active, unexpired lessons of the scope that apply and whose trigger shares words with the text, or whose embedding is near, best
   * first (reciprocal rank fusion, k = 60; Cormack, Clarke and Büttcher 2009). Of lessons that contradict each other only the one with the
   * better record comes, also when the text matched the other one. A recall changes nothing.
   */
  recall(query: RecallQuery): Promise<Lesson[]>;
  /** Keeps a draft if the rules allow it, or merges it into the lesson it repeats. The same `id` twice is one lesson. */
  admit(draft: LessonDraft, meta: AdmissionMeta): Promise<Admission>;
  /** Counts a use and its outcome for each lesson, the first one of an id; the same `key` twice counts once. */
  report(
    outcomes: readonly { id: string; outcome: Outcome }[],
    meta: { run: string; now: number; key: string },
  ): Promise<void>;
  list(query?: { scope?: string; status?: LessonStatus }): Promise<Lesson[]>;
  get(id: string): Promise<Lesson | undefined>;
  /**
   * Changes a lesson on a human's word, also a quarantined or retired one, which is then in use. A lesson that advises something
   * else has no record yet. The changed lesson; undefined when there is none. Throws `UsageError` for what no lesson may say.
   */
  edit(id: string, change: LessonChange, now: number): Promise<Lesson | undefined>;
  /** True when there was one. Nothing of its text is left in the store. */
  forget(id: string): Promise<boolean>;
  expire(id: string, now: number): Promise<boolean>;
  /** Active lessons of the scope that have no embedding of this model and length, newest first. */
  unembedded(query: { scope: string; model: string; dimension: number; limit: number }): Promise<Lesson[]>;
  /** Gives an active lesson its embedding, in place of one of another model. */
  embed(id: string, embedding: Embedding): Promise<void>;
  /** Adds lessons as they are (from an export); the number that was new. */
  restore(lessons: readonly Lesson[]): Promise<number>;
  close(): Promise<void>;
}

/** The text of a lesson whose embedding is compared with that of a task. */
export function textToEmbed({ trigger, failurePattern }: LessonDraft): string {
  return `${trigger}\n${failurePattern}`;
}
