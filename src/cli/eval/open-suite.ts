/** The suite that a command line names: a suite of its own, a public data set, or a file of tasks. */
import type { AgentOptions } from '../../agent.ts';
import { UsageError } from '../../core/errors.ts';
import type { Grader } from '../../evals/grader.ts';
import { defineSuite, type Suite } from '../../evals/suite.ts';
import { direct } from '../../solver/direct.ts';
import { planAndSolve } from '../../solver/plan-and-solve/plan-and-solve.ts';
import { verification } from '../../solver/verification/verification.ts';
import { calculator } from '../../tools/builtin/calculator/calculator.ts';
import { chooseModel } from '../choose-model.ts';
import { type CommandContext, textOption } from '../command.ts';
import { findConfig, loadConfig, resolveOwnName } from '../load-config.ts';
import { selectedTasks } from './selected-tasks.ts';

/** Throws `UsageError` for what is no suite. */
export async function openSuite(named: string, context: CommandContext): Promise<Suite> {
  resolveOwnName();
  return selectedTasks(await suiteNamed(named, context), context);
}

async function suiteNamed(named: string, context: CommandContext): Promise<Suite> {
  const set = /^([a-z][\w-]*):(.+)$/.exec(named);
  if (set?.[1] && set[2]) {
    const { suiteFromDataset } = await import('../../evals/tasks/datasets.ts');
    const agent = await agentFor(context);
    return suiteFromDataset(set[1], set[2], around(agent));
  }
  if (/\.(jsonl|ndjson|json|csv|ya?ml)$/.test(named)) {
    const { readTasks } = await import('../../evals/tasks/read-tasks.ts');
    const agent = await agentFor(context);
    const name = named.replace(/^.*[\\/]/, '').replace(/\.\w+$/, '');
    const tasks = await readTasks(named);
    return defineSuite({ name, tasks, grade: await graderNamed(textOption(context, 'grader')), ...around(agent) });
  }
  const { loadSuite } = await import('../../evals/tasks/load-suite.ts');
  return loadSuite(named);
}

/** The configured agent beside a direct answer of its model, and what an ablation adds the mechanisms to. */
function around(agent: AgentOptions): Pick<Parameters<typeof defineSuite>[0], 'solvers' | 'ablation'> {
  return {
    solvers: { direct: { ...agent, solver: direct(), layers: [] }, agent },
    ablation: { agent },
  };
}

/** The agent of the config file, else the usual layers around the model that is found. */
async function agentFor(context: CommandContext): Promise<AgentOptions> {
  const file = findConfig(textOption(context, 'config'));
  const configured = file === undefined ? undefined : await loadConfig(file);
  const named = textOption(context, 'model');
  if (configured) return named === undefined ? configured : { ...configured, model: named };
  return {
    model: await chooseModel(named, context.screen),
    tools: [calculator()],
    layers: [verification(), planAndSolve()],
  };
}

async function graderNamed(name: string | undefined): Promise<Grader> {
  switch (name) {
    case 'numeric':
      return (await import('../../evals/graders/numeric.ts')).numeric();
    case 'choice':
      return (await import('../../evals/graders/choice.ts')).choice();
    case 'set':
      return (await import('../../evals/graders/set.ts')).set();
    case 'json':
      return (await import('../../evals/graders/json.ts')).json();
    case 'f1':
      return (await import('../../evals/graders/normalised.ts')).normalised({ metric: 'f1' });
    case undefined:
    case 'exact':
      return (await import('../../evals/graders/exact.ts')).exact();
    default:
      throw new UsageError(`There is no grader '${name}'. Choose from exact, numeric, choice, set, json, f1.`);
  }
}
