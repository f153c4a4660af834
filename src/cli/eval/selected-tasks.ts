import { UsageError } from '../../core/errors.ts';
import type { EvalTask, Suite } from '../../evals/suite.ts';
import { type CommandContext, numberOption, textOption } from '../command.ts';

/** The suite with the tasks, the configurations and the limits that the command line chooses. */
export function selectedTasks(suite: Suite, context: CommandContext): Suite {
  const limit = numberOption(context, 'limit');
  const kind = textOption(context, 'kind');
  const [usd, tokens] = [numberOption(context, 'budgetUsd'), numberOption(context, 'budgetTokens')];
  const names = textOption(context, 'solvers')
    ?.split(',')
    .map((name) => name.trim());
  return {
    ...suite,
    budget: { ...suite.budget, ...(usd !== undefined && { usd }), ...(tokens !== undefined && { tokens }) },
    configurations: names ? namedOnly(suite, names) : suite.configurations,
    tasks: async () => chosen(await suite.tasks(), { limit, kind, suite: suite.name }),
  };
}

function namedOnly({ name, configurations }: Suite, names: readonly string[]): Suite['configurations'] {
  return names.map((wanted) => {
    const found = configurations.find((one) => one.name === wanted);
    if (found) return found;
    const known = configurations.map((one) => one.name).join(', ') || 'none';
    throw new UsageError(`The suite '${name}' has no configuration '${wanted}'. It has: ${known}.`);
  });
}

function chosen(
  tasks: readonly EvalTask[],
  { limit, kind, suite }: { limit: number | undefined; kind: string | undefined; suite: string },
): readonly EvalTask[] {
  const fitting = kind === undefined ? tasks : tasks.filter((task) => task.kind === kind);
  if (fitting.length === 0) {
    const kinds = [...new Set(tasks.map((task) => task.kind ?? 'none'))].join(', ');
    throw new UsageError(`No task of the suite '${suite}' has the kind '${kind}'. The kinds are: ${kinds}.`);
  }
  return fitting.slice(0, limit);
}
