import type { CheckContext } from './check.ts';

/** A context for checks outside a run: `step` calls its closure once, records nothing and does not retry. */
export function offlineContext(): CheckContext {
  return {
    step: async (name, fn) => fn({ idempotencyKey: name, attempt: 1, signal: new AbortController().signal }),
  };
}
