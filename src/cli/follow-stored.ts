import { messageOf } from '../core/errors.ts';
import type { RunEvent } from '../core/event.ts';
import type { EventStore } from '../trace/events.ts';
import { shownKey } from './timeline.ts';

export interface Follower {
  write(event: RunEvent): void;
  warn(why: string): void;
  /** Nothing new was heard of the run for a while. */
  quiet(): void;
  /** Keys of events from before, as `shownKey` makes them. */
  known: ReadonlySet<string>;
}

/** The last events may be written after the result is known. */
const graceMs = 1_000;
const quietMs = 4_000;

/**
 * Shows a run that is executed elsewhere: its events come from the store that all share, until `stop`. What of it is not shown by then is
 * in the store.
 */
export function followStored(events: EventStore, runId: string, to: Follower): { stop(): Promise<void> } {
  const over = new AbortController();
  const quiet = setTimeout(() => to.quiet(), quietMs);
  const following = (async (): Promise<void> => {
    for await (const event of events.subscribe(runId, { signal: over.signal })) {
      if (!to.known.has(shownKey(event))) clearTimeout(quiet);
      to.write(event);
      if (event.type === 'run.end') return;
    }
  })().catch((error: unknown) => {
    if (!over.signal.aborted) to.warn(`the events of the run cannot be followed: ${messageOf(error)}`);
  });
  return {
    stop: async () => {
      clearTimeout(quiet);
      const late = setTimeout(() => over.abort(), graceMs);
      await following;
      clearTimeout(late);
      over.abort();
    },
  };
}
