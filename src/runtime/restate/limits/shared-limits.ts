/**
 * The limiter of one process among many, before limits that the engine holds.
 *
 * 1. A turn that was told is kept: when the engine goes away after it, the call goes out when its time has come.
 * 2. A call that is given up while its question is on the way is given back when the answer is there.
 * 3. Nothing that is told the engine afterwards (corrections, holds, renewals) makes a call wait or fail. What is lost with an
 *    engine that is away is a correction; a place that was not given back is free when its lease ends.
 */
import { randomUUID } from 'node:crypto';
import { awaitTurn, pause } from '../../../model/rate-limit/await-turn.ts';
import {
  checkedLimits,
  type LimitedModel,
  limitKeys,
  type Passage,
  type ProviderLimit,
  type ProviderLimiter,
  type ProviderLimits,
} from '../../../model/rate-limit.ts';
import { EngineUnavailable } from '../engine-api.ts';
import { EngineRefused, EngineSilent, LimitsClient } from './limits-client.ts';
import type { Taken } from './limits-protocol.ts';

export interface RestateLimitsOptions {
  /** For example `http://127.0.0.1:8080`. */
  ingress: string;
  /** By provider or `provider:model`; the same in every process. */
  limits: ProviderLimits;
  /** Keeps installations apart that share an engine. The same as the workers'. */
  namespace?: string | undefined;
  /** While the engine or its workers are away: calls wait until it is back (default), or go out unlimited. */
  onUnavailable?: 'wait' | 'open' | undefined;
  /** The place of a process that is not heard of is free after so many milliseconds. Default 30,000. */
  leaseMs?: number | undefined;
  /** How long one question to the engine may take. Default 5,000 ms. */
  requestMs?: number | undefined;
  /** Told once each time the engine goes away. Default: a process warning. */
  onWarning?: ((message: string) => void) | undefined;
}

/** One call under one limit. */
interface Ticket {
  readonly id: string;
  readonly key: string;
  readonly limit: ProviderLimit;
  readonly tokens: number;
  turn?: number | undefined;
  /** The question that is on the way. */
  asking?: Promise<Taken> | undefined;
}

const firstPauseMs = 100;
const longestPauseMs = 2_000;
/** So that one that is lost costs no place. */
const renewalsPerLease = 3;

/** The implementation of `restateLimits`. */
export class SharedLimits implements ProviderLimiter {
  readonly #limits: ReadonlyMap<string, ProviderLimit>;
  readonly #client: LimitsClient;
  readonly #opens: boolean;
  readonly #leaseMs: number;
  readonly #onWarning: (message: string) => void;
  readonly #tickets: Set<Ticket> = new Set();
  readonly #telling: Set<Promise<void>> = new Set();
  #keeper: NodeJS.Timeout | undefined;
  #isAway = false;
  /** Open limits ask the engine again then. */
  #closedAgainAt = 0;

  constructor(options: RestateLimitsOptions) {
    this.#limits = checkedLimits(options.limits);
    this.#client = new LimitsClient(options);
    this.#opens = options.onUnavailable === 'open';
    this.#leaseMs = options.leaseMs ?? 30_000;
    this.#onWarning = options.onWarning ?? ((message) => process.emitWarning(message, 'AssayWarning'));
  }

  limits(model: LimitedModel): boolean {
    return limitKeys(model).some((key) => this.#limits.has(key));
  }

  async enter(model: LimitedModel, assumedTokens: number, signal: AbortSignal): Promise<Passage> {
    const tickets: Ticket[] = [];
    try {
      for (const key of limitKeys(model)) {
        const limit = this.#limits.get(key);
        if (!limit) continue;
        const ticket: Ticket = { id: randomUUID(), key, limit, tokens: assumedTokens };
        tickets.push(ticket);
        await this.#pass(ticket, signal);
      }
    } catch (error) {
      for (const ticket of tickets) this.#giveUp(ticket);
      throw error;
    }
    return {
      leave: (usedTokens) => {
        for (const ticket of tickets.splice(0))
          this.#leave(ticket, { requests: 0, tokens: assumedTokens - usedTokens });
      },
      hold: (ms) => {
        const last = tickets.at(-1);
        if (last) this.#tell(this.#client.hold(last.key, { limit: last.limit, ms }));
      },
    };
  }

  /** Gives back what calls hold that are still on their way, and waits for what the engine is being told. */
  async close(): Promise<void> {
    for (const ticket of this.#tickets) this.#leave(ticket, { requests: 0, tokens: 0 });
    while (this.#telling.size > 0) await Promise.all(this.#telling);
  }

  async #pass(ticket: Ticket, signal: AbortSignal): Promise<void> {
    await awaitTurn(async () => {
      const taken = await this.#take(ticket, signal);
      if (taken?.turn !== undefined) ticket.turn = taken.turn;
      return taken?.waitMs ?? 0;
    }, signal);
  }

  /** The engine's answer. Nothing when the call may go without: it has waited for its turn (1), or the limits are open. */
  async #take(ticket: Ticket, signal: AbortSignal): Promise<Taken | undefined> {
    let id = randomUUID();
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(longestPauseMs, pauseMs * 2)) {
      if (this.#opens && Date.now() < this.#closedAgainAt) return undefined;
      const taken = await this.#ask(ticket, id, signal);
      if (!(taken instanceof EngineUnavailable)) return taken;
      this.#closedAgainAt = Date.now() + longestPauseMs;
      if (this.#opens || ticket.turn !== undefined) return undefined;
      if (taken instanceof EngineRefused) id = randomUUID();
      await pause(pauseMs, signal);
    }
  }

  async #ask(ticket: Ticket, id: string, signal: AbortSignal): Promise<Taken | EngineUnavailable> {
    const { key, limit, tokens, turn } = ticket;
    this.#remember(ticket);
    ticket.asking = this.#client.take(key, { ticket: ticket.id, limit, tokens, leaseMs: this.#leaseMs, turn }, id);
    try {
      const taken = await orAbort(ticket.asking, signal);
      this.#isAway = false;
      return taken;
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof EngineUnavailable)) throw error;
      this.#noticeAway(error);
      return error;
    }
  }

  /** (2) */
  #giveUp(ticket: Ticket): void {
    if (!this.#forget(ticket)) return;
    const givenUp = async (): Promise<void> => {
      // A question that was not answered in time is still answered, and before the engine reads what it is told now.
      const takes = await ticket.asking?.then(
        ({ turn }) => turn !== undefined,
        (error: unknown) => error instanceof EngineSilent,
      );
      const requests = takes || ticket.turn !== undefined ? 1 : 0;
      await this.#correct(ticket, { requests, tokens: requests * ticket.tokens });
    };
    this.#tell(givenUp());
  }

  #leave(ticket: Ticket, unused: { requests: number; tokens: number }): void {
    if (this.#forget(ticket)) this.#tell(this.#correct(ticket, unused));
  }

  async #correct({ id, key, limit }: Ticket, unused: { requests: number; tokens: number }): Promise<void> {
    const changes = unused.requests !== 0 || (unused.tokens !== 0 && limit.tokensPerMinute !== undefined);
    if (changes || limit.concurrency !== undefined) await this.#client.correct(key, { ticket: id, limit, unused });
  }

  /** Whether it was known, which it is from its first question on. */
  #forget(ticket: Ticket): boolean {
    const wasKnown = this.#tickets.delete(ticket);
    if (this.#tickets.size === 0) {
      clearInterval(this.#keeper);
      this.#keeper = undefined;
    }
    return wasKnown;
  }

  #remember(ticket: Ticket): void {
    this.#tickets.add(ticket);
    this.#keeper ??= setInterval(() => this.#keep(), this.#leaseMs / renewalsPerLease).unref();
  }

  /** Renews the leases of those that have a place. */
  #keep(): void {
    const placed = [...this.#tickets].filter(
      ({ limit, turn }) => limit.concurrency !== undefined && turn !== undefined,
    );
    for (const [key, tickets] of Map.groupBy(placed, (ticket) => ticket.key)) {
      this.#tell(this.#client.keep(key, { tickets: tickets.map(({ id }) => id), leaseMs: this.#leaseMs }));
    }
  }

  /** (3) */
  #tell(message: Promise<void>): void {
    const told = message
      .catch((error: unknown) => this.#noticeAway(error))
      .finally(() => {
        this.#telling.delete(told);
      });
    this.#telling.add(told);
  }

  #noticeAway(error: unknown): void {
    if (this.#isAway) return;
    this.#isAway = true;
    const goesOn = this.#opens ? 'Until then calls go out unlimited' : 'Calls wait until then';
    this.#onWarning(`${error instanceof Error ? error.message : String(error)}. ${goesOn}.`);
  }
}

function orAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
