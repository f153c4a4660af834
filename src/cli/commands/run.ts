import type { Agent } from '../../agent.ts';
import { UsageError } from '../../core/errors.ts';
import { type Command, type CommandContext, listOption, textOption } from '../command.ts';
import { refuseWorkersOptions } from '../remote-agent.ts';
import { clientSettings, limitsFrom } from '../run-options.ts';
import { runSession } from '../run-session.ts';
import { settingsJson } from '../settings.ts';
import { renderRow } from '../timeline.ts';

/** `assay run TASK`: one task, shown live, answered with evidence. */
export const command: Command = async (context) => {
  refuseWorkersOptions(context, workersOptions);
  const { screen } = context;
  const input = await taskText(context);
  const settings = await clientSettings(context);
  if (settings.config !== undefined) screen.note(renderRow({ label: 'config', text: settings.config }, screen));
  const runId = textOption(context, 'runId') ?? crypto.randomUUID();
  const session = {
    settings,
    eventsFile: textOption(context, 'events'),
    begin: (agent: Agent) =>
      agent.run(
        { input, constraints: listOption(context, 'constraint') },
        { runId, budget: limitsFrom(context), settings: settingsJson(settings) },
      ),
  };
  return runSession(session, context);
};

/** What makes the agent. Of a config file only the name, the policy and the limits count for a run that a worker executes. */
const workersOptions = [
  'model',
  'fallback',
  'onlyLocal',
  'docs',
  'config',
  'solver',
  'layers',
  'maxSteps',
  'smallModel',
  'record',
];

async function taskText(context: CommandContext): Promise<string> {
  const [given = ''] = context.args;
  const task = given === '-' ? await standardInput() : given;
  if (task.trim() !== '') return task.trim();
  throw new UsageError(
    given === '-'
      ? 'The task is empty: nothing came on standard input. Pipe the task in, or write it after `run`.'
      : 'The task is empty. Say what the agent should do: assay run "What does our contract say about notice periods?" --docs ./docs',
  );
}

async function standardInput(): Promise<string> {
  const { text } = await import('node:stream/consumers');
  return text(process.stdin);
}
