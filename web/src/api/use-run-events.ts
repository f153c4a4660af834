import { useEffect, useState } from 'react';
import { ask } from './client.ts';
import { EventLog } from './event-log.ts';
import { asHeader, type Connection, followEvents } from './follow-events.ts';
import { runPath } from './queries.ts';
import type { RunEvent } from './shapes.ts';

export interface FollowedEvents {
  events: readonly RunEvent[];
  connection: Connection;
  error: unknown;
}

const nothing: FollowedEvents = { events: [], connection: 'connecting', error: undefined };

function openEvents(runId: string, last: string | undefined, signal: AbortSignal): Promise<Response> {
  const headers = { accept: 'text/event-stream', ...(last !== undefined && { 'last-event-id': asHeader(last) }) };
  return ask(runPath(runId, '/events'), { signal, headers });
}

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
    void followEvents({
      open: (last, signal) => openEvents(runId, last, signal),
      signal: stop.signal,
      follower: {
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
    });
    return () => {
      stop.abort();
      cancelAnimationFrame(frame);
    };
  }, [runId]);
  return followed;
}
