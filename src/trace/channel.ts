import type { RunEvent } from '../core/event.ts';

/**
 * Events as an async iterable, for one consumer. Nothing is kept before the iteration has begun, so that a run nobody watches costs
 * nothing; the iteration ends when the run does, however it does (invariant 13).
 */
export class Channel implements AsyncIterable<RunEvent> {
  #queue: RunEvent[] = [];
  #wake: (() => void) | undefined;
  #watched = false;
  #closed = false;

  get watched(): boolean {
    return this.#watched;
  }

  write(event: RunEvent): void {
    if (!this.#watched || this.#closed) return;
    this.#queue.push(event);
    this.#wake?.();
  }

  close(): void {
    this.#closed = true;
    this.#wake?.();
  }

  [Symbol.asyncIterator](): AsyncIterator<RunEvent> {
    this.#watched = true;
    return this.#read();
  }

  async *#read(): AsyncGenerator<RunEvent> {
    try {
      for (;;) {
        const events = this.#queue;
        this.#queue = [];
        yield* events;
        if (this.#queue.length > 0) continue;
        if (this.#closed) return;
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
        this.#wake = undefined;
      }
    } finally {
      this.#watched = false;
      this.#queue = [];
    }
  }
}
