/**
 * Keeps calls under a provider's limits: so many at once, and so many requests and tokens a minute. First come, first served; a call
 * passes when its share of the minute has flowed in again, so that a full minute's worth may be used at once and no more.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Limiter } from '../../runtime/limiter.ts';
import type { ProviderLimit } from '../suite.ts';

const minute = 60_000;

/** A bucket that fills at a steady rate and may be overdrawn by the call that was let through. */
class Bucket {
  readonly #perMinute: number;
  #level: number;
  #at: number;

  constructor(perMinute: number, now: number) {
    this.#perMinute = perMinute;
    this.#level = perMinute;
    this.#at = now;
  }

  /** Milliseconds until the amount is there; an amount above the whole bucket waits for a full one. */
  waitFor(amount: number, now: number): number {
    this.#fill(now);
    const missing = Math.min(amount, this.#perMinute) - this.#level;
    return missing <= 0 ? 0 : Math.ceil((missing / this.#perMinute) * minute);
  }

  take(amount: number): void {
    this.#level -= amount;
  }

  #fill(now: number): void {
    this.#level = Math.min(this.#perMinute, this.#level + ((now - this.#at) / minute) * this.#perMinute);
    this.#at = now;
  }
}

/** A call that was let through. */
export interface Passage {
  /** Gives the place back, and corrects the tokens that were assumed by those that were used. */
  leave(usedTokens: number): void;
}

interface Lane {
  requests: Bucket | undefined;
  tokens: Bucket | undefined;
  /** The tail of those that wait for a bucket: one after the other. */
  turn: Promise<void>;
}

/** Limits by provider (`openai`) or by `provider:model`; a call has to pass both. */
export class RateLimiter {
  readonly #places: Limiter;
  readonly #lanes: Map<string, Lane> = new Map();

  constructor(limits: Readonly<Record<string, ProviderLimit>> = {}) {
    const places: Record<string, { concurrency: number }> = {};
    for (const [key, { concurrency, requestsPerMinute, tokensPerMinute }] of Object.entries(limits)) {
      if (concurrency !== undefined) places[key] = { concurrency };
      const bucket = (rate: number | undefined): Bucket | undefined =>
        rate === undefined ? undefined : new Bucket(rate, Date.now());
      this.#lanes.set(key, {
        requests: bucket(requestsPerMinute),
        tokens: bucket(tokensPerMinute),
        turn: Promise.resolve(),
      });
    }
    this.#places = new Limiter(places);
  }

  /** Whether a model has to wait for anything. */
  limits(model: { provider: string; modelId: string }): boolean {
    return keysOf(model).some((key) => this.#lanes.has(key));
  }

  /** Resolves when the call may go out. Rejects when the signal aborts first; nothing is held then. */
  async enter(
    model: { provider: string; modelId: string },
    assumedTokens: number,
    signal: AbortSignal,
  ): Promise<Passage> {
    const releases: (() => void)[] = [];
    const buckets: Bucket[] = [];
    try {
      for (const key of keysOf(model)) {
        releases.push(await this.#places.acquire(key, signal));
        const lane = this.#lanes.get(key);
        if (lane) await this.#wait(lane, assumedTokens, signal);
        if (lane?.tokens) buckets.push(lane.tokens);
      }
    } catch (error) {
      for (const release of releases) release();
      throw error;
    }
    return {
      leave: (usedTokens) => {
        for (const bucket of buckets) bucket.take(usedTokens - assumedTokens);
        for (const release of releases) release();
      },
    };
  }

  async #wait(lane: Lane, assumedTokens: number, signal: AbortSignal): Promise<void> {
    const before = lane.turn;
    let done: () => void = () => {};
    lane.turn = new Promise((resolve) => {
      done = resolve;
    });
    try {
      await before;
      for (;;) {
        signal.throwIfAborted();
        const now = Date.now();
        const wait = Math.max(lane.requests?.waitFor(1, now) ?? 0, lane.tokens?.waitFor(assumedTokens, now) ?? 0);
        if (wait === 0) break;
        await sleep(wait, undefined, { signal });
      }
      lane.requests?.take(1);
      lane.tokens?.take(assumedTokens);
    } finally {
      done();
    }
  }
}

/** A vendor's provider name may carry an interface: `openai.responses` is of `openai`. */
function keysOf({ provider, modelId }: { provider: string; modelId: string }): string[] {
  const vendor = provider.split('.')[0] ?? provider;
  return [vendor, `${vendor}:${modelId}`];
}
