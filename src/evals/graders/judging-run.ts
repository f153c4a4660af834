import { hash } from 'node:crypto';
import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { CheckContext } from '../../checks/check.ts';
import type { EvaluatingRun } from '../../checks/evaluators.ts';
import { Budget } from '../../core/budget.ts';
import { redactor } from '../../trace/redact.ts';

export interface JudgingOptions {
  model: LanguageModelV4;
  /** For one call of the judge. */
  timeoutMs: number;
  /** What is fenced in the prompt: its boundary is a hash of it, which it cannot contain. */
  fenced: readonly string[];
}

/** A run in which a grader can ask its judge: the one that grades, or outside of any one that only asks. */
export function judgingRun(context: CheckContext, { model, timeoutMs, fenced }: JudgingOptions): EvaluatingRun {
  const boundary = hash('sha256', JSON.stringify(fenced)).slice(0, 16);
  // A context that has a budget is a run: what the judge costs is counted there.
  if ('budget' in context) return { ...(context as EvaluatingRun), model: () => model, boundary };
  return {
    runId: 'grading',
    path: '',
    budget: new Budget({}),
    step: (name, fn, options) =>
      context.step(
        name,
        (step) => fn({ ...step, signal: AbortSignal.any([step.signal, AbortSignal.timeout(timeoutMs)]) }),
        options,
      ),
    watched: false,
    emit: () => undefined,
    now: () => Date.now(),
    model: () => model,
    priceOf: () => undefined,
    redact: redactor().text,
    temperature: undefined,
    stream: false,
    boundary,
  };
}
