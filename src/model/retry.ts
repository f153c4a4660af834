import { setTimeout as delay } from 'node:timers/promises';
import { APICallError } from '@ai-sdk/provider';
import { classifyError, ModelCallError, type ModelFailure } from './classify-error.ts';

export { classifyError } from './classify-error.ts';

export interface RetryOptions {
  signal: AbortSignal;
  /** Calls at most, the first included. Default 4. */
  maxAttempts?: number;
  /** Milliseconds since the epoch; no wait reaches beyond it. */
  deadline: number;
  now?(): number;
  /** In [0, 1). */
  random?(): number;
  /** Resolves or rejects early when the signal aborts. */
  sleep?(ms: number, signal: AbortSignal): Promise<void>;
  /** Before each wait. `attempt` is the one that failed. */
  onRetry?(info: { attempt: number; waitMs: number; why: string }): void;
}

/** The longest wait a server may ask for. */
const longestWaitMs = 300_000;
const firstBackoffMs = 500;
const longestBackoffMs = 30_000;

/**
 * The one retry layer: providers are called without theirs. A server's Retry-After is honoured to the millisecond;
 * without one the wait doubles from 500 ms to 30 s, with jitter. A wait over 5 minutes or beyond the deadline fails at
 * once and says when to try again. Rejects with the call's own error when that is not worth a retry, with the signal's
 * reason when aborted, and else with `ModelCallError`.
 */
export async function withRetry<T>(call: (attempt: number) => Promise<T>, options: RetryOptions): Promise<T> {
  options.signal.throwIfAborted();
  try {
    return await call(1);
  } catch (error) {
    return await retryAfter(error, call, options);
  }
}

/** The same from the first attempt's error on, for callers that made it themselves. */
export async function retryAfter<T>(
  first: unknown,
  call: (attempt: number) => Promise<T>,
  options: RetryOptions,
): Promise<T> {
  const maxAttempts = options.maxAttempts ?? 4;
  let error = first;
  for (let attempt = 1; ; attempt++) {
    options.signal.throwIfAborted();
    const failure = classifyError(error);
    if (!failure.retryable) throw error;
    if (attempt >= maxAttempts) {
      throw new ModelCallError(failure, { why: `Given up after ${attempt} attempts.`, cause: error });
    }
    const waitMs = waitAfter(error, { failure, attempt, options });
    options.onRetry?.({ attempt, waitMs, why: failure.message });
    await sleepOrAbort(waitMs, options);
    options.signal.throwIfAborted();
    try {
      return await call(attempt + 1);
    } catch (next) {
      error = next;
    }
  }
}

function waitAfter(
  error: unknown,
  { failure, attempt, options }: { failure: ModelFailure; attempt: number; options: RetryOptions },
): number {
  const now = (options.now ?? Date.now)();
  const asked = askedWait(error, now);
  const waitMs = asked ?? backoff(attempt, options.random ?? Math.random);
  const retryAt = asked === undefined ? undefined : now + asked;
  const when = retryAt === undefined ? 'later' : `at ${new Date(retryAt).toISOString()} or later`;
  if (waitMs > longestWaitMs) {
    const why = `The provider asks for a wait of ${Math.ceil(waitMs / 1000)} s, longer than the 5 minutes waited for: try again ${when}.`;
    throw new ModelCallError(failure, { why, retryAt, cause: error });
  }
  if (now + waitMs > options.deadline) {
    const why = `The time of this call ends before the next attempt could begin: try again ${when}, or with more time.`;
    throw new ModelCallError(failure, { why, retryAt, cause: error });
  }
  return waitMs;
}

/** Half fixed and half random, so that clients which failed together do not come back together. */
function backoff(attempt: number, random: () => number): number {
  const whole = Math.min(longestBackoffMs, firstBackoffMs * 2 ** (attempt - 1));
  return Math.round(whole / 2 + (random() * whole) / 2);
}

async function sleepOrAbort(ms: number, options: RetryOptions): Promise<void> {
  const sleep = options.sleep ?? ((time, signal) => delay(time, undefined, { signal }));
  try {
    await sleep(ms, options.signal);
  } catch (error) {
    options.signal.throwIfAborted();
    throw error;
  }
}

/** The wait the provider asked for in milliseconds; undefined when it asked for none that makes sense. */
function askedWait(error: unknown, now: number): number | undefined {
  if (!APICallError.isInstance(error)) return undefined;
  const headers = new Map(
    Object.entries(error.responseHeaders ?? {}).map(([name, value]) => [name.toLowerCase(), value]),
  );
  return (
    decimal(headers.get('retry-after-ms'), 1) ??
    decimal(headers.get('retry-after'), 1000) ??
    untilDate(headers.get('retry-after'), now) ??
    // Gemini has no header for it and says it in the body.
    decimal(/"retryDelay":\s*"([\d.]+)s"/.exec(error.responseBody ?? '')?.[1], 1000)
  );
}

/** Number() would read '' as 0 and '0x10' as 16. */
function decimal(text: string | undefined, unitMs: number): number | undefined {
  const trimmed = text?.trim() ?? '';
  return /^\d+(\.\d+)?$/.test(trimmed) ? Number(trimmed) * unitMs : undefined;
}

/** Of an HTTP date that lies ahead. The shape is checked because Date.parse makes a date of nearly any words. */
function untilDate(text: string | undefined, now: number): number | undefined {
  const trimmed = text?.trim() ?? '';
  if (!/^[A-Z][a-z]{2,8},? .*\d{2}:\d{2}:\d{2}/.test(trimmed)) return undefined;
  const at = Date.parse(/(GMT|UTC|Z|[+-]\d{4})$/.test(trimmed) ? trimmed : `${trimmed} GMT`);
  return Number.isNaN(at) || at < now ? undefined : at - now;
}
