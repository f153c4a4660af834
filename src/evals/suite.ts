/**
 * What is evaluated: tasks, how they are graded, and the configurations that are compared.
 *
 * 1. `expected` and `kind` never reach an agent: it gets the input, the constraints and the schema.
 * 2. Criteria and graders are fixed before a run: they are part of the evaluation's fingerprint, and so is the hash of the tasks.
 */
import type { AgentOptions } from '../agent.ts';
import type { Evaluator } from '../checks/check.ts';
import type { Limits } from '../core/budget.ts';
import { UsageError } from '../core/errors.ts';
import type { Json, JsonSchema } from '../core/json.ts';
import type { ProviderLimit } from '../model/rate-limit.ts';
import type { PlanOptions } from '../solver/plan-and-solve/plan-and-solve.ts';
import type { ReflexionOptions } from '../solver/reflexion/reflexion.ts';
import type { SelfConsistencyOptions } from '../solver/self-consistency/self-consistency.ts';
import type { VerificationOptions } from '../solver/verification/verification.ts';
import type { Tool } from '../tools/tool.ts';
import type { Grader } from './grader.ts';

/** A task of a suite. */
export interface EvalTask {
  /** Unique in its suite. */
  id: string;
  input: string;
  constraints?: readonly string[];
  outputSchema?: JsonSchema;
  /** Checks by name that the agent runs on this task. */
  checks?: readonly string[];
  /** What the grader compares with; no agent sees it. */
  expected?: Json;
  /** Groups tasks in a report, such as `numeric` or `refund`. */
  kind?: string;
  /** The material of the task: a solver without tools gets it in its prompt, `environment` may make tools of it. */
  context?: Json;
}

/** What a run of one task is made in: its own tools and the state they change. */
export interface Environment {
  /** Added to the tools of the configuration. */
  tools?: readonly (Tool | readonly Tool[])[];
  /** The state after the run, for graders that read it. A run whose environment has one is started anew after a kill, not resumed. */
  state?(): Json | Promise<Json>;
  close?(): void | Promise<void>;
}

/** What a configuration may depend on. */
export interface RunSetting {
  task: EvalTask;
  /** Counted from 1. */
  repeat: number;
  /** A folder of this configuration and repeat, for what its runs share, such as lessons. It exists. */
  folder: string;
}

export type AgentFactory = AgentOptions | ((setting: RunSetting) => AgentOptions);

/** A way to solve the tasks. */
export interface Configuration {
  name: string;
  agent: AgentFactory;
  /** Puts the task's context into the prompt. Default: only where the configuration has no tools. */
  openBook?: boolean;
  /** Runs the tasks in order, one after the other, since later ones rest on earlier ones, as with lessons. Default false. */
  sequential?: boolean;
  /** Called once when its last run is over, for what its runs share. */
  close?(): void | Promise<void>;
}

/** What `--ablate` builds its ladder from: one agent without layers, and what each mechanism is given when it is added. */
export interface AblationOptions {
  /** Model, tools, budget and policy; its layers and its solver are not used. */
  agent: AgentFactory;
  plan?: PlanOptions;
  verification?: Omit<VerificationOptions, 'refine'>;
  /** Revisions at most when refinement is on. Default 2. */
  rounds?: number;
  /** Without it the rung reflexion is left out: a judge has to know more than the actor. */
  evaluator?: (task: EvalTask) => Evaluator;
  reflexion?: Omit<ReflexionOptions, 'evaluator'>;
  selfConsistency?: SelfConsistencyOptions;
  /** False leaves the lessons out. Default true. */
  lessons?: boolean;
}

/** What has to hold for the evaluation to pass; fixed before it runs. Shares are 0 to 1. */
export interface Criteria {
  /** Least success rate of the configuration under test. */
  minSuccess?: number;
  /** Most USD a success may cost. */
  maxUsdPerSuccess?: number;
  /** Most 95th percentile of the latency in milliseconds. */
  maxP95Ms?: number;
  /** Most share of answers that are wrong and not flagged. */
  maxSilentFailures?: number;
}

export interface SuiteOptions {
  name: string;
  /** A sentence for the report. */
  description?: string;
  tasks: readonly EvalTask[] | (() => Promise<readonly EvalTask[]> | readonly EvalTask[]);
  /** One grader, several that all have to pass, or one by the task. */
  grade: Grader | readonly Grader[] | ((task: EvalTask) => Grader | readonly Grader[]);
  /** Configurations by name; the first is the baseline unless `baseline` names another. */
  solvers?: Readonly<Record<string, AgentFactory | Omit<Configuration, 'name'>>>;
  baseline?: string;
  /** The configuration that the criteria are about. Default: the last. */
  subject?: string;
  ablation?: AblationOptions;
  environment?: (task: EvalTask) => Environment | Promise<Environment>;
  /** The task's context as text for a prompt. Default: a string as it is, anything else as JSON. */
  contextText?: (context: Json, task: EvalTask) => string;
  criteria?: Criteria;
  /** By provider or `provider:model`. */
  limits?: Readonly<Record<string, ProviderLimit>>;
  /** For the whole evaluation, reserved before each run. */
  budget?: Limits;
  /** Runs at once. Default 8. */
  concurrency?: number;
}

/** A checked suite. */
export interface Suite extends Omit<SuiteOptions, 'solvers' | 'tasks' | 'grade'> {
  tasks(): Promise<readonly EvalTask[]>;
  graders(task: EvalTask): readonly Grader[];
  configurations: readonly Configuration[];
}

const namePattern = /^[\p{L}\p{N}][\p{L}\p{N} ._+-]*$/u;

/** A suite from its options. Throws `UsageError` for one that cannot be run. */
export function defineSuite(options: SuiteOptions): Suite {
  const { tasks, grade, solvers = {}, ...rest } = options;
  checkName(options.name, 'suite');
  const configurations = Object.entries(solvers).map(([name, solver]): Configuration => {
    checkName(name, 'configuration');
    return isConfiguration(solver) ? { name, ...solver } : { name, agent: solver };
  });
  for (const named of [options.baseline, options.subject]) {
    if (named === undefined || configurations.some(({ name }) => name === named)) continue;
    const known = configurations.map(({ name }) => name).join(', ') || 'none';
    throw new UsageError(`The suite '${options.name}' has no configuration '${named}'. It has: ${known}.`);
  }
  if (configurations.length === 0 && !options.ablation)
    throw new UsageError(`The suite '${options.name}' names nothing to evaluate. Give it \`solvers\` or \`ablation\`.`);
  return {
    ...rest,
    configurations,
    tasks: async () => checkedTasks(typeof tasks === 'function' ? await tasks() : tasks, options.name),
    graders: (task) => [typeof grade === 'function' ? grade(task) : grade].flat(),
  };
}

function isConfiguration(solver: AgentFactory | Omit<Configuration, 'name'>): solver is Omit<Configuration, 'name'> {
  return typeof solver === 'object' && 'agent' in solver;
}

function checkName(name: string, what: string): void {
  if (namePattern.test(name)) return;
  throw new UsageError(
    `'${name}' cannot name a ${what}: it becomes a folder. Use letters, digits, spaces and . _ + - only.`,
  );
}

function checkedTasks(tasks: readonly EvalTask[], suite: string): readonly EvalTask[] {
  if (tasks.length === 0) throw new UsageError(`The suite '${suite}' has no tasks.`);
  const seen = new Set<string>();
  for (const { id, input } of tasks) {
    if (id === '' || input.trim() === '')
      throw new UsageError(`A task of the suite '${suite}' has no ${id === '' ? 'id' : `input (${id})`}.`);
    if (seen.has(id)) throw new UsageError(`Two tasks of the suite '${suite}' have the id '${id}'.`);
    seen.add(id);
  }
  return tasks;
}
