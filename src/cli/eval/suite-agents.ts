import type { AgentOptions } from '../../agent.ts';
import type { EvaluationHeader } from '../../evals/evaluation.ts';
import type { RecordedSetting } from '../../evals/export/read-runs.ts';
import type { Configuration } from '../../evals/suite.ts';
import type { CommandContext } from '../command.ts';
import { openSuite } from './open-suite.ts';

/** The agent that made a run of an evaluation, by the suite it came from. Undefined for a configuration the suite does not have any more. */
export async function suiteAgents(
  named: string,
  header: EvaluationHeader,
  context: CommandContext,
): Promise<(setting: RecordedSetting) => Promise<AgentOptions | undefined>> {
  const suite = await openSuite(named, context);
  const tasks = new Map((await suite.tasks()).map((task) => [task.id, task]));
  const configurations = new Map((await configurationsOf(suite, header)).map((one) => [one.name, one]));
  return async ({ configuration, task: id, repeat = 1 }) => {
    const task = id === undefined ? undefined : tasks.get(id);
    const agent = configuration === undefined ? undefined : configurations.get(configuration)?.agent;
    if (!(task && agent)) return undefined;
    const options = typeof agent === 'function' ? agent({ task, repeat, folder: context.home.folder }) : agent;
    const environment = await suite.environment?.(task);
    return { ...options, tools: [...(options.tools ?? []), ...(environment?.tools ?? [])] };
  };
}

async function configurationsOf(
  suite: Awaited<ReturnType<typeof openSuite>>,
  header: EvaluationHeader,
): Promise<readonly Configuration[]> {
  const known = new Set(suite.configurations.map(({ name }) => name));
  if (!suite.ablation || header.configurations.every(({ name }) => known.has(name))) return suite.configurations;
  const { ladder, leaveOneOut } = await import('../../evals/ablation/ladder.ts');
  return [...suite.configurations, ...ladder(suite.ablation), ...leaveOneOut(suite.ablation)];
}
