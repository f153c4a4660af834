/**
 * Keeps calls under a provider's limits, in one process (`inProcessLimits`) or in many (`restateLimits`).
 *
 * 1. First come, first served, by provider and by model: a call passes every limit that is for it.
 * 2. A call that waits holds nobody up who has another limit, and gives its turn back when it is given up.
 * 3. What a provider asks for with Retry-After holds everybody back who is under the same limit.
 */
import { UsageError } from '../core/errors.ts';

/** At most so much at once and per minute of one provider (`openai`), or of one model (`openai:gpt-5-mini`). */
export interface ProviderLimit {
  concurrency?: number | undefined;
  requestsPerMinute?: number | undefined;
  tokensPerMinute?: number | undefined;
  /** What flows in over this many milliseconds may be used at once, and no more. Default 60,000: a whole minute's worth. */
  burstMs?: number | undefined;
}

/** By provider or `provider:model`. */
export type ProviderLimits = Readonly<Record<string, ProviderLimit>>;

/** What a limit is found by. The provider may carry an interface: `openai.responses` is of `openai`. */
export interface LimitedModel {
  readonly provider: string;
  readonly modelId: string;
}

/** A call that was let through. */
export interface Passage {
  /** Gives the place back, and corrects the tokens that were assumed by those that were used. Once; later calls do nothing. */
  leave(usedTokens: number): void;
  /**
   * The provider asks for so many milliseconds without calls of this model: those that wait under its own limit, or under that of its
   * provider when it has none, wait as much longer, here and in other workers.
   */
  hold(ms: number): void;
}

/** The port of a limiter. */
export interface ProviderLimiter {
  /** Whether a model has to wait for anything. */
  limits(model: LimitedModel): boolean;
  /** Resolves when the call may go out. Rejects with the signal's reason when it aborts first; nothing is held then. */
  enter(model: LimitedModel, assumedTokens: number, signal: AbortSignal): Promise<Passage>;
  /** Gives up what is held, and resolves when it is. */
  close?(): Promise<void>;
}

/** The keys under which a model may have limits, the widest first. */
export function limitKeys({ provider, modelId }: LimitedModel): [provider: string, model: string] {
  const vendor = provider.split('.')[0] ?? provider;
  return [vendor, `${vendor}:${modelId}`];
}

/** The limits as a map. Throws `UsageError` for a number under which no call would ever pass. */
export function checkedLimits(limits: ProviderLimits): ReadonlyMap<string, ProviderLimit> {
  for (const [key, limit] of Object.entries(limits)) {
    for (const [name, value] of Object.entries(limit)) {
      const least = name === 'concurrency' ? 1 : Number.MIN_VALUE;
      if (value === undefined || (Number.isFinite(value) && value >= least)) continue;
      throw new UsageError(`the limit ${name} of ${key} is ${value}: no call would pass. Leave it out or raise it`);
    }
  }
  return new Map(Object.entries(limits));
}
