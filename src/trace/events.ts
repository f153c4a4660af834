/**
 * Where the events of all runs are kept. Contract (one suite for every store, `src/testing/event-store-contract.ts`):
 *
 * 1. (run, id) is unique and the first copy wins: what a replay emits again changes nothing.
 * 2. The events of a run are read in the order they were stored, the same for every reader, on whatever machine.
 * 3. What `unrecorded` names is not stored.
 * 4. A write never waits for the storage; its failure is thrown by the next `write` or by `close` of the sink.
 * 5. Nothing here is needed to resume a run: a crash may lose the newest events, and their replay brings them back.
 */
import type { RunEvent, Sink } from '../core/event.ts';

export interface EventRange {
  /** The id of an event: the range begins behind it. With an id that is not stored it begins at the first event. */
  after?: string | undefined;
  /** Events at most. Default: all. */
  limit?: number | undefined;
}

export interface FollowOptions {
  /** As in `EventRange`. */
  after?: string | undefined;
  /** Ends the iteration, at once. */
  signal?: AbortSignal | undefined;
}

export interface EventStore {
  /** A sink that stores. Its `close` writes what waits; the store stays open. */
  sink(): Sink;
  /** The stored events of one run, in order; empty when there are none. It sees what this process wrote before. */
  read(runId: string, range?: EventRange): RunEvent[] | Promise<RunEvent[]>;
  /**
   * The events of one run, stored ones first and then each soon after it is stored, whichever process stores it, without a gap or a
   * double. It ends with its signal or with the store, not with the run: a run may go on later.
   */
  subscribe(runId: string, options?: FollowOptions): AsyncIterable<RunEvent>;
  /** Removes the runs whose newest event is older than `time` (milliseconds since the epoch), and gives the number of events removed. */
  deleteBefore(time: number): number | Promise<number>;
  /** Writes what waits, ends those who follow, and releases the storage. */
  close(): void | Promise<void>;
}

/** They come out of a running step and no replay repeats them. */
export const unrecorded: ReadonlySet<RunEvent['type']> = new Set(['model.delta', 'model.start', 'model.retry']);
