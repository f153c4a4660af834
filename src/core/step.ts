/** What a journaled closure is given. */
export interface StepContext {
  /** The same for every execution of this step, retries and restarts included; hand it to providers and tools. */
  readonly idempotencyKey: string;
  /** 1-based; counts the retries of this execution. */
  readonly attempt: number;
  /** Aborted when the run is cancelled or the step's time is over. */
  readonly signal: AbortSignal;
}

/** How a failing closure is tried again. Waits grow by `factor` from `initialMs` (default 50) up to `maxMs` (default 10,000). */
export interface Retry {
  maxAttempts: number;
  initialMs?: number;
  factor?: number;
  maxMs?: number;
  retryable?(error: unknown): boolean;
}

export interface StepOptions {
  retry?: Retry;
  /** After this the signal aborts and the step fails with a `TimeoutError`, whatever the closure does. */
  timeoutMs?: number;
  /**
   * `at-least-once` (default): executed again if the process died before its result was recorded.
   * `at-most-once`: an intent is recorded first; after a death in the window it throws `UncertainOutcomeError`.
   */
  effect?: 'at-least-once' | 'at-most-once';
  /** A shared rate limit to wait for, for example one provider key. */
  limit?: { key: string };
}

/**
 * A journaled side effect: recorded exactly once, executed at least once. The result must be JSON. A replay returns the
 * recorded result without calling `fn`. Throws `StepFailedError` when the closure failed, live and replayed alike.
 */
export type Step = <T>(name: string, fn: (context: StepContext) => Promise<T> | T, options?: StepOptions) => Promise<T>;
