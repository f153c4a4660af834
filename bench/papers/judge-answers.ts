import { defineAgent } from '../../src/agent.ts';
import type { Check, Evaluator } from '../../src/checks/check.ts';
import { check } from '../../src/checks/checks.ts';
import { direct } from '../../src/solver/direct.ts';
import { verification } from '../../src/solver/verification/verification.ts';
import { inParallel, type Tally } from './part.ts';
import { recordedModel } from './recorded-model.ts';

/** What was answered to a task, and who judges it. The same task has the same evaluator. */
export interface RecordedAnswer {
  /** Of the run; unique within one call. */
  id: string;
  task: string;
  answer: string;
  evaluator: Evaluator;
}

/** Gives each answer in a run of its own, in which its evaluator is a check. The ids of the answers that passed it. */
export async function judgeAnswers(
  answers: readonly RecordedAnswer[],
  tally: Tally,
  width: number,
): Promise<Set<string>> {
  const byId = new Map(answers.map((answer) => [answer.id, answer]));
  const agent = defineAgent({
    name: 'answers',
    model: recordedModel('recorded answers', ({ run }) =>
      JSON.stringify({ answer: byId.get(run)?.answer, claims: [] }),
    ),
    solver: direct(),
    layers: [verification({ checks: [evaluation(answers)], verifier: false, refine: { rounds: 0 } })],
    sinks: [tally.sink],
  });
  const results = await inParallel(answers, width, async ({ id, task }) => {
    const result = await agent.run(task, { runId: id });
    // An evaluator that broke, for want of a sandbox perhaps, has judged nothing.
    if (['error', 'unchecked'].includes(result.reason.code)) throw new Error(`${id}: ${result.reason.detail}`);
    return result;
  });
  await agent.close();
  tally.add(...results);
  return new Set(results.filter(({ status }) => status === 'completed').map(({ runId }) => runId));
}

function evaluation(answers: readonly RecordedAnswer[]): Check {
  const evaluators = new Map(answers.map(({ task, evaluator }) => [task, evaluator]));
  return check('evaluation', async (attempt, task, context) => {
    const evaluated = await evaluators.get(task.input)?.evaluate(attempt, task, context);
    if (evaluated?.pass) return [];
    const detail = evaluated?.feedback ?? 'no evaluator knows the task';
    return [{ type: 'failed_check', detail, requiredAction: 'mend the answer' }];
  });
}
