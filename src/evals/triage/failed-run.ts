import type { Attempt } from '../../core/attempt.ts';
import type { RunEvent } from '../../core/event.ts';
import type { Json, JsonSchema } from '../../core/json.ts';
import type { Status } from '../../core/result.ts';
import type { Grade } from '../grader.ts';

/** A lesson as it was shown to a run. */
export interface RecalledLesson {
  id: string;
  trigger: string;
  lesson: string;
}

/** What of an `EvalTask` the rules read. */
export interface FailedTask {
  id: string;
  input: string;
  constraints?: readonly string[] | undefined;
  outputSchema?: JsonSchema | undefined;
  /** What the grader compared with. */
  expected?: Json | undefined;
}

/** What is known of a failed run. A pasted trace knows less than a recorded one: what is absent or empty is unknown, not denied. */
export interface FailedRun {
  runId: string;
  task: FailedTask;
  configuration?: string | undefined;
  /** Counted from 1, for independent repeats of one task: they could not learn from each other. */
  repeat?: number | undefined;
  status?: Status | undefined;
  /** Code and sentence of the Result. */
  reason?: { code: string; detail: string } | undefined;
  attempt: Attempt;
  /** Its events in order; empty for a trace that has none. */
  events: readonly RunEvent[];
  grade?: Grade | undefined;
  /** Lessons it was given, where the events do not tell. */
  lessons?: readonly RecalledLesson[] | undefined;
  /** A pasted trace without an answer that does not say what ended it; `attempt.ended` says nothing then. */
  unknownEnding?: boolean | undefined;
  /** Error text that stands outside the attempt, as in a pasted log. */
  error?: string | undefined;
}
