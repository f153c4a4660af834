import type { Check, Evaluator } from '../../checks/check.ts';
import { checksPass } from '../../checks/evaluators/checks-pass.ts';
import type { Knowledge } from '../../core/attempt.ts';
import { UsageError } from '../../core/errors.ts';
import type { Json } from '../../core/json.ts';
import type { Task } from '../../core/task.ts';
import type { Grader } from '../grader.ts';
import type { EvalTask } from '../suite.ts';
import { functionMark } from './expected.ts';
import { gradeOf } from './grade-of.ts';

export interface EvaluatorGraderOptions {
  /** Default: the evaluator's. */
  name?: string;
  /** Has to be said of a function, which is asked for an evaluator later; else it is the evaluator's. */
  knows?: Knowledge;
  /** `answer` where the evaluator looks at nothing else, so that earlier versions can be graded. Default `attempt`. */
  reads?: 'answer' | 'attempt';
  /** Its settings, for the evaluation's fingerprint, which cannot see what a function closes over. */
  config?: Json;
}

/**
 * Any evaluator as a grader, or one by the task. Throws `UsageError` for one that has to be prepared by a run, as `judge` has: a
 * rubric grades without one.
 */
export function fromEvaluator(
  evaluator: Evaluator | ((task: EvalTask) => Evaluator),
  { name, knows, reads = 'attempt', config = null }: EvaluatorGraderOptions = {},
): Grader {
  const isFactory = typeof evaluator === 'function';
  if (!isFactory) refuseRunEvaluator(evaluator);
  const known = knows ?? (isFactory ? undefined : evaluator.knows);
  if (known === undefined)
    throw new UsageError('fromEvaluator: say what the evaluators of the function know, as `knows`');
  return {
    name: name ?? (isFactory ? 'evaluator' : evaluator.name),
    knows: known,
    reads,
    config: { evaluator: functionMark(isFactory ? evaluator : evaluator.evaluate), settings: config },
    async grade({ task, answer, attempt }, context) {
      const chosen = isFactory ? evaluator(task) : evaluator;
      refuseRunEvaluator(chosen);
      const { pass, score, feedback } = await chosen.evaluate({ ...attempt, answer }, taskOf(task), context);
      return gradeOf(pass, feedback, score);
    },
  };
}

/** Any check as a grader, by itself or by its name: passes when it finds nothing wrong with an answer. */
export function fromCheck(
  check: string | Check,
  { reads = 'attempt' }: Pick<EvaluatorGraderOptions, 'reads'> = {},
): Grader {
  const name = typeof check === 'string' ? check : check.name;
  const mark = typeof check === 'string' ? check : functionMark(check.run);
  return { ...fromEvaluator(checksPass([check]), { name: `check:${name}`, reads }), config: { check: mark } };
}

function refuseRunEvaluator(evaluator: Evaluator): void {
  if (!('prepare' in evaluator)) return;
  throw new UsageError(
    `fromEvaluator: ${evaluator.name} asks a model inside a run and cannot grade after it. Use rubric({ criteria, model }).`,
  );
}

/** The task as the agent had it. */
function taskOf({ input, constraints = [], outputSchema, checks = [] }: EvalTask): Task {
  return { input, constraints: [...constraints], outputSchema, checks: [...checks] };
}
