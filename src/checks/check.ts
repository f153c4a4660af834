import type { Attempt, Issue, Knowledge } from '../core/attempt.ts';
import type { Step } from '../core/step.ts';
import type { Task } from '../core/task.ts';
import type { AskedModel } from '../model/capability.ts';

/** `step` is the only door to I/O: journaled inside a run, a plain call offline. A pure check ignores it. */
export interface CheckContext {
  readonly step: Step;
}

/** A check is code: a gate inside a run and a metric offline. No issues means it found nothing wrong. */
export interface Check {
  readonly name: string;
  run(attempt: Attempt, task: Task, context: CheckContext): Promise<Issue[]> | Issue[];
}

export interface Evaluation {
  pass: boolean;
  /** 0 to 1. */
  score: number;
  feedback: string;
}

/** An external judge of whole attempts (Reflexion, Shinn et al. 2023, section 3). */
export interface Evaluator {
  readonly name: string;
  readonly knows: Knowledge;
  /** Models of its own, beside those of the run. */
  readonly asks?: readonly AskedModel[];
  evaluate(attempt: Attempt, task: Task, context: CheckContext): Promise<Evaluation> | Evaluation;
}
