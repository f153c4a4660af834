import { Limiter } from '../../runtime/limiter.ts';
import {
  checkedLimits,
  type LimitedModel,
  limitKeys,
  type Passage,
  type ProviderLimit,
  type ProviderLimiter,
  type ProviderLimits,
} from '../rate-limit.ts';
import { awaitTurn } from './await-turn.ts';
import { type Amounts, givenBack, held, type Lane, newLane, nextTurn, untilTurn } from './lane.ts';

/** Limits that hold in this process. Throws `UsageError` for a limit under which no call would pass. */
export function inProcessLimits(limits: ProviderLimits): ProviderLimiter {
  return new RateLimiter(limits);
}

/** One limit and where its lane stands. */
interface Gate {
  readonly limit: ProviderLimit;
  lane: Lane;
}

/** What a call has got so far. */
interface Ticket {
  readonly releases: (() => void)[];
  readonly gates: Gate[];
}

/** The implementation of `inProcessLimits`. */
export class RateLimiter implements ProviderLimiter {
  readonly #places: Limiter;
  readonly #gates: Map<string, Gate> = new Map();

  constructor(limits: ProviderLimits = {}) {
    const places: Record<string, { concurrency: number }> = {};
    for (const [key, limit] of checkedLimits(limits)) {
      if (limit.concurrency !== undefined) places[key] = { concurrency: limit.concurrency };
      this.#gates.set(key, { limit, lane: newLane(performance.now()) });
    }
    this.#places = new Limiter(places);
  }

  limits(model: LimitedModel): boolean {
    return limitKeys(model).some((key) => this.#gates.has(key));
  }

  async enter(model: LimitedModel, assumedTokens: number, signal: AbortSignal): Promise<Passage> {
    const ticket: Ticket = { releases: [], gates: [] };
    try {
      for (const key of limitKeys(model)) await this.#pass(key, ticket, { assumedTokens, signal });
    } catch (error) {
      leave(ticket, { requests: 1, tokens: assumedTokens });
      throw error;
    }
    let inside = true;
    return {
      leave: (usedTokens) => {
        if (inside) leave(ticket, { requests: 0, tokens: assumedTokens - usedTokens });
        inside = false;
      },
      hold: (ms) => {
        const gate = ticket.gates.at(-1);
        const now = performance.now();
        if (gate) gate.lane = held(gate.lane, gate.limit, now + ms, now);
      },
    };
  }

  async #pass(
    key: string,
    ticket: Ticket,
    { assumedTokens, signal }: { assumedTokens: number; signal: AbortSignal },
  ): Promise<void> {
    const gate = this.#gates.get(key);
    if (!gate) return;
    ticket.releases.push(await this.#places.acquire(key, signal));
    signal.throwIfAborted();
    const { lane, turn } = nextTurn(gate.lane, gate.limit, assumedTokens, performance.now());
    gate.lane = lane;
    ticket.gates.push(gate);
    await awaitTurn(() => untilTurn(gate.lane, turn, performance.now()), signal);
  }
}

function leave({ gates, releases }: Ticket, unused: Amounts): void {
  for (const gate of gates) gate.lane = givenBack(gate.lane, gate.limit, unused, performance.now());
  for (const release of releases) release();
}
