/**
 * The events of one run as server-sent events (WHATWG HTML, section 9.2).
 *
 * 1. An event is sent after it was stored, in stored order, with its id: `Last-Event-ID` finds the place again on every machine and after
 *    every restart, without a gap or a double.
 * 2. Deltas of a model's text are sent while the run is live here. They have no id: nobody can come back to one, and none is kept.
 * 3. A client that reads slowly is not written to: what waits for it is bounded, and only deltas are dropped.
 * 4. The stream ends with the event `end` when the run has ended, or `reconnect` when the server goes down.
 */
import type { RunEvent } from '../core/event.ts';
import { type EventStore, unrecorded } from '../trace/events.ts';

export interface EventStreamOptions {
  runId: string;
  events: Pick<EventStore, 'read' | 'subscribe'>;
  /** The id of the last event the client has. */
  after: string | undefined;
  /** What the run emits, while it is live in this process: another one after it stood still. */
  live(): AsyncIterable<RunEvent> | undefined;
  /** How the run stands when it has ended or parked, undefined before. */
  ended(): Promise<string | undefined>;
  heartbeatMs: number;
  /** Aborted when the client is gone. */
  gone: AbortSignal;
  /** Aborted when the server goes down. */
  draining: AbortSignal;
}

/** Deltas and marks that wait for a client at most. */
const keptLive = 2_000;
/** Milliseconds after which a browser comes back. */
const retryMs = 2_000;

type Item = { type: 'stored'; event: RunEvent } | { type: 'live'; event: RunEvent } | { type: 'tick' };

/** The frames of the stream, text by text. */
export async function* eventFrames(options: EventStreamOptions): AsyncGenerator<string> {
  yield `retry: ${retryMs}\n\n`;
  const already = await options.ended();
  if (already !== undefined) {
    for (const event of await options.events.read(options.runId, { after: options.after })) yield frameOf(event);
    yield endFrame(options.runId, already);
    return;
  }
  const stop = new AbortController();
  const signal = AbortSignal.any([stop.signal, options.gone, options.draining]);
  try {
    yield* follow(options, signal);
  } finally {
    stop.abort();
  }
  if (options.draining.aborted) yield `event: reconnect\ndata: ${JSON.stringify({ run: options.runId })}\n\n`;
}

async function* follow(options: EventStreamOptions, signal: AbortSignal): AsyncGenerator<string> {
  const queue = new Queue(signal);
  void queue.pump(options.events.subscribe(options.runId, { after: options.after, signal }), 'stored');
  const order = new DeltaOrder();
  let followed: AsyncIterable<RunEvent> | undefined;
  for (;;) {
    const live = options.live();
    if (live && live !== followed) void queue.pump(live, 'live');
    followed = live ?? followed;
    const item = await queue.next(options.heartbeatMs);
    if (item === undefined) return;
    yield* framesOf(item, order);
    const status = item.type === 'tick' ? await options.ended() : endOf(item);
    if (status === undefined) continue;
    yield endFrame(options.runId, status);
    return;
  }
}

function framesOf(item: Item, order: DeltaOrder): string[] {
  if (item.type === 'tick') return [': alive\n\n'];
  return (item.type === 'stored' ? order.stored(item.event) : order.live(item.event)).map(frameOf);
}

function endOf({ type, event }: Exclude<Item, { type: 'tick' }>): string | undefined {
  return type === 'stored' && event.type === 'run.end' ? event.status : undefined;
}

/** Puts deltas, which come at once, between stored events, which come after they were written. */
class DeltaOrder {
  #waiting: RunEvent[] = [];

  /** A delta that follows an event which is not sent yet waits for it. */
  live(event: RunEvent): RunEvent[] {
    const isDelta = unrecorded.has(event.type);
    if (isDelta && this.#waiting.length === 0) return [event];
    // What a replay emits again was stored before, and the failure of a sink is no event of the run: neither is a mark.
    if (isDelta || (event.live && event.run !== '')) this.#waiting.push(event);
    if (this.#waiting.length > keptLive) this.#waiting = [];
    return [];
  }

  stored(event: RunEvent): RunEvent[] {
    const mark = this.#waiting.findIndex(({ id }) => id === event.id);
    if (mark < 0) return [event];
    const before = this.#waiting.slice(0, mark).filter(({ type }) => unrecorded.has(type));
    const rest = this.#waiting.slice(mark + 1);
    const next = rest.findIndex(({ type }) => !unrecorded.has(type));
    const free = next < 0 ? rest : rest.slice(0, next);
    this.#waiting = next < 0 ? [] : rest.slice(next);
    return [...before, event, ...free];
  }
}

/** Items of several sources in the order of their coming. */
class Queue {
  readonly #signal: AbortSignal;
  readonly #items: Item[] = [];
  #wake: (() => void) | undefined;
  #failure: { error: unknown } | undefined;
  #over = false;
  #room: (() => void) | undefined;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
    signal.addEventListener('abort', () => this.#wake?.(), { once: true });
  }

  /** Stored events wait at their source while many are here; live ones are dropped then. */
  async pump(source: AsyncIterable<RunEvent>, type: 'stored' | 'live'): Promise<void> {
    try {
      for await (const event of source) {
        if (this.#signal.aborted) return;
        if (this.#items.length >= keptLive) {
          if (type === 'live') continue;
          await new Promise<void>((resolve) => {
            this.#room = resolve;
            this.#signal.addEventListener('abort', () => resolve(), { once: true });
          });
        }
        this.#items.push({ type, event });
        this.#wake?.();
      }
      if (type === 'stored') this.#over = true;
    } catch (error) {
      this.#failure = { error };
    } finally {
      this.#wake?.();
    }
  }

  /** The next item, `tick` when none comes in time, undefined at the end. */
  async next(waitMs: number): Promise<Item | undefined> {
    for (;;) {
      if (this.#failure) throw this.#failure.error;
      if (this.#signal.aborted) return undefined;
      const item = this.#items.shift();
      if (item) {
        this.#room?.();
        this.#room = undefined;
        return item;
      }
      if (this.#over) return undefined;
      if ((await this.#woken(waitMs)) === 'late') return { type: 'tick' };
    }
  }

  #woken(waitMs: number): Promise<'late' | 'woken'> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => done('late'), waitMs);
      const done = (how: 'late' | 'woken'): void => {
        clearTimeout(timer);
        this.#wake = undefined;
        resolve(how);
      };
      this.#wake = () => done('woken');
    });
  }
}

function frameOf(event: RunEvent): string {
  // JSON has no line break of its own, and an id with one would end the field.
  const id = unrecorded.has(event.type) || /[\r\n\0]/.test(event.id) ? '' : `id: ${event.id}\n`;
  return `${id}data: ${JSON.stringify(event)}\n\n`;
}

function endFrame(run: string, status: string): string {
  return `event: end\ndata: ${JSON.stringify({ run, status })}\n\n`;
}
