/** What one run may take, and what a token may take in a day. */
import type { Agent } from '../agent.ts';
import { type BudgetLimit, defaultLimits, type Limits } from '../core/budget.ts';
import type { RunIndex, RunRow, Spent } from '../runtime/run-index.ts';
import { Problem } from './problem.ts';
import type { Principal } from './tokens.ts';

const dayMs = 86_400_000;
const daily = ['tokens', 'usd'] as const;

/**
 * The limits of a run: what was asked for, else the lesser of the agent's and the token's. Throws a `Problem` when more is asked for than
 * the token allows; a token that names no limit allows any.
 */
export function budgetFor(principal: Principal, agent: Agent, asked: Limits = {}): Limits {
  const own: Limits = { ...defaultLimits, ...agent.options.budget };
  const allowed = principal.budget ?? {};
  const kinds: readonly BudgetLimit[] = ['modelCalls', 'toolCalls', 'tokens', 'usd', 'ms'];
  return Object.fromEntries(
    kinds.map((kind) => {
      const most = allowed[kind];
      const wanted = asked[kind];
      if (wanted !== undefined && most !== undefined && wanted > most) throw tooMuch(kind, wanted, most);
      return [kind, wanted ?? least(own[kind], allowed[kind])];
    }),
  );
}

/** A part of a day's budget that a run may use. */
export interface Reservation {
  limits: Limits;
  /** Puts the row of the begun run in its place. */
  settle(row: RunRow): Promise<void>;
  /** Gives it back, unless a row is in its place. */
  cancel(): void;
}

/** Day budgets by principal. What a begun run may still take counts as taken until it has ended. */
export class DailyBudgets {
  readonly #index: RunIndex;
  readonly #held = new Map<string, Spent>();
  readonly #turns = new Map<string, Promise<unknown>>();

  constructor(index: RunIndex) {
    this.#index = index;
  }

  /** Throws a `Problem` (429) when the run could take more than is left of the day. */
  async reserve(principal: Principal, limits: Limits): Promise<Reservation> {
    if (!principal.daily) {
      return { limits, settle: async (row) => this.#index.put(row), cancel: () => undefined };
    }
    const { id } = principal;
    return this.#inTurn(id, async () => {
      const bounded = await this.#bounded(principal, limits);
      const amount = { runs: 1, tokens: bounded.tokens ?? 0, usd: bounded.usd ?? 0 };
      this.#hold(id, amount, 1);
      let held = true;
      const giveBack = (): void => {
        if (held) this.#hold(id, amount, -1);
        held = false;
      };
      return {
        limits: bounded,
        settle: (row) =>
          this.#inTurn(id, async () => {
            await this.#index.put(row);
            giveBack();
          }),
        cancel: giveBack,
      };
    });
  }

  async #bounded(principal: Principal, limits: Limits): Promise<Limits> {
    const now = Date.now();
    const budget = principal.daily ?? {};
    const spent = await this.#index.spent(principal.id, now - (now % dayMs));
    const held = this.#held.get(principal.id) ?? { runs: 0, tokens: 0, usd: 0 };
    if (budget.runs !== undefined && spent.runs + held.runs >= budget.runs) {
      throw usedUp(`the ${budget.runs} runs of this token for today are used`, now);
    }
    const bounded = { ...limits };
    for (const kind of daily) {
      const most = budget[kind];
      if (most === undefined) continue;
      const left = Math.max(0, most - spent[kind] - held[kind]);
      const wanted = limits[kind];
      if (left <= 0 || (wanted !== undefined && wanted > left)) {
        throw usedUp(
          `this run may take ${wanted ?? 'any amount of'} ${kind}, and of today's ${most} only ${left} are left`,
          now,
        );
      }
      bounded[kind] = wanted ?? left;
    }
    return bounded;
  }

  #hold(id: string, { runs, tokens, usd }: Spent, sign: 1 | -1): void {
    const before = this.#held.get(id) ?? { runs: 0, tokens: 0, usd: 0 };
    const after = {
      runs: before.runs + sign * runs,
      tokens: before.tokens + sign * tokens,
      usd: before.usd + sign * usd,
    };
    if (after.runs <= 0) this.#held.delete(id);
    else this.#held.set(id, after);
  }

  /** One at a time for each principal: what is counted and what is held must not be seen in between. */
  async #inTurn<T>(id: string, work: () => Promise<T>): Promise<T> {
    const before = this.#turns.get(id) ?? Promise.resolve();
    const mine = before.then(work, work);
    const quiet = mine.catch(() => undefined);
    this.#turns.set(id, quiet);
    void quiet.then(() => {
      if (this.#turns.get(id) === quiet) this.#turns.delete(id);
    });
    return mine;
  }
}

function least(a: number | undefined, b: number | undefined): number | undefined {
  if (a === undefined) return b;
  return b === undefined ? a : Math.min(a, b);
}

function tooMuch(kind: BudgetLimit, wanted: number, most: number): Problem {
  return new Problem({
    status: 422,
    code: 'over-budget',
    title: 'The budget is more than the token allows',
    detail: `The request asks for ${wanted} ${kind}; this token allows ${most} for one run.`,
    remedy: `Ask for at most ${most} ${kind}, or use a token that allows more.`,
    errors: [{ pointer: `/budget/${kind}`, detail: `at most ${most}` }],
  });
}

function usedUp(why: string, now: number): Problem {
  return new Problem({
    status: 429,
    code: 'daily-budget',
    title: "The token's budget for today is used",
    detail: `The run was not started: ${why}.`,
    remedy: 'Name a smaller budget, wait until live runs have ended, or wait for the next day (UTC).',
    retryAfter: (dayMs - (now % dayMs)) / 1_000,
  });
}
