/** What is fixed before an evaluation, as data and as a fingerprint. */
import { hash } from 'node:crypto';
import type { AgentOptions } from '../../agent.ts';
import { canonicalJson, type Json } from '../../core/json.ts';
import { isLanguageModel, sourceOf } from '../../model/capability.ts';
import { modelsBehind } from '../../model/fallback.ts';
import { roles } from '../../model/model.ts';
import { modelRoles } from '../../model/roles.ts';
import { react } from '../../solver/react/react.ts';
import type { ConfigurationSummary, ModelSummary } from '../evaluation.ts';
import type { Grader } from '../grader.ts';
import type { Configuration, EvalTask, RunSetting, Suite } from '../suite.ts';

/** Settings of the agent for one run. */
export function agentOptions(configuration: Configuration, setting: RunSetting): AgentOptions {
  const { agent } = configuration;
  return typeof agent === 'function' ? agent(setting) : agent;
}

const toolless: ReadonlySet<string> = new Set(['direct', 'chain-of-thought']);

/** Whether a configuration reads the context in its prompt: where it was not said, those that have no tool to look it up with. */
export function isOpenBook(configuration: Configuration, options: AgentOptions, hasEnvironment: boolean): boolean {
  if (configuration.openBook !== undefined) return configuration.openBook;
  if (options.solver && toolless.has(options.solver.name)) return true;
  return !hasEnvironment && (options.tools ?? []).flat().length === 0;
}

/** The models of an agent by role, with those that stand in for them; a role that has the actor's is left out. */
export async function modelsOf(options: AgentOptions): Promise<ModelSummary[]> {
  const models = modelRoles(options);
  await models.load();
  const actor = models.of('actor');
  return roles
    .filter((role) => role === 'actor' || models.of(role) !== actor)
    .map((role) => {
      const behind = modelsBehind(models.of(role));
      const sources = behind.map(sourceOf);
      // A stand-in for a model is told, whoever it stands behind.
      const [source = 'provider'] = [...sources.filter((one) => !isLanguageModel(one)), ...sources];
      return { role, id: behind.map(({ modelId }) => modelId).join(', then '), source };
    });
}

/** A configuration as a report prints it. */
export async function summaryOf(
  configuration: Configuration,
  options: AgentOptions,
  hasEnvironment: boolean,
): Promise<ConfigurationSummary> {
  return {
    name: configuration.name,
    solver: (options.solver ?? react()).name,
    layers: (options.layers ?? []).map(({ name }) => name),
    models: await modelsOf(options),
    openBook: isOpenBook(configuration, options, hasEnvironment),
  };
}

/** All that decides what a configuration does, as far as it is data. */
export async function settingsOf(
  configuration: Configuration,
  options: AgentOptions,
  hasEnvironment: boolean,
): Promise<Json> {
  const solver = options.solver ?? react();
  const settings = {
    ...(await summaryOf(configuration, options, hasEnvironment)),
    solver: { name: solver.name, config: solver.config },
    layers: (options.layers ?? []).map(({ name, config }) => ({ name, config })),
    tools: (options.tools ?? []).flat().map(({ name }) => name),
    budget: options.budget,
    policy: options.policy,
    temperature: options.temperature,
    sequential: configuration.sequential,
  };
  // Functions in a policy are dropped: they are no data.
  return JSON.parse(JSON.stringify(settings)) as Json;
}

/** The graders of all tasks, each once. */
export function gradersOf(suite: Suite, tasks: readonly EvalTask[]): Grader[] {
  const byText = new Map<string, Grader>();
  for (const task of tasks) {
    for (const grader of suite.graders(task)) {
      byText.set(canonicalJson([grader.name, grader.knows, grader.config]), grader);
    }
  }
  return [...byText.values()];
}

/** The same text for evaluations that would do the same. */
export function fingerprintOf(fixed: {
  suite: Suite;
  tasksHash: string;
  graders: readonly Grader[];
  settings: readonly Json[];
  repeats: number;
}): string {
  const { suite, tasksHash, graders, settings, repeats } = fixed;
  const fixedText = canonicalJson({
    suite: suite.name,
    tasksHash,
    graders: graders.map(({ name, knows, config }) => ({ name, knows, config })),
    settings,
    repeats,
    criteria: suite.criteria ?? {},
  });
  return hash('sha256', fixedText);
}
