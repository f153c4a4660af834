import { hash } from 'node:crypto';
import type { EvaluatingRun } from '../../checks/evaluators.ts';
import { offlineContext } from '../../checks/offline.ts';
import { Budget } from '../../core/budget.ts';
import { StateError } from '../../core/errors.ts';
import { priceOf } from '../../model/prices.ts';
import { redactor } from '../../trace/redact.ts';

/** A judge has so long for one call. */
const judgeMs = 120_000;

/** What graders work in: nothing is journaled, and what a judge costs is counted in `budget`. A judge brings its own model. */
export function gradingRun(runId: string): EvaluatingRun {
  const { step } = offlineContext();
  return {
    runId,
    path: 'grading',
    budget: new Budget({}),
    step: (name, fn) =>
      step(name, (context) =>
        fn({ ...context, signal: AbortSignal.any([context.signal, AbortSignal.timeout(judgeMs)]) }),
      ),
    watched: false,
    emit: () => undefined,
    now: () => Date.now(),
    model: () => {
      throw new StateError('a grader asked for the model of the run it grades: a judge brings one of its own');
    },
    priceOf,
    redact: redactor().text,
    temperature: undefined,
    stream: false,
    boundary: hash('sha256', runId).slice(0, 16),
  };
}
