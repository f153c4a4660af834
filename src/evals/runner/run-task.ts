import type { EvaluatingRun } from '../../checks/evaluators.ts';
import { messageOf, UsageError } from '../../core/errors.ts';
import type { RunEvent } from '../../core/event.ts';
import type { Result } from '../../core/result.ts';
import { addUsage, noUsage, type Usage } from '../../core/usage.ts';
import type { EvalRecord } from '../evaluation.ts';
import { type Grade, gradeAll } from '../grader.ts';
import { beginRun, type Job, type Setting } from './begin-run.ts';
import { agentOptions } from './describe.ts';
import { gradingRun } from './grading-run.ts';
import { brokenRecord, notRun, recordOf } from './record.ts';
import type { Scene } from './scene.ts';
import { worstCase } from './suite-budget.ts';
import { versionsOf } from './versions.ts';

/**
 * Does a job: reserves its cost, runs the task in an environment of its own, grades what came of it. Rejects only for what ends the whole
 * evaluation: a suite that cannot be, or an abort.
 */
export async function runTask(job: Job, scene: Scene, signal: AbortSignal): Promise<EvalRecord> {
  const { configuration, task, repeat } = job;
  const options = agentOptions(configuration, scene.setting(configuration, task, repeat));
  scene.share(options);
  const prices = (await scene.models(options)).all().map(scene.priceWith(options));
  const cost = worstCase(options, scene.budget.limits, { configuration: configuration.name, prices });
  const hold = await scene.budget.reserve(cost);
  if (typeof hold === 'string') return notRun(job, `the evaluation's limit in ${hold} has no room for it`);
  let bought: Usage = noUsage;
  try {
    signal.throwIfAborted();
    const environment = (await scene.suite.environment?.(task)) ?? {};
    try {
      const record = await runIn({ ...job, scene, options, environment }, signal);
      bought = addUsage(record.bought, record.judging ?? noUsage);
      return record;
    } finally {
      await environment.close?.();
    }
  } finally {
    scene.budget.settle(hold, bought);
  }
}

async function runIn(setting: Setting, signal: AbortSignal): Promise<EvalRecord> {
  const { scene, task } = setting;
  const { runId, handle, meter } = await beginRun(setting);
  const events: RunEvent[] = [];
  let result: Result;
  try {
    for await (const event of handle) events.push(event);
    result = await handle;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof UsageError) throw error;
    return brokenRecord(setting, runId, messageOf(error));
  }
  // Nobody answers here, and a run that waits would be taken up again.
  if (result.status === 'awaiting_approval') await handle.cancel();
  // A run that had ended before the kill tells nothing anew.
  const told = events.length > 0 ? events : scene.events.read(runId);
  try {
    const graders = scene.suite.graders(task);
    const grading = gradingRun(runId);
    const grade = await gradeOf(setting, result, grading);
    const versions = await versionsOf(told, { task, attempt: result.attempt, graders });
    const record = recordOf(setting, { runId, result, events: told, grade, versions, meter });
    const judging = grading.budget.spent;
    return judging.modelCalls > 0 ? { ...record, judging } : record;
  } catch (error) {
    if (error instanceof UsageError) throw error;
    return brokenRecord(setting, runId, `the grader failed: ${messageOf(error)}`, result.usage);
  }
}

async function gradeOf({ scene, task, environment }: Setting, result: Result, run: EvaluatingRun): Promise<Grade> {
  const { answer, attempt } = result;
  const state = await environment.state?.();
  return gradeAll(scene.suite.graders(task), { task, answer, attempt, state }, run);
}
