import { UsageError } from '../core/errors.ts';

/** Throws `UsageError` for what is no place to fork at. */
export function assertForkable(at: number): void {
  if (Number.isInteger(at) && at >= 0) return;
  throw new UsageError(`a run is forked at the seq of a journal entry, or at 0 for none of them, not at ${at}`);
}

export function noSuchEntry(runId: string, at: number): UsageError {
  return new UsageError(
    `run ${runId} has no journal entry ${at}, so it cannot be changed: read its journal to see what there is`,
  );
}
