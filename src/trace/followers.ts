/**
 * Those who follow runs in a store that other processes write to as well.
 *
 * Polled, not notified: one query for all who wait, some times a second, and none when nobody waits. PostgreSQL's NOTIFY would need a
 * connection of its own for every process, which poolers in transaction mode do not give, still a query after every reconnect, and
 * makes all commits of the database that notify wait for each other. What this process stores itself is seen at once.
 */
import type { RunEvent } from '../core/event.ts';

/** Where a follower is: behind an event it names by its id, where that is stored, else behind the number `seq`, which grows along a run. */
export interface Position {
  run: string;
  id: string | undefined;
  seq: number;
}

/** An event behind the position with that index among those asked for. */
export interface FoundEvent {
  index: number;
  seq: number;
  event: RunEvent;
}

export interface FollowSource {
  /** For each position the next events in order, at most `limit` of each. */
  find(positions: readonly Position[], limit: number): FoundEvent[] | Promise<FoundEvent[]>;
  /** Whether a failure may pass: then it is asked again. */
  mayPass(error: unknown): boolean;
}

interface Waiting extends Position {
  settle(found: FoundEvent[]): void;
  reject(error: unknown): void;
}

const pollMs = 200;
const pauseAfterFailureMs = 1_000;
const pageEvents = 200;

export class Followers {
  readonly #source: FollowSource;
  readonly #waiting = new Set<Waiting>();
  #polling = false;
  #closed = false;
  /** Ends the pause between two polls. */
  #endPause: (() => void) | undefined;
  #hurried = false;

  constructor(source: FollowSource) {
    this.#source = source;
  }

  /** The events behind the one with the id `after`, and all later ones, until the signal or `close`. */
  async *follow(run: string, after: string | undefined, signal: AbortSignal | undefined): AsyncGenerator<RunEvent> {
    let position: Position = { run, id: after, seq: 0 };
    for (;;) {
      for (const { seq, event } of await this.#next(position, signal)) {
        if (signal?.aborted) return;
        position = { run, id: undefined, seq };
        yield event;
      }
      if (this.#closed || signal?.aborted) return;
    }
  }

  /** Looks at once for those who follow one of the runs: this process has stored something of it. */
  wake(runs: ReadonlySet<string>): void {
    if ([...this.#waiting].some(({ run }) => runs.has(run))) this.#hurry();
  }

  /** Ends every iteration. */
  close(): void {
    this.#closed = true;
    for (const one of this.#waiting) one.settle([]);
    this.#endPause?.();
  }

  #next(position: Position, signal: AbortSignal | undefined): Promise<FoundEvent[]> {
    if (this.#closed || signal?.aborted) return Promise.resolve([]);
    return new Promise((resolve, reject) => {
      const done = (): void => {
        this.#waiting.delete(waiting);
        signal?.removeEventListener('abort', abort);
      };
      const waiting: Waiting = {
        ...position,
        settle(found) {
          done();
          resolve(found);
        },
        reject(error) {
          done();
          reject(error);
        },
      };
      const abort = (): void => waiting.settle([]);
      signal?.addEventListener('abort', abort);
      this.#waiting.add(waiting);
      // Only a look shows whether more is there already.
      this.#hurry();
      if (!this.#polling) void this.#poll();
    });
  }

  async #poll(): Promise<void> {
    this.#polling = true;
    while (this.#waiting.size > 0) {
      this.#hurried = false;
      const asked = [...this.#waiting];
      try {
        const found = Map.groupBy(await this.#source.find(asked, pageEvents), ({ index }) => index);
        for (const [index, events] of found) asked[index]?.settle(events);
        if (!this.#hurried) await this.#pause(pollMs);
      } catch (error) {
        if (this.#source.mayPass(error)) await this.#pause(pauseAfterFailureMs);
        else for (const one of asked) one.reject(error);
      }
    }
    this.#polling = false;
  }

  #hurry(): void {
    this.#hurried = true;
    this.#endPause?.();
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(end, ms);
      function end(): void {
        clearTimeout(timer);
        resolve();
      }
      this.#endPause = end;
    });
  }
}
