import { useEffect, useState } from 'react';
import { EventLog } from './event-log.ts';
import { type Connection, followEvents } from './follow-events.ts';
import type { RunEvent } from './shapes.ts';

export interface FollowedEvents {
  events: readonly RunEvent[];
  connection: Connection;
  error: unknown;
}

const nothing: FollowedEvents = { events: [], connection: 'connecting', error: undefined };

/** The events of a run, as they come. Many that come together are one change. */
export function useRunEvents(runId: string): FollowedEvents {
  const [followed, setFollowed] = useState(nothing);
  useEffect(() => {
    const stop = new AbortController();
    const log = new EventLog();
    let waiting: RunEvent[] = [];
    let frame = 0;
    const flush = (): void => {
      frame = 0;
      log.add(waiting);
      waiting = [];
      setFollowed((before) => ({ ...before, events: log.events }));
    };
    setFollowed(nothing);
    void followEvents(
      runId,
      {
        events(events) {
          waiting.push(...events);
          if (frame === 0) frame = requestAnimationFrame(flush);
        },
        connection(connection, error) {
          // What came before the end is there with the end.
          if (connection === 'over') flush();
          setFollowed((before) => ({ ...before, connection, error }));
        },
      },
      stop.signal,
    );
    return () => {
      stop.abort();
      cancelAnimationFrame(frame);
    };
  }, [runId]);
  return followed;
}
