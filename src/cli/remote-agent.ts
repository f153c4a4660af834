/** The agent of a command whose runs the workers of an engine execute: it starts them, follows them and steers them. */
import type { LanguageModelV4 } from '@ai-sdk/provider';
import { Agent, type AgentOptions } from '../agent.ts';
import { StateError, UsageError } from '../core/errors.ts';
import { functionModel } from '../model/providers/function-model.ts';
import type { Workshop } from './build-agent.ts';
import type { CommandContext } from './command.ts';
import { openEvents, openHost, workersExecute } from './engine.ts';
import type { Home } from './home.ts';
import { loadConfig } from './load-config.ts';
import { policyFor } from './policy-for.ts';
import type { Settings } from './settings.ts';

const modelName = 'of a worker';

/** Stands for the model that a worker has. */
export function workersModel(): LanguageModelV4 {
  return functionModel(
    () => {
      throw new StateError('a worker executes this run, and its model is not here');
    },
    { name: modelName },
  );
}

/** Its price is known where it is asked: a limit in US dollars is the worker's to keep. */
export const workersPrices: NonNullable<AgentOptions['prices']> = {
  [modelName]: { inputPerMillion: 0, outputPerMillion: 0 },
};

/** Of the options only what a run begins with counts: the name in the engine, policy and limits. `workflow` is the name where it is known. */
export async function openRemote(
  settings: Pick<Settings, 'config' | 'allow'>,
  options: { home: Home; workflow?: string | undefined; onWarning(message: string): void },
): Promise<Workshop> {
  const { home, workflow, onWarning } = options;
  const configured = settings.config === undefined ? undefined : await loadConfig(settings.config);
  const name = workflow ?? configured?.name;
  const [host, events] = await Promise.all([openHost(home.engine, home.runs), openEvents(home.runs)]);
  const agent = new Agent({
    ...(name !== undefined && { name }),
    ...(configured?.budget && { budget: configured.budget }),
    model: workersModel(),
    prices: workersPrices,
    policy: policyFor(settings.allow, configured?.policy),
    host,
    onWarning,
  });
  return {
    agent,
    events,
    source: undefined,
    lessons: undefined,
    close: async () => {
      await agent.close();
      await events.close();
    },
  };
}

/** What a server does not say of the agent that workers have; its memory and its name it has to know. */
export const notOfClients: readonly string[] = [
  'model',
  'fallback',
  'onlyLocal',
  'docs',
  'solver',
  'maxSteps',
  'smallModel',
];

/** Throws `UsageError` for options that would change nothing, since the agent is a worker's. */
export function refuseWorkersOptions(context: CommandContext, names: readonly string[]): void {
  const given = workersExecute(context) ? names.filter((name) => context.options[name] !== undefined) : [];
  const flags = given.map((name) => `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`);
  if (flags.length === 0) return;
  throw new UsageError(
    `A worker of the engine executes the run, with an agent of its own, so ${flags.join(', ')} would change nothing here. Give ${flags.length > 1 ? 'them' : 'it'} to \`assay worker\`.`,
  );
}
