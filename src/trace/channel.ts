import type { RunEvent } from '../core/event.ts';

/** One iteration: what it has not read yet, and how to wake it. */
interface Reader {
  queue: RunEvent[];
  wake: (() => void) | undefined;
}

/**
 * Events as an async iterable. Each iteration gets what is written from its beginning on; nothing is kept before, so that a run
 * nobody watches costs nothing. Every iteration ends when the run does, however it does (invariant 13).
 */
export class Channel implements AsyncIterable<RunEvent> {
  readonly #readers = new Set<Reader>();
  #closed = false;

  get watched(): boolean {
    return this.#readers.size > 0;
  }

  write(event: RunEvent): void {
    if (this.#closed) return;
    for (const reader of this.#readers) {
      reader.queue.push(event);
      reader.wake?.();
    }
  }

  close(): void {
    this.#closed = true;
    for (const reader of this.#readers) reader.wake?.();
  }

  [Symbol.asyncIterator](): AsyncIterator<RunEvent> {
    const reader: Reader = { queue: [], wake: undefined };
    this.#readers.add(reader);
    return this.#read(reader);
  }

  async *#read(reader: Reader): AsyncGenerator<RunEvent> {
    try {
      for (;;) {
        const events = reader.queue;
        reader.queue = [];
        yield* events;
        if (reader.queue.length > 0) continue;
        if (this.#closed) return;
        await new Promise<void>((resolve) => {
          reader.wake = resolve;
        });
        reader.wake = undefined;
      }
    } finally {
      this.#readers.delete(reader);
    }
  }
}
