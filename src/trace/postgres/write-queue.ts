/**
 * What waits to be written to a database that may be away for a while.
 *
 * 1. `add` never waits for the database. Items are written in the order they came, one batch at a time.
 * 2. A failure that may pass is tried again for as long as it takes. Any other is final: what waits is dropped, and each later call
 *    throws it.
 * 3. Memory is bounded: above `capacity` the caller is asked to wait for room, and one that does not is refused at twice as much.
 * 4. A flush ends: when all is written, or when nothing could be written for as long as it is patient.
 */
import { StateError } from '../../core/errors.ts';

export interface WriteQueueOptions<Item> {
  /** Of the items, in the messages. */
  name: string;
  /** Stores the batch, all of it or nothing. It may be called again with a batch that was stored unnoticed. */
  write(batch: readonly Item[]): Promise<void>;
  /** Whether the failure of a `write` may pass. */
  mayPass(error: unknown): boolean;
  /** The sum of sizes above which a caller has to wait. */
  capacity: number;
}

interface Flush {
  upTo: number;
  settle(error?: Error): void;
}

const batchItems = 500;
const batchSize = 4 * 1024 * 1024;
const firstPauseMs = 100;
const longestPauseMs = 5_000;
/** What an item takes beside its size. */
const overhead = 200;

export class WriteQueue<Item> {
  readonly #options: WriteQueueOptions<Item>;
  #waiting: { item: Item; size: number }[] = [];
  #size = 0;
  #written = 0;
  #running = false;
  #closed = false;
  #failure: Error | undefined;
  #outage: Error | undefined;
  #flushes: Flush[] = [];
  #rooms: (() => void)[] = [];
  #endPause: (() => void) | undefined;

  constructor(options: WriteQueueOptions<Item>) {
    this.#options = options;
  }

  /** Takes the item. The promise, if there is one, resolves when there is room for more. Throws the final failure. */
  add(item: Item, size: number): Promise<void> | undefined {
    if (this.#failure) throw this.#failure;
    const { capacity, name } = this.#options;
    if (this.#size > 2 * capacity)
      throw new StateError(`${this.#waiting.length} ${name} wait to be written: wait for a write before the next one`);
    this.#waiting.push({ item, size: size + overhead });
    this.#size += size + overhead;
    this.#run();
    if (this.#size <= capacity) return undefined;
    return new Promise((resolve) => {
      this.#rooms.push(resolve);
    });
  }

  /** Resolves when all that was added is written. Rejects when nothing could be for `patienceMs`. */
  flush(patienceMs: number): Promise<void> {
    if (this.#failure) return Promise.reject(this.#failure);
    if (this.#waiting.length === 0) return Promise.resolve();
    this.#endPause?.();
    return new Promise((resolve, reject) => {
      let before = this.#written;
      const timer = setInterval(() => {
        if (this.#written === before) flush.settle(this.#delayed(patienceMs));
        before = this.#written;
      }, patienceMs);
      const flush: Flush = {
        upTo: this.#written + this.#waiting.length,
        settle: (error) => {
          clearInterval(timer);
          this.#flushes = this.#flushes.filter((other) => other !== flush);
          if (error) reject(error);
          else resolve();
        },
      };
      this.#flushes.push(flush);
    });
  }

  /** Writes what waits, then takes nothing more. Rejects when something could not be written; it is dropped. */
  async close(patienceMs: number): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    try {
      await this.flush(patienceMs);
    } finally {
      this.#fail(new StateError(`the store of ${this.#options.name} was closed: open it again to use it`));
    }
  }

  #run(): void {
    if (this.#running) return;
    this.#running = true;
    // What comes in one turn of the event loop shares a batch.
    setImmediate(() => void this.#drain());
  }

  async #drain(): Promise<void> {
    let pauseMs = firstPauseMs;
    while (this.#waiting.length > 0) {
      const batch = this.#nextBatch();
      try {
        await this.#options.write(batch.map(({ item }) => item));
        pauseMs = firstPauseMs;
        this.#done(batch);
      } catch (error) {
        const failure = error instanceof Error ? error : new StateError(String(error));
        if (!this.#options.mayPass(failure)) {
          this.#fail(failure);
          break;
        }
        this.#outage = failure;
        await this.#pause(pauseMs);
        pauseMs = Math.min(2 * pauseMs, longestPauseMs);
      }
    }
    this.#running = false;
  }

  #nextBatch(): { item: Item; size: number }[] {
    let size = 0;
    const large = this.#waiting.findIndex((one, index) => {
      size += one.size;
      return index === batchItems || (index > 0 && size > batchSize);
    });
    return this.#waiting.slice(0, large < 0 ? this.#waiting.length : large);
  }

  #done(batch: readonly { size: number }[]): void {
    // A final failure, such as closing, has dropped them meanwhile.
    if (this.#failure) return;
    this.#outage = undefined;
    this.#waiting.splice(0, batch.length);
    this.#written += batch.length;
    for (const { size } of batch) this.#size -= size;
    for (const flush of this.#flushes) if (flush.upTo <= this.#written) flush.settle();
    if (this.#size <= this.#options.capacity) this.#makeRoom();
  }

  #fail(failure: Error): void {
    this.#failure ??= failure;
    this.#waiting = [];
    this.#size = 0;
    for (const flush of this.#flushes) flush.settle(this.#failure);
    this.#endPause?.();
    this.#makeRoom();
  }

  #makeRoom(): void {
    for (const resolve of this.#rooms.splice(0)) resolve();
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        this.#endPause = undefined;
        resolve();
      };
      // A process that has nothing else to do may end.
      const timer = setTimeout(end, ms).unref();
      this.#endPause = end;
    });
  }

  #delayed(patienceMs: number): Error {
    const why = this.#outage?.message ?? `The database did not answer within ${patienceMs} ms`;
    return new StateError(`${this.#waiting.length} ${this.#options.name} are not written yet. ${why}`);
  }
}
