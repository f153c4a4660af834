import { resolve } from 'node:path';
import type { AgentOptions } from '../../agent.ts';
import { UsageError } from '../../core/errors.ts';
import type { ExportOptions, ExportSummary } from '../../evals/export/export-data.ts';
import type { ExportRun } from '../../evals/export/export-run.ts';
import type { RecordedSetting } from '../../evals/export/read-runs.ts';
import { dropReasons } from '../../evals/export/select-runs.ts';
import { agentFor } from '../build-agent.ts';
import { type Command, type CommandContext, numberOption, printJson, switchOption, textOption } from '../command.ts';
import { findEvaluation } from '../eval/find-evaluation.ts';
import { suiteAgents } from '../eval/suite-agents.ts';
import { exitCodes } from '../exit-codes.ts';
import { count, plural } from '../numbers.ts';
import { storedSettings } from '../stored-settings.ts';

type Format = ExportSummary['kind'];
const shapes: Record<Format, readonly string[]> = {
  coh: [],
  sft: ['openai', 'trl', 'trl-completion'],
  dpo: ['trl', 'trl-text', 'openai'],
};

/** `assay export coh|sft|dpo [RESULT]`: training data from runs whose outcome something other than the model checked. */
export const command: Command = async (context) => {
  // The option table lets these words through only.
  const format = context.args[0] as Format;
  const shape = textOption(context, 'shape');
  if (shape !== undefined && !shapes[format].includes(shape))
    throw new UsageError(
      `${format} has no shape '${shape}'. It has: ${shapes[format].join(', ') || 'one of its own'}.`,
    );
  const { runs, source } = await runsFor(context);
  const summary = await exported(format, runs, { context, source, shape });
  if (context.json) printJson(context, summary);
  else tell(summary, context);
  return exitCodes.completed;
};

async function exported(
  format: Format,
  runs: AsyncIterable<ExportRun>,
  { context, source, shape }: { context: CommandContext; source: string; shape: string | undefined },
): Promise<ExportSummary> {
  const { exportCoh, exportDpo, exportSft } = await import('../../evals/export/export-data.ts');
  const options: ExportOptions = {
    folder: resolve(textOption(context, 'out') ?? 'training-data'),
    source,
    validation: numberOption(context, 'validation'),
    allowModelJudged: switchOption(context, 'allowModelJudged'),
    includeSimulated: switchOption(context, 'includeSimulated'),
    allowTestSets: switchOption(context, 'allowTestSets'),
  };
  switch (format) {
    case 'sft':
      // `shapes` lets those of the format through only.
      return exportSft(runs, { ...options, shape: shape as 'openai' | 'trl' | 'trl-completion' | undefined });
    case 'dpo':
      return exportDpo(runs, { ...options, shape: shape as 'openai' | 'trl' | 'trl-text' | undefined });
    case 'coh':
      return exportCoh(runs, { ...options, order: textOption(context, 'order') as 'worst-first' | undefined });
    default:
      return format satisfies never;
  }
}

async function runsFor(context: CommandContext): Promise<{ runs: AsyncIterable<ExportRun>; source: string }> {
  const { home } = context;
  const { readExportRuns } = await import('../../evals/export/read-runs.ts');
  if (context.args[1] === 'runs') {
    const agentOf = async ({ runId, input }: RecordedSetting): Promise<AgentOptions | undefined> => {
      if (input.settings === undefined) return undefined;
      const { agent, store } = await agentFor(storedSettings(runId, input), { home });
      await store?.close();
      return agent;
    };
    return { runs: readExportRuns(home.folder, { agentOf }), source: `the runs in ${home.folder}` };
  }
  const { header, folder } = findEvaluation(home, context.args[1] ?? 'last');
  const suite = textOption(context, 'suite');
  const agentOf = suite === undefined ? undefined : await suiteAgents(suite, header, context);
  return {
    runs: readExportRuns(folder, agentOf ? { agentOf } : {}),
    source: `the evaluation ${header.suite}/${header.id}`,
  };
}

function tell(summary: ExportSummary, { screen }: CommandContext): void {
  const { files, runs, used, rebuilt, modelJudged, dropped, card } = summary;
  for (const { path, rows } of files) screen.out(`${path}: ${plural(rows, 'row')}`);
  screen.out(`${card}: where they come from`);
  screen.note(`${count(used)} of ${plural(runs, 'run')} used; ${count(rebuilt)} rows with the whole conversation.`);
  if (modelJudged > 0) screen.note(`${plural(modelJudged, 'row')} judged by a model only, and marked.`);
  for (const [reason, times] of Object.entries(dropped))
    screen.note(`left out ${count(times)}: ${dropReasons[reason as keyof typeof dropReasons]}`);
}
