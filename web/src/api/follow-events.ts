import { ask, mayPass } from './client.ts';
import type { RunEvent } from './shapes.ts';
import { type StreamMessage, StreamParser } from './sse.ts';

/** `live`: the stream is open. `waiting`: it broke, and is opened again soon. `over`: the run has ended and all was told. */
export type Connection = 'connecting' | 'live' | 'waiting' | 'over' | 'failed';

export interface Follower {
  events(events: RunEvent[]): void;
  connection(state: Connection, error?: unknown): void;
}

/** Messages that are no events of the run. */
const marks: ReadonlySet<string> = new Set(['end', 'reconnect']);
const firstWaitMs = 500;
const longestWaitMs = 15_000;

/** Follows the events of a run from the first one on, through breaks and restarts, until it is over or `signal` aborts. Never rejects. */
export async function followEvents(runId: string, follower: Follower, signal: AbortSignal): Promise<void> {
  let last: string | undefined;
  let wait = firstWaitMs;
  const seen = (id: string): void => {
    last = id;
    wait = firstWaitMs;
  };
  while (!signal.aborted) {
    const outcome = await once(runId, { last, follower, signal, seen }).catch((error: unknown) => error);
    if (signal.aborted) return;
    if (outcome === 'over') return follower.connection('over');
    if (outcome !== 'cut' && !mayPass(outcome)) return follower.connection('failed', outcome);
    follower.connection('waiting');
    await pause(wait, signal);
    wait = Math.min(longestWaitMs, wait * 2);
  }
}

interface Opening {
  last: string | undefined;
  follower: Follower;
  signal: AbortSignal;
  seen(id: string): void;
}

async function once(runId: string, { last, follower, signal, seen }: Opening): Promise<'over' | 'cut'> {
  const response = await ask(`v1/runs/${encodeURIComponent(runId)}/events`, {
    signal,
    headers: { accept: 'text/event-stream', ...(last !== undefined && { 'last-event-id': asHeader(last) }) },
  });
  if (response.status === 204 || !response.body) return 'over';
  follower.connection('live');
  const told = (messages: readonly StreamMessage[]): boolean => {
    const events = messages.flatMap(({ event, data }) => (marks.has(event) ? [] : [JSON.parse(data) as RunEvent]));
    if (events.length > 0) follower.events(events);
    for (const { id } of messages) if (id) seen(id);
    return messages.some(({ event }) => event === 'end');
  };
  return read(response.body, told).catch((error: unknown) => {
    if (signal.aborted) throw error;
    return 'cut';
  });
}

async function read(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  told: (messages: readonly StreamMessage[]) => boolean,
): Promise<'over' | 'cut'> {
  const parser = new StreamParser();
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return 'cut';
    if (told(parser.push(value))) return 'over';
  }
}

/** A header holds Latin-1; the server reads the bytes of UTF-8 out of it. */
function asHeader(id: string): string {
  return String.fromCharCode(...new TextEncoder().encode(id));
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
