import type { RunEvent } from '../core/event.ts';
import type { EventStore } from './events.ts';

export interface RunListener {
  write(event: RunEvent): void;
  /** The events cannot be read any more. */
  failed(error: unknown): void;
}

/** The last events may be written after the Result is known. */
const graceMs = 1_000;

/**
 * Follows a run that another process executes, by the store that both share, until its last event or `stop`, which waits a second for
 * events that are on their way. What was not told by then is in the store.
 */
export function followRun(
  events: Pick<EventStore, 'subscribe'>,
  runId: string,
  to: RunListener,
): { stop(): Promise<void> } {
  const over = new AbortController();
  const following = (async (): Promise<void> => {
    for await (const event of events.subscribe(runId, { signal: over.signal })) {
      to.write(event);
      if (event.type === 'run.end') return;
    }
  })().catch((error: unknown) => {
    if (!over.signal.aborted) to.failed(error);
  });
  return {
    stop: async () => {
      const late = setTimeout(() => over.abort(), graceMs);
      await following;
      clearTimeout(late);
      over.abort();
    },
  };
}
