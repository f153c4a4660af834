import { useEffect, useState } from 'react';
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
    const known = new Set<string>();
    let waiting: RunEvent[] = [];
    let frame = 0;
    const flush = (): void => {
      frame = 0;
      const fresh = waiting;
      waiting = [];
      setFollowed((before) => ({ ...before, events: [...before.events, ...fresh] }));
    };
    setFollowed(nothing);
    void followEvents(
      runId,
      {
        events(events) {
          const fresh = events.filter(({ id }) => !known.has(id));
          for (const { id } of fresh) known.add(id);
          waiting.push(...fresh);
          if (frame === 0 && waiting.length > 0) frame = requestAnimationFrame(flush);
        },
        connection: (connection, error) => setFollowed((before) => ({ ...before, connection, error })),
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
