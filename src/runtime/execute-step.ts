/**
 * Runs the closure of a step. Retries and limits are inside, so that a step is one entry however often it was tried; the
 * time limit covers all tries and starts when the shared limit let the step through.
 */
import type { Retry, StepContext, StepOptions } from '../core/step.ts';
import type { Limiter } from './limiter.ts';

/** The longest time a timer of the platform can be set to; a longer one would fire at once. */
export const longestTimer: number = 2 ** 31 - 1;

export type Closure = (context: StepContext) => unknown;

/** Told how a closure came out. Only the first call counts; the closure may come back after its time was over. */
export interface Settlement {
  succeed(value: unknown): void;
  fail(error: unknown): void;
}

/** Whether the options need `GuardedExecution`; a plain step has no timer, no controller and no extra promise. */
export function isGuarded(options: StepOptions | undefined): options is StepOptions {
  return options !== undefined && (options.timeoutMs ?? options.retry ?? options.limit) !== undefined;
}

/** Runs a closure once, without any limit. */
export function executePlain(closure: Closure, context: StepContext, settlement: Settlement): void {
  let result: unknown;
  try {
    result = closure(context);
  } catch (error) {
    settlement.fail(error);
    return;
  }
  if (result instanceof Promise) {
    result.then(
      (value) => settlement.succeed(value),
      (error) => settlement.fail(error),
    );
  } else if (isThenable(result)) {
    executePlain(async () => result, context, settlement);
  } else settlement.succeed(result);
}

function isThenable(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}

interface Guarded {
  closure: Closure;
  idempotencyKey: string;
  options: StepOptions;
  limiter: Limiter;
}

/** One execution with a time limit, retries or a shared limit. The context's signal is made when it is first asked for. */
export class GuardedExecution implements StepContext, Settlement {
  readonly idempotencyKey: string;
  attempt = 1;
  readonly #guarded: Guarded;
  readonly #settlement: Settlement;
  #controller: AbortController | undefined;
  #stopped: Error | undefined;
  #timer: NodeJS.Timeout | undefined;
  #release: (() => void) | undefined;

  constructor(guarded: Guarded, settlement: Settlement) {
    this.#guarded = guarded;
    this.#settlement = settlement;
    this.idempotencyKey = guarded.idempotencyKey;
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#stopped) this.#controller.abort(this.#stopped);
    return this.#controller.signal;
  }

  start(): void {
    const { closure, options } = this.#guarded;
    if (options.limit || options.retry) executePlain(() => this.#tries(), this, this);
    else {
      this.#arm();
      executePlain(closure, this, this);
    }
  }

  /** Aborts the closure; nobody waits for it any more. */
  stop(reason: Error): void {
    clearTimeout(this.#timer);
    this.#stopped ??= reason;
    this.#controller?.abort(reason);
  }

  succeed(value: unknown): void {
    this.#end();
    this.#settlement.succeed(value);
  }

  fail(error: unknown): void {
    this.#end();
    this.#settlement.fail(error);
  }

  async #tries(): Promise<unknown> {
    const { closure, options, limiter } = this.#guarded;
    if (options.limit) this.#release = await limiter.acquire(options.limit.key, this.signal);
    this.#arm();
    for (; ; this.attempt++) {
      try {
        // A copy for each try: an earlier one may still look at its number.
        return await closure({ idempotencyKey: this.idempotencyKey, attempt: this.attempt, signal: this.signal });
      } catch (error) {
        if (this.#stopped || !mayRetry(options.retry, this.attempt, error)) throw error;
        await pause(waitBefore(options.retry, this.attempt), this.signal);
      }
    }
  }

  #arm(): void {
    const { timeoutMs } = this.#guarded.options;
    if (timeoutMs !== undefined && timeoutMs <= longestTimer) {
      this.#timer = setTimeout(() => this.#expire(timeoutMs), timeoutMs);
    }
  }

  #expire(timeoutMs: number): void {
    const error = new Error(`no result after ${timeoutMs} ms`);
    error.name = 'TimeoutError';
    this.stop(error);
    this.fail(error);
  }

  #end(): void {
    clearTimeout(this.#timer);
    this.#release?.();
  }
}

function mayRetry(retry: Retry | undefined, attempt: number, error: unknown): retry is Retry {
  return retry !== undefined && attempt < retry.maxAttempts && (retry.retryable?.(error) ?? true);
}

function waitBefore(retry: Retry | undefined, attempt: number): number {
  const { initialMs = 50, factor = 2, maxMs = 10_000 } = retry ?? {};
  return Math.min(maxMs, longestTimer, initialMs * factor ** (attempt - 1));
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', abort);
      resolve();
    }, ms);
    signal.addEventListener('abort', abort, { once: true });
  });
}
