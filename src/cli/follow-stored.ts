import { messageOf } from '../core/errors.ts';
import type { RunEvent } from '../core/event.ts';
import type { EventStore } from '../trace/events.ts';
import { followRun } from '../trace/follow-run.ts';
import { shownKey } from './timeline.ts';

export interface Follower {
  write(event: RunEvent): void;
  warn(why: string): void;
  /** Nothing new was heard of the run for a while. */
  quiet(): void;
  /** Keys of events from before, as `shownKey` makes them. */
  known: ReadonlySet<string>;
}

const quietMs = 4_000;

/** Shows a run that is executed elsewhere: its events come from the store that all share, until `stop`. */
export function followStored(events: EventStore, runId: string, to: Follower): { stop(): Promise<void> } {
  const quiet = setTimeout(() => to.quiet(), quietMs);
  const following = followRun(events, runId, {
    write: (event) => {
      if (!to.known.has(shownKey(event))) clearTimeout(quiet);
      to.write(event);
    },
    failed: (error) => to.warn(`the events of the run cannot be followed: ${messageOf(error)}`),
  });
  return {
    stop: async () => {
      clearTimeout(quiet);
      await following.stop();
    },
  };
}
