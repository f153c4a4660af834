import { messageOf } from '../core/errors.ts';
import type { RunEvent } from '../core/event.ts';
import type { EventStore } from '../trace/events.ts';

/**
 * Shows a run that is executed elsewhere: its events come from the store that all share, until `stop`. What of it is not shown by then is
 * in the store.
 */
export function followStored(
  events: EventStore,
  runId: string,
  to: { write(event: RunEvent): void; warn(why: string): void },
): { stop(): Promise<void> } {
  const over = new AbortController();
  const following = (async (): Promise<void> => {
    for await (const event of events.subscribe(runId, { signal: over.signal })) {
      to.write(event);
      if (event.type === 'run.end') return;
    }
  })().catch((error: unknown) => {
    if (!over.signal.aborted) to.warn(`the events of the run cannot be followed: ${messageOf(error)}`);
  });
  /** The last events may be written after the result is known. */
  const graceMs = 1_000;
  return {
    stop: async () => {
      const late = setTimeout(() => over.abort(), graceMs);
      await following;
      clearTimeout(late);
      over.abort();
    },
  };
}
