import { UsageError } from '../../core/errors.ts';
import { failedRuns } from '../../evals/failed-runs.ts';
import type { FailedRun } from '../../evals/triage/failed-run.ts';
import { triageAll } from '../../evals/triage/triage.ts';
import { triageText } from '../../evals/triage/triage-text.ts';
import { resolveModel } from '../../model/resolve.ts';
import { cleanText } from '../clean.ts';
import { type Command, type CommandContext, printJson, switchOption, textOption } from '../command.ts';
import { findEvaluation } from '../eval/find-evaluation.ts';
import { exitCodes } from '../exit-codes.ts';

/** `assay triage RESULT` or `--file FAILURES`: the layer each failure comes from, with its evidence and the mechanism to add. */
export const command: Command = async (context) => {
  const failures = await failuresFor(context);
  const named = textOption(context, 'model');
  const model = named === undefined ? undefined : await resolveModel(named);
  const summary = await triageAll(failures, { model });
  if (context.json) printJson(context, summary);
  else context.screen.out(cleanText(triageText(summary)));
  return exitCodes.completed;
};

async function failuresFor(context: CommandContext): Promise<FailedRun[]> {
  const [named] = context.args;
  const file = textOption(context, 'file');
  if (file !== undefined && named !== undefined)
    throw new UsageError(`Name an evaluation or a file of failures, not both ('${named}' and '${file}').`);
  if (file !== undefined) {
    const { readFailures } = await import('../../evals/triage/read-failures.ts');
    return readFailures(file);
  }
  const evaluation = findEvaluation(context.home, named ?? 'last');
  const { configurations, subject } = evaluation.header;
  const wanted = textOption(context, 'configuration') ?? subject;
  if (switchOption(context, 'all')) return failedRuns(evaluation);
  if (!configurations.some(({ name }) => name === wanted)) {
    const known = configurations.map(({ name }) => name).join(', ');
    throw new UsageError(`The evaluation has no configuration '${wanted}'. It has: ${known}.`);
  }
  context.screen.note(`${evaluation.header.suite}/${evaluation.header.id}, failures of ${wanted}`);
  return failedRuns(evaluation, ({ configuration }) => configuration === wanted);
}
