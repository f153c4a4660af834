import type { Ending, Issue, Knowledge, Report } from './attempt.ts';
import type { BudgetLimit } from './budget.ts';
import type { EditedObservation } from './edited-observation.ts';
import type { Status } from './result.ts';
import type { Plan, PlanStep } from './task.ts';
import type { RefusalCause, TaintedText } from './turn.ts';
import type { Usage } from './usage.ts';

/** Every observable fact of a run. Texts are redacted before they get here. */
export type EventBody =
  | { type: 'run.warning'; why: string }
  | {
      type: 'run.start';
      task: string;
      model: string;
      layers: string[];
      solver: string;
      /** Small-model mode and what decided it; absent where no model is asked so. */
      size?: string | undefined;
      /** Observations that a human replaced when the run was forked. */
      edited?: EditedObservation[] | undefined;
    }
  | { type: 'run.end'; status: Status; reason: string; usage: Usage; activeMs: number }
  | { type: 'lesson.recalled'; lessons: { id: string; trigger: string; lesson: string }[] }
  | { type: 'lesson.admitted'; id: string; admitted: boolean; why: string; lesson: string }
  | { type: 'lesson.failed'; what: 'recall' | 'report' | 'admit'; why: string }
  | { type: 'plan.made'; plan: Plan }
  | { type: 'plan.updated'; step: string; status: PlanStep['status'] }
  | { type: 'plan.failed'; why: string }
  | { type: 'step.start'; step: string; objective: string }
  | { type: 'turn.start'; turn: number }
  | { type: 'model.start'; step: string; role: string }
  | { type: 'model.delta'; text: string }
  | { type: 'model.retry'; step: string; attempt: number; waitMs: number; why: string }
  /** Another model answers in place of `from` (both `provider:model`), or `to` is asked again. Told with the first call that it answers. */
  | { type: 'model.fallback'; step: string; role: string; from: string; to: string; why: string }
  | {
      type: 'model.call';
      step: string;
      role: string;
      model: string;
      /** Who serves it, as its adapter says: `openai.responses`, `ollama`, `script`. */
      provider: string;
      prompt: { messages: number; bytes: number; fingerprint: string };
      outcome: 'reply' | 'refused' | 'error';
      detail: string;
      usage: Usage;
      ms: number;
    }
  | { type: 'model.repaired'; step: string; how: string[] }
  | { type: 'turn.invalid'; why: string }
  | { type: 'tool.call'; tool: string; args: unknown; observation: string }
  | {
      type: 'tool.result';
      tool: string;
      observation: string;
      status: string;
      chars: number;
      preview: string;
      ms: number;
      /** The limit for which the budget did not let it run. */
      limited?: BudgetLimit | undefined;
    }
  | { type: 'tool.refused'; tool: string; why: string; cause: RefusalCause }
  | { type: 'tool.late'; tool: string; ms: number }
  | {
      type: 'approval.requested';
      signal: string;
      tool: string;
      args: unknown;
      why: string;
      /** Absent in events of earlier versions. */
      effect?: 'read' | 'write' | 'irreversible' | undefined;
      /** The parts of the arguments that carry untrusted text; absent where none was found. */
      sources?: TaintedText[] | undefined;
    }
  | { type: 'approval.decided'; signal: string; approved: boolean; reason: string }
  | { type: 'answer.drafted'; answer: string; claims: number; degraded: boolean }
  | { type: 'attempt.end'; ended: Ending }
  | { type: 'verify.report'; report: Report }
  | { type: 'verify.questions'; questions: string[] }
  | { type: 'refine.made'; round: number; issues: Issue[]; withTools: boolean }
  | { type: 'trial.start'; trial: number; reflections: string[] }
  | {
      type: 'trial.end';
      trial: number;
      by: string;
      knows: Knowledge;
      pass: boolean;
      score: number;
      feedback: string;
    }
  | { type: 'reflection.made'; trial: number; text: string }
  | { type: 'sample.end'; sample: number; answer: string; vote: string }
  | {
      type: 'vote.made';
      votes: { answer: string; count: number }[];
      winner: string;
      by: 'majority' | 'evidence' | 'steps' | 'judge';
      stoppedEarly: boolean;
    }
  | {
      type: 'search.node';
      node: string;
      parent: string;
      depth: number;
      state: string;
      value: number;
      verdict: 'kept' | 'pruned' | 'duplicate' | 'solution';
    }
  | { type: 'search.end'; visited: number; best: string; value: number }
  | { type: 'budget.spent'; usage: Usage; activeMs: number }
  | { type: 'sink.failed'; sink: string; why: string };

/**
 * A fact with its place. `id` (`path:type#n`) is the same when the run is replayed, so a consumer that stores drops the
 * second copy; `live` is only a hint that this is not such a copy. `at` is the journal's clock in milliseconds.
 * `model.delta`, `model.start`, `model.retry` and `tool.late` come out of a running step: no replay repeats them and no sink may need them.
 */
export type RunEvent = EventBody & { id: string; run: string; path: string; at: number; live: boolean };

/** A consumer of events. It may be slow or throw: the run neither waits for it nor fails with it (invariant 13). */
export interface Sink {
  readonly name: string;
  write(event: RunEvent): void | Promise<void>;
  /** Called once, after the last event. */
  close?(): void | Promise<void>;
}
