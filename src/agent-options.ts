/** What an agent and a run of it are made from. */
import { schemaProblems } from './checks/json-schema.ts';
import type { Observation } from './core/attempt.ts';
import type { Limits } from './core/budget.ts';
import { UsageError } from './core/errors.ts';
import type { Sink } from './core/event.ts';
import type { Json } from './core/json.ts';
import { Task } from './core/task.ts';
import type { SmallModel } from './model/model-size.ts';
import type { Price } from './model/prices.ts';
import type { ModelSetting, RoleSettings } from './model/roles.ts';
import type { DurableHost } from './runtime/durable.ts';
import type { Layer, NamedSolver } from './solver/solver.ts';
import type { PolicyOptions } from './tools/policy/policy.ts';
import type { Tool } from './tools/tool.ts';
import type { EventStore } from './trace/events.ts';

export interface AgentOptions {
  /** The workflow's name in the host. Default `assay`. */
  name?: string;
  /**
   * An id such as `openai:gpt-5-mini`, a model object, a function `(system, user) => Promise<string>`, or one of these per role. A list
   * names them in order: when one cannot serve (no access, not found, limited, overloaded, unreachable, each after its retries), the
   * next is asked and the event `model.fallback` says why; a request that is refused for what is in it ends the call. All have to take
   * tools if the first one does, and prompts are made for the first one's size.
   */
  model?: ModelSetting | RoleSettings | undefined;
  /** The same by role, in place of `model`: `{ planner, actor, verifier, refiner, reflector, judge, embedder }`, of which `actor` is needed. */
  models?: RoleSettings | undefined;
  /**
   * No model is asked that is not on this machine, in any role, as a fallback or as an embedder: `UsageError` when the agent loads its models.
   * Servers on loopback are taken at their word. Tools are not held back: one such as `fetchPage` or a search still sends what a model
   * writes into its arguments to where it goes. Default: the environment variable `ASSAY_ONLY_LOCAL`.
   */
  onlyLocal?: boolean | undefined;
  /** Tools, or lists of them as some factories give. */
  tools?: readonly (Tool | readonly Tool[])[];
  /** Default `react()`. */
  solver?: NamedSolver;
  /** Outermost first. Default none: the bare loop, whose answers count as not verified. */
  layers?: readonly Layer[];
  /** Merged over the default limits; a limit set to undefined does not bound. */
  budget?: Limits;
  /** Merged over the default policy: read allowed, write and irreversible ask. */
  policy?: PolicyOptions;
  /** Where runs live. Default: in memory. */
  host?: DurableHost;
  /** Consumers of the events of every run; they stay open until `close`. */
  sinks?: readonly Sink[];
  /**
   * Where the events of runs are that other processes execute, as with workers of an engine: handles here iterate those. Not for an agent
   * that executes its runs itself. Default: a handle has the events of what this process executes.
   */
  follow?: Pick<EventStore, 'subscribe'>;
  /** Prices in USD per million tokens for models the built-in list does not know or that cost you less, by model id. */
  prices?: Record<string, Price>;
  /** The calls go through the vendors' batch services, or are billed as if they did, so they cost what `Price.batch` says. Default false. */
  batch?: boolean | undefined;
  /** Texts that never leave the process, beside the secrets found in the environment. */
  secrets?: string[];
  temperature?: number;
  /**
   * Short prompts, one call a turn, replies held to a schema, and observations cut to what fits. `auto` (default): for models that are
   * small by their adapter, their context or their name (`modelSize`). Stored with a run, which keeps the mode it began with.
   */
  smallModel?: SmallModel;
  /** Called once with what is odd about the configuration. */
  onWarning?(message: string): void;
}

export interface RunOptions {
  /** Default: a new random id. */
  runId?: string;
  /** Cancels the run when aborted. */
  signal?: AbortSignal;
  /** Merged over the agent's budget for this run; it is stored with the run. */
  budget?: Limits;
  /** Stored with the run, for whoever has to build the same agent again before resuming it. */
  settings?: Json;
}

export interface ForkRunOptions extends RunOptions {
  /** The journal entry (`seq`) up to and including which the recorded run is repeated; 0 for none. */
  at: number;
  /** Default: the recorded run's. A recorded reply to other words parks the new run. */
  task?: TaskInput;
  /**
   * Goes on as if the tool call of the entry `at` had returned this. `id` is what the observation is called in the recorded run; the new
   * run is marked with it (`EditedObservation`).
   */
  observation?: { id: Observation['id']; content: string };
}

/** The task as the caller may write it: only `input` is needed. */
export type TaskInput = string | (Partial<Task> & { input: string });

/** The task as it is stored. Throws `UsageError` for one that cannot be worked on. */
export function parseTask(task: TaskInput): Task {
  const parsed = Task.safeParse(typeof task === 'string' ? { input: task } : task);
  if (parsed.success) {
    // A schema that cannot be used is found now, not after the answer is paid for.
    if (parsed.data.outputSchema) schemaProblems(null, parsed.data.outputSchema);
    return parsed.data;
  }
  throw new UsageError(parsed.error.issues.map((issue) => issue.message).join('; '));
}
