import type { Evaluation, Evaluator } from '../../checks/check.ts';
import { revealsReference } from '../../checks/evaluators.ts';
import type { Attempt, Report } from '../../core/attempt.ts';
import { messageOf, mustPass, UsageError } from '../../core/errors.ts';
import type { Task } from '../../core/task.ts';
import type { Run } from '../solver.ts';

/** What an evaluator said of a trial. Without an evaluation it could not be asked, which is not the attempt's fault. */
export interface Judged {
  evaluation?: Evaluation;
  report: Report;
}

const feedbackChars = 4_000;

/** Has the trial judged, and says so in an event. Throws `UsageError` for an evaluator that cannot work as it was set up. */
export async function evaluateTrial(
  attempt: Attempt,
  context: { trial: number; task: Task; evaluator: Evaluator; run: Run },
): Promise<Judged> {
  const { trial, evaluator, run } = context;
  const by = `evaluator:${evaluator.name}`;
  const { knows } = evaluator;
  const tell = (pass: boolean, score: number, feedback: string): void =>
    run.emit({ type: 'trial.end', trial, by, knows, pass, score, feedback });
  try {
    const evaluation = checked(await evaluator.evaluate(attempt, context.task, run), context);
    const { pass, score, feedback } = evaluation;
    tell(pass, score, feedback);
    const issues = pass ? [] : [issueOf(feedback, 'mend what the evaluator found')];
    return { evaluation, report: { by, knows, verdict: pass ? 'pass' : 'fail', issues, needsMoreTools: false } };
  } catch (error) {
    if (mustPass(error) || error instanceof UsageError) throw error;
    const why = run.redact(`the evaluator could not be asked: ${messageOf(error)}`).slice(0, feedbackChars);
    tell(false, 0, why);
    const issues = [issueOf(why, 'judge the answer by hand')];
    return { report: { by, knows, verdict: 'unchecked', issues, needsMoreTools: false } };
  }
}

function issueOf(detail: string, requiredAction: string): Report['issues'][number] {
  return { type: 'failed_check', detail, requiredAction };
}

/** Only `true` is a pass, a score stays within 0 and 1, and what an oracle says does not carry its reference on. */
function checked(
  evaluation: Evaluation,
  { evaluator, task, run }: { evaluator: Evaluator; task: Task; run: Run },
): Evaluation {
  const pass = evaluation.pass === true;
  const score = Number.isFinite(evaluation.score) ? Math.min(1, Math.max(0, evaluation.score)) : Number(pass);
  const feedback = run.redact(evaluation.feedback).slice(0, feedbackChars) || 'no reason was given';
  return { pass, score, feedback: mayBeTold(feedback, evaluator, task) ? feedback : withheld(pass) };
}

function mayBeTold(feedback: string, evaluator: Evaluator, task: Task): boolean {
  if (evaluator.knows !== 'reference') return true;
  return 'reveals' in evaluator && !revealsReference(evaluator, feedback, task);
}

function withheld(pass: boolean): string {
  return pass ? 'equal to the reference (oracle)' : 'not equal to the reference (oracle), which is not shown';
}
