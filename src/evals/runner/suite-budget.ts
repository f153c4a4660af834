/**
 * The budget of a whole evaluation, reserved ahead: a run begins only when the most it may take is still there, so that the evaluation
 * never spends more than its limit. What a run did not use comes back when it ends.
 */
import type { AgentOptions } from '../../agent.ts';
import { Budget, type Cost, defaultLimits, type Hold, type Limits } from '../../core/budget.ts';
import { UsageError } from '../../core/errors.ts';
import { noUsage, type Usage } from '../../core/usage.ts';
import { dearestRate, type Price } from '../../model/prices.ts';

const reserved = ['modelCalls', 'toolCalls', 'tokens', 'usd'] as const;

/** The most a run of this agent may cost, in the kinds that the evaluation limits. Throws `UsageError` where a run has no bound. */
export function worstCase(
  options: AgentOptions,
  limits: Limits,
  facts: { configuration: string; prices: readonly (Price | 'free' | undefined)[] },
): Cost {
  const own: Limits = { ...defaultLimits, ...options.budget };
  const cost: Cost = {};
  for (const kind of reserved) {
    if (limits[kind] === undefined) continue;
    const bound = own[kind] ?? (kind === 'usd' ? mostUsd(own.tokens, facts.prices) : undefined);
    if (bound === undefined) throw unbounded(kind, facts.configuration);
    cost[kind] = bound;
  }
  return cost;
}

/** All tokens at the highest price of any model. */
function mostUsd(tokens: number | undefined, prices: readonly (Price | 'free' | undefined)[]): number | undefined {
  if (prices.includes(undefined)) return undefined;
  const highest = Math.max(0, ...prices.map((price) => (typeof price === 'object' ? dearestRate(price) : 0)));
  if (highest === 0) return 0;
  return tokens === undefined ? undefined : (tokens * highest) / 1_000_000;
}

function unbounded(kind: string, configuration: string): UsageError {
  return new UsageError(
    `The evaluation is limited in ${kind}, and a run of the configuration '${configuration}' is not, so nothing can be reserved for it. ` +
      `Give its agent \`budget: { ${kind}: … }\`${kind === 'usd' ? ', or prices for its models and a limit in tokens' : ''}.`,
  );
}

/** Reservations of the runs of one evaluation. */
export class SuiteBudget {
  readonly limits: Limits;
  readonly #budget: Budget;
  #running = 0;
  #waiting: (() => void)[] = [];
  #over = false;

  constructor(limits: Limits = {}) {
    this.limits = limits;
    this.#budget = new Budget(limits);
  }

  get spent(): Usage {
    return this.#budget.spent;
  }

  /** Counts what an earlier part of the evaluation spent. */
  add(usage: Usage): void {
    this.#budget.settle(undefined, usage);
  }

  /** A hold, once there is room; or the name of the limit when there never will be. */
  async reserve(cost: Cost): Promise<Hold | string> {
    for (;;) {
      // Nothing is kept back here: each run keeps a slice of its own for a last answer.
      const held = this.#budget.reserve(cost, { lastAnswer: true });
      if (typeof held !== 'string') {
        this.#running += 1;
        return held;
      }
      if (this.#running === 0 || this.#over) return held;
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  /** Nothing waits any longer. */
  giveUp(): void {
    this.#over = true;
    for (const wake of this.#waiting.splice(0)) wake();
  }

  settle(hold: Hold | undefined, usage: Usage = noUsage): void {
    this.#budget.settle(hold, usage);
    if (hold) this.#running -= 1;
    for (const wake of this.#waiting.splice(0)) wake();
  }
}
