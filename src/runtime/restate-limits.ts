/** Limits of providers that hold across workers: a Restate server keeps them. */
import type { ProviderLimiter } from '../model/rate-limit.ts';
import { type RestateLimitsOptions, SharedLimits } from './restate/limits/shared-limits.ts';

export { limitsService } from './restate/limits/limits-service.ts';
export type { RestateLimitsOptions } from './restate/limits/shared-limits.ts';

/**
 * A limiter whose limits all processes share that name the same engine and namespace; a worker has to serve `limitsService` there.
 * Calls get their turns in the order in which they ask, and a place (`concurrency`) for as long as they are heard of: that of a
 * killed process is free when its lease ends. Throws `UsageError` for an address or a limit that cannot be.
 */
export function restateLimits(options: RestateLimitsOptions): Required<ProviderLimiter> {
  return new SharedLimits(options);
}
