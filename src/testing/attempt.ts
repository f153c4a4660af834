import type { Attempt } from '../core/attempt.ts';

/** An attempt that ended well and says nothing, changed as a test needs it. */
export function attemptWith(change: Partial<Attempt> = {}): Attempt {
  return {
    claims: [],
    observations: [],
    reports: [],
    drafts: [],
    ended: { type: 'final' },
    degraded: false,
    revisions: 0,
    ...change,
  };
}
