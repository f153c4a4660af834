/**
 * Hands the events of a run to its sinks (invariant 13).
 *
 * 1. `write` never throws and never waits: an event goes into a queue per sink, and each sink gets its events in order, one
 *    at a time.
 * 2. An event stands in every queue before any sink sees it, so a report that is written back in as an event comes after its cause.
 * 3. A sink that throws or rejects is reported once and never called again.
 * 4. A queue is bounded. While it is full new events are dropped for that sink; the first drop is reported.
 * 5. `close` waits for each sink at most `closeMs`, and always ends.
 */
import { messageOf } from '../core/errors.ts';
import type { RunEvent, Sink } from '../core/event.ts';

export interface FanOut {
  /** Returns at once, whatever the sinks do. After `close` it does nothing. */
  write(event: RunEvent): void;
  /** Delivers what is queued, then closes each sink. Never rejects; the same promise every time. */
  close(): Promise<void>;
}

export interface FanOutOptions {
  /** Events that may wait for one sink. Default 10,000. */
  capacity?: number;
  /** Milliseconds that `close` waits for one sink. Default 2,000. */
  closeMs?: number;
}

/**
 * One writer for many sinks. `onFailure` is told, once per sink and fact, that a sink failed, fell behind or did not close;
 * it may write that as an event.
 */
export function fanOut(
  sinks: readonly Sink[],
  onFailure: (sink: string, why: string) => void,
  options: FanOutOptions = {},
): FanOut {
  const { capacity = 10_000, closeMs = 2_000 } = options;
  const lanes = sinks.map((sink) => new Lane(sink, capacity, (why) => report(onFailure, sink.name, why)));
  let closing: Promise<void> | undefined;
  return {
    write(event) {
      if (closing) return;
      for (const lane of lanes) lane.add(event);
      for (const lane of lanes) lane.drain();
    },
    close() {
      closing ??= Promise.all(lanes.map((lane) => lane.close(closeMs))).then(() => undefined);
      return closing;
    },
  };
}

function report(onFailure: (sink: string, why: string) => void, sink: string, why: string): void {
  try {
    onFailure(sink, why);
  } catch (error) {
    // Nobody is left to tell but the process itself.
    process.emitWarning(`${sink}: ${why}; and the report of it failed: ${messageOf(error)}`);
  }
}

class Lane {
  readonly #sink: Sink;
  readonly #capacity: number;
  readonly #report: (why: string) => void;
  #waiting: RunEvent[] = [];
  /** How many of `#waiting` are done: taking from the front of a long array would move the rest every time. */
  #taken = 0;
  #state: 'idle' | 'busy' | 'dead' = 'idle';
  #fellBehind = false;
  #onIdle: (() => void) | undefined;

  constructor(sink: Sink, capacity: number, onFailure: (why: string) => void) {
    this.#sink = sink;
    this.#capacity = capacity;
    this.#report = onFailure;
  }

  add(event: RunEvent): void {
    if (this.#state === 'dead') return;
    if (this.#waiting.length - this.#taken < this.#capacity) {
      this.#waiting.push(event);
      return;
    }
    if (this.#fellBehind) return;
    this.#fellBehind = true;
    this.#report(`it is too slow: ${this.#capacity} events wait for it and new ones are dropped`);
  }

  drain(): void {
    while (this.#state === 'idle') {
      const event = this.#next();
      if (!event) break;
      this.#state = 'busy';
      try {
        const done = this.#sink.write(event);
        if (done === undefined) this.#state = 'idle';
        else this.#await(done);
      } catch (error) {
        this.#fail(messageOf(error));
      }
    }
    if (this.#state !== 'busy') this.#onIdle?.();
  }

  async close(closeMs: number): Promise<void> {
    const late = deadline(closeMs);
    try {
      const drained = new Promise<void>((resolve) => {
        this.#onIdle = resolve;
        this.drain();
      });
      if ((await Promise.race([drained, late.passed])) === 'late') {
        const lost = this.#waiting.length - this.#taken;
        this.#fail(`it did not finish within ${closeMs} ms: one write hangs and ${lost} events were not written`);
      } else if (this.#state === 'idle' && (await Promise.race([this.#sink.close?.(), late.passed])) === 'late') {
        this.#fail(`it did not close within ${closeMs} ms`);
      }
    } catch (error) {
      this.#fail(messageOf(error));
    } finally {
      late.cancel();
    }
  }

  #next(): RunEvent | undefined {
    const event = this.#waiting[this.#taken];
    if (event) this.#taken++;
    if (this.#taken === this.#waiting.length || this.#taken > this.#capacity) {
      this.#waiting = this.#waiting.slice(this.#taken);
      this.#taken = 0;
    }
    return event;
  }

  #await(done: Promise<void>): void {
    // `resolve` also takes in what is only promise-like, so a rejection cannot escape.
    Promise.resolve(done).then(
      () => {
        if (this.#state !== 'dead') this.#state = 'idle';
        this.drain();
      },
      (error: unknown) => this.#fail(messageOf(error)),
    );
  }

  #fail(why: string): void {
    if (this.#state === 'dead') return;
    this.#state = 'dead';
    this.#waiting = [];
    this.#taken = 0;
    this.#report(why);
    this.#onIdle?.();
  }
}

function deadline(ms: number): { passed: Promise<'late'>; cancel(): void } {
  let timer: NodeJS.Timeout | undefined;
  const passed = new Promise<'late'>((resolve) => {
    timer = setTimeout(resolve, ms, 'late');
  });
  return { passed, cancel: () => clearTimeout(timer) };
}
