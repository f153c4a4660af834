/** What evaluators have in common beyond the port: how one gets to know a run, and what an oracle must not say. */
import type { Span } from '../core/budget.ts';
import type { StepContext } from '../core/step.ts';
import type { Task } from '../core/task.ts';
import { noUsage } from '../core/usage.ts';
import type { ModelRun } from '../model/model.ts';
import type { CheckContext, Evaluator } from './check.ts';

/** A run in which models can be asked. */
export interface EvaluatingRun extends ModelRun {
  /** Fences untrusted text in prompts. */
  readonly boundary: string;
}

/** An evaluator that needs more of a run than its steps. It is prepared once a run, before the first attempt. */
export interface RunEvaluator extends Evaluator {
  /** The evaluator for this run; its `knows` is what it knows there: `self` when the judge turns out to be the actor's model. */
  prepare(task: Task, run: EvaluatingRun): Promise<Evaluator> | Evaluator;
}

/** An evaluator that compares with a reference. */
export interface OracleEvaluator extends Evaluator {
  readonly knows: 'reference';
  /** Whether the text gives the reference away to somebody who knows the task. */
  reveals(text: string, task: Task): boolean;
}

/** The evaluator as it is in this run. Whoever uses an evaluator asks for it before the first attempt. */
export async function prepareEvaluator(evaluator: Evaluator, task: Task, run: EvaluatingRun): Promise<Evaluator> {
  return 'prepare' in evaluator ? (evaluator as RunEvaluator).prepare(task, run) : evaluator;
}

/** Whether the text gives the reference of an oracle away. An evaluator that cannot tell says nothing of its reference. */
export function revealsReference(evaluator: Evaluator, text: string, task: Task): boolean {
  return 'reveals' in evaluator && (evaluator as OracleEvaluator).reveals(text, task);
}

/** A step whose time counts as time of the run, if there is one (invariant 2). */
export async function timedStep<T>(
  context: CheckContext,
  name: string,
  fn: (step: StepContext) => Promise<T>,
): Promise<T> {
  const { value, span } = await context.step<{ value: T; span: Span }>(name, async (step) => {
    const from = Date.now();
    const value = await fn(step);
    return { value, span: { from, to: Date.now() } };
  });
  if ('budget' in context) (context as EvaluatingRun).budget.settle(undefined, noUsage, span);
  return value;
}
