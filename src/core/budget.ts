/**
 * One hierarchical budget bounds every loop (invariant 2).
 *
 * 1. `reserve` is called inside the journaled step, so that a refusal is a recorded value: what other branches had spent
 *    at that moment is timing, and a replay must not decide again.
 * 2. `settle` is called after the step with the usage in its result, live or replayed: the ledger is a fold over the journal.
 * 3. A child draws on every ancestor and keeps a slice of its own for one last answer.
 * 4. Time is the union of the spans in which some step ran: waiting for a human and being down cost nothing.
 */
import { UsageError } from './errors.ts';
import { addUsage, noUsage, type Usage } from './usage.ts';

/** Upper bounds; a missing one does not bound. `ms` is active wall time. */
export interface Limits {
  modelCalls?: number | undefined;
  toolCalls?: number | undefined;
  tokens?: number | undefined;
  usd?: number | undefined;
  ms?: number | undefined;
}

export type BudgetLimit = keyof Limits;

/** What a step expects to cost. */
export type Cost = { [kind in Exclude<BudgetLimit, 'ms'>]?: number };

/** A reservation, to be settled once. */
export interface Hold {
  cost: Cost;
}

/** When a step ran, in milliseconds since the epoch. */
export interface Span {
  from: number;
  to: number;
}

/** Limits of a run that names none: every run is bounded. */
export const defaultLimits: Limits = { modelCalls: 60, toolCalls: 80, tokens: 200_000, ms: 300_000 };

/**
 * The limits as a run keeps them: as JSON, which knows no Infinity (it is left out: no limit) and no NaN. Throws `UsageError` for NaN and
 * for what is negative.
 */
export function checkedLimits(limits: Limits): Limits {
  const entries = Object.entries(limits).filter(([, limit]) => limit !== Number.POSITIVE_INFINITY);
  for (const [name, limit] of entries) {
    if (limit === undefined || limit >= 0) continue;
    throw new UsageError(
      `The limit ${name} is ${limit}. Give a number that is not negative, or undefined for no limit.`,
    );
  }
  return Object.fromEntries(entries);
}

const counted = ['modelCalls', 'toolCalls', 'tokens', 'usd'] as const;
const keptShare = 0.1;

/** The part of a limit that only a last answer may use. Tools get none: a last answer calls no tool. */
function kept(kind: BudgetLimit, limit: number): number {
  if (kind === 'toolCalls') return 0;
  if (kind === 'modelCalls') return limit > 1 ? Math.ceil(limit * keptShare) : 0;
  return limit * keptShare;
}

export class Budget {
  readonly limits: Limits;
  readonly #parent: Budget | undefined;
  readonly #held: Record<(typeof counted)[number], number> = { modelCalls: 0, toolCalls: 0, tokens: 0, usd: 0 };
  #spent: Usage = noUsage;
  #activeMs = 0;
  #lastEnd = 0;

  constructor(limits: Limits, parent?: Budget) {
    this.limits = limits;
    this.#parent = parent;
  }

  /** What was settled so far, children included. */
  get spent(): Usage {
    return this.#spent;
  }

  /** Milliseconds in which at least one step ran. */
  get activeMs(): number {
    return this.#activeMs;
  }

  child(limits: Limits = {}): Budget {
    return new Budget(limits, this);
  }

  /** A hold on the cost, or the name of the first limit it would cross, here or in an ancestor. */
  reserve(cost: Cost, options: { lastAnswer?: boolean } = {}): Hold | BudgetLimit {
    for (let budget: Budget | undefined = this; budget; budget = budget.#parent) {
      const crossed = budget.#crossed(cost, options.lastAnswer ?? false);
      if (crossed) return crossed;
    }
    this.#hold(cost, 1);
    return { cost };
  }

  /** Replaces the hold by what was really used. Without a hold (replay) only the usage is added. */
  settle(hold: Hold | undefined, usage: Usage, span?: Span): void {
    if (hold) this.#hold(hold.cost, -1);
    for (let budget: Budget | undefined = this; budget; budget = budget.#parent) {
      budget.#spent = addUsage(budget.#spent, usage);
      if (span) budget.#pass(span);
    }
  }

  /** Milliseconds of active time left here and in every ancestor; Infinity when unbounded. */
  remainingMs(options: { lastAnswer?: boolean } = {}): number {
    let least = Number.POSITIVE_INFINITY;
    for (let budget: Budget | undefined = this; budget; budget = budget.#parent) {
      const limit = budget.limits.ms;
      if (limit === undefined) continue;
      const usable = options.lastAnswer ? limit : limit - kept('ms', limit);
      least = Math.min(least, usable - budget.#activeMs);
    }
    return least;
  }

  #crossed(cost: Cost, lastAnswer: boolean): BudgetLimit | undefined {
    for (const kind of counted) {
      const limit = this.limits[kind];
      const more = cost[kind] ?? 0;
      if (limit === undefined || more === 0) continue;
      const usable = lastAnswer ? limit : limit - kept(kind, limit);
      if (this.#spent[kind] + this.#held[kind] + more > usable) return kind;
    }
    const limit = this.limits.ms;
    if (limit !== undefined && this.#activeMs >= (lastAnswer ? limit : limit - kept('ms', limit))) return 'ms';
    return undefined;
  }

  #hold(cost: Cost, sign: 1 | -1): void {
    for (let budget: Budget | undefined = this; budget; budget = budget.#parent) {
      for (const kind of counted) budget.#held[kind] += sign * (cost[kind] ?? 0);
    }
  }

  #pass(span: Span): void {
    this.#activeMs += Math.max(0, span.to - Math.max(span.from, this.#lastEnd));
    this.#lastEnd = Math.max(this.#lastEnd, span.to);
  }
}
