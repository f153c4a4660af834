import type { Agent } from '../../agent.ts';
import type { Limits } from '../../core/budget.ts';
import { UsageError } from '../../core/errors.ts';
import type { Result } from '../../core/result.ts';
import type { RunInfo } from '../../runtime/durable.ts';
import { storedResult } from '../../stored-result.ts';
import { cleanLine } from '../clean.ts';
import type { Command, CommandContext } from '../command.ts';
import { type ExitCode, exitCodeOf } from '../exit-codes.ts';
import { findRun } from '../find-run.ts';
import { openArchive } from '../home.ts';
import { refuseWorkersOptions } from '../remote-agent.ts';
import { changedSettings, limitsFrom } from '../run-options.ts';
import { runSession, tellResult } from '../run-session.ts';
import type { Settings } from '../settings.ts';
import { keptSettings, settingsOf } from '../stored-settings.ts';
import { taskOf } from '../task-of.ts';
import { renderRow } from '../timeline.ts';

/** `assay resume RUN`: goes on after a crash, an interrupt, an approval or, with higher limits, after a limit. */
export const command: Command = async (context) => {
  refuseWorkersOptions(context, ['model', 'maxSteps']);
  const archive = await openArchive(context.home);
  const run = await findRun(archive.host, context.args[0] ?? '').finally(() => archive.close());
  const result = storedResult(run);
  if (result) return again(run, result, context);
  return goOn(run, context);
};

/** Goes on with a run that has not ended. */
export async function goOn(run: RunInfo, context: CommandContext): Promise<ExitCode> {
  const { screen } = context;
  const stored = settingsOf(run, context);
  const settings = { ...stored, ...changedSettings(context) };
  if (Object.keys(limitsFrom(context)).length > 0 || settings.maxSteps !== stored.maxSteps) {
    throw new UsageError(
      `The run ${run.id} has not ended, so it goes on under its own limits. Resume it without limits; if one stops it, give more then.`,
    );
  }
  screen.note(renderRow({ label: 'resumes', text: `${run.id}, from its journal`, tone: 'dim' }, screen));
  screen.note(renderRow({ label: 'task', text: cleanLine(taskOf(run).input), tone: 'bold' }, screen));
  const begin = (agent: Agent) => agent.resume(run.id);
  return runSession({ settings, workflow: run.workflow, resumes: run.id, begin }, context);
}

/** A run that ended: more of what stopped it makes a new run, else its Result is told again. */
async function again(run: RunInfo, result: Result, context: CommandContext): Promise<ExitCode> {
  const changes = changedSettings(context);
  const limits = limitsFrom(context);
  const wantsMore = changes.maxSteps !== undefined || Object.keys(limits).length > 0;
  if (!wantsMore) {
    tellResult(result, context);
    return exitCodeOf(result.status);
  }
  if (result.status !== 'stopped') {
    throw new UsageError(
      `The run ${run.id} was not stopped by a limit (it is ${result.status}), so there is nothing to extend. Start a new one with \`assay run\`.`,
    );
  }
  return extend(run, { settings: { ...settingsOf(run, context), ...changes }, limits }, context);
}

async function extend(
  run: RunInfo,
  more: { settings: Settings; limits: Limits },
  context: CommandContext,
): Promise<ExitCode> {
  const { screen } = context;
  const { settings, limits } = more;
  const runId = crypto.randomUUID();
  screen.note(renderRow({ label: 'goes on', text: `from ${run.id}, where it was stopped`, tone: 'dim' }, screen));
  const begin = (agent: Agent) => agent.extend(run.id, { runId, budget: limits, ...keptSettings(settings, context) });
  return runSession({ settings, workflow: run.workflow, begin }, context);
}
