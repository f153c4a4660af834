import type { Attempt } from '../core/attempt.ts';
import type { Brief } from '../core/brief.ts';
import type { Budget } from '../core/budget.ts';
import type { Json } from '../core/json.ts';
import type { AskedModel } from '../model/capability.ts';
import type { EmbeddingModel } from '../model/embedding.ts';
import type { ModelRun } from '../model/model.ts';
import { requireLocal } from '../model/only-local.ts';
import type { Durable, Settled } from '../runtime/durable.ts';
import type { ToolRun } from '../tools/execute.ts';
import type { Policy } from '../tools/policy/policy.ts';

/**
 * Data in (`brief`), services beside it (`run`), data out. A solver throws only for cancellation, nondeterminism and bugs;
 * a limit or a model's failure is an `Attempt` that says so.
 */
export type Solver = (brief: Brief, run: Run) => Promise<Attempt>;

/** A solver with the name and settings that a report prints. */
export interface NamedSolver {
  readonly name: string;
  readonly config: Json;
  /** What is odd about its configuration, for the user. */
  readonly warnings?: readonly string[];
  readonly solve: Solver;
}

/**
 * Adds a mechanism around a solver. Each layer says in one sentence what it does with `brief.revise`: it continues the inner
 * attempt and never starts afresh.
 */
export interface Layer {
  readonly name: string;
  readonly config: Json;
  /** What is odd about its configuration, for the user. */
  readonly warnings?: readonly string[];
  /** Models of its own, beside those of the run. */
  readonly asks?: readonly AskedModel[];
  /** Where it belongs from the outside in; `compose` warns when a list breaks the order. */
  readonly place: 'information' | 'reflection' | 'sampling' | 'checking' | 'planning';
  wrap(inner: Solver): Solver;
}

/** The services of a run. Immutable: `scope`, `parallel` and `with` give another one. */
export interface Run extends ModelRun, ToolRun {
  readonly durable: Durable;
  /** The policy the run began with. */
  readonly policy: Policy;
  /** For memories without one of their own. */
  readonly embedder?: EmbeddingModel | undefined;
  /** Fences untrusted text in prompts: derived from the seed, so that content cannot know it and a fork repeats it. */
  readonly boundary: string;
  /** True inside samples and search branches: only tools with effect `read` run there, an effect must not happen k times. */
  readonly speculative: boolean;
  /** A human replaced an observation when the run was forked (`EditedObservation`): nothing is to be learnt from it. */
  readonly edited: boolean;
  /** Calls (by key) that a human rejected in this run, with the reason; a rejection sticks. */
  readonly rejections: Map<string, string>;
  /** The best there is so far. A run that is cancelled or breaks unwinds by throwing; this is what its Result shows. */
  keep(attempt: () => Attempt): void;
  /** The same run in a sequential sub-path. */
  scope(name: string): Run;
  with(change: RunChange): Run;
  parallel<T>(
    name: string,
    branches: readonly ((run: Run) => Promise<T>)[],
    options?: { concurrency?: number },
  ): Promise<Settled<T>[]>;
}

/** Gives the best attempt so far; made only when somebody asks, since it is replaced every turn. */
export interface Kept {
  attempt?: () => Attempt;
}

export interface RunChange {
  /** A place of its own for what is kept: an attempt that is only one of several must not replace the best of them. */
  kept?: Kept;
  budget?: Budget;
  temperature?: number;
  speculative?: boolean;
}

const order: readonly Layer['place'][] = ['information', 'reflection', 'sampling', 'checking', 'planning'];

const reasons: Record<Layer['place'], string> = {
  information: 'it tells the others what to know',
  reflection: 'it judges whole attempts, checks included',
  sampling: 'each sample is planned and the winner is checked',
  checking: 'it has to see the answer that the plan led to',
  planning: 'it hands the plan to the loop',
};

/** Throws `UsageError` for layers that ask a model of their own which is not on this machine. */
export function requireLocalLayers(layers: readonly Layer[]): void {
  for (const { name, asks = [] } of layers) for (const model of asks) requireLocal(model, `in the layer '${name}'`);
}

/** The layers around the solver, the first outermost. `warn` hears what is odd about them, and of an order that defeats one. */
export function compose(layers: readonly Layer[], solver: Solver, warn: (message: string) => void = () => {}): Solver {
  layers.forEach((layer, index) => {
    for (const warning of layer.warnings ?? []) warn(warning);
    const misplaced = layers.slice(index + 1).find((later) => order.indexOf(later.place) < order.indexOf(layer.place));
    if (misplaced) {
      warn(
        `layer '${misplaced.name}' stands inside '${layer.name}' but belongs outside of it: ${reasons[misplaced.place]}`,
      );
    }
  });
  return layers.reduceRight((inner, layer) => layer.wrap(inner), solver);
}
