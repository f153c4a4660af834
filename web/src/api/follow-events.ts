import { mayPass } from './problem.ts';
import type { RunEvent } from './shapes.ts';
import { type StreamMessage, StreamParser } from './sse.ts';

/** `live`: the stream is open. `waiting`: it broke, and is opened again soon. `over`: the run has ended and all was told. */
export type Connection = 'connecting' | 'live' | 'waiting' | 'over' | 'failed';

export interface Follower {
  events(events: RunEvent[]): void;
  connection(state: Connection, error?: unknown): void;
}

export interface FollowOptions {
  /** Opens the stream behind the event with this id, or from the first one on. Throws a `Problem` for a refusal. */
  open(last: string | undefined, signal: AbortSignal): Promise<Response>;
  follower: Follower;
  signal: AbortSignal;
  /** Milliseconds before the first try to come back; each further one doubles them. Default 500. */
  firstWaitMs?: number;
}

const longestWaitMs = 15_000;
/** Milliseconds without a byte, signs of life included, after which a stream counts as broken: the server sends one each 15 s. */
const silenceMs = 40_000;

/**
 * Follows the events of a run from the first one on, through breaks and restarts, until it is over or `signal` aborts. Never rejects. An event may
 * come twice where a stream broke; whoever keeps them knows them by their ids.
 */
export async function followEvents({ open, follower, signal, firstWaitMs = 500 }: FollowOptions): Promise<void> {
  let last: string | undefined;
  let wait = firstWaitMs;
  const seen = (id: string): void => {
    last = id;
    wait = firstWaitMs;
  };
  while (!signal.aborted) {
    const outcome = await readOnce({ open: () => open(last, signal), follower, signal, seen }).catch(
      (error: unknown) => error,
    );
    if (signal.aborted) return;
    if (outcome === 'over') return follower.connection('over');
    if (outcome !== 'cut' && !mayPass(outcome)) return follower.connection('failed', outcome);
    follower.connection('waiting');
    await pause(wait, signal);
    wait = Math.min(longestWaitMs, wait * 2);
  }
}

/** A header holds Latin-1; the server reads the bytes of UTF-8 out of it. */
export function asHeader(id: string): string {
  return String.fromCharCode(...new TextEncoder().encode(id));
}

interface Reading {
  open(): Promise<Response>;
  follower: Follower;
  signal: AbortSignal;
  seen(id: string): void;
}

async function readOnce({ open, follower, signal, seen }: Reading): Promise<'over' | 'cut'> {
  const response = await open();
  if (response.status === 204 || !response.body) return 'over';
  follower.connection('live');
  const parser = new StreamParser();
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  try {
    for (;;) {
      const { done, value } = await inTime(reader.read());
      if (done) return 'cut';
      if (take(parser.push(value), { follower, seen })) return 'over';
    }
  } catch (error) {
    if (signal.aborted) throw error;
    return 'cut';
  } finally {
    // A stream that is left must not hold one of the few connections a browser has to a server.
    void reader.cancel().catch(() => undefined);
  }
}

/** Hands the events on; true when the server tells the end. */
function take(messages: readonly StreamMessage[], { follower, seen }: Pick<Reading, 'follower' | 'seen'>): boolean {
  const events = messages.flatMap(({ event, data }) => (event === 'message' ? [JSON.parse(data) as RunEvent] : []));
  if (events.length > 0) follower.events(events);
  for (const { id } of messages) if (id) seen(id);
  return messages.some(({ event }) => event === 'end');
}

/** Rejects when nothing comes for longer than the server is ever silent. */
function inTime<T>(reading: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('the stream is silent')), silenceMs);
  });
  return Promise.race([reading, late]).finally(() => clearTimeout(timer));
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener(
      'abort',
      () => {
        clearTimeout(timer);
        resolve();
      },
      { once: true },
    );
  });
}
