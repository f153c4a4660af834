/**
 * One run while it holds a coroutine.
 *
 * 1. An operation is pending from the moment the code asks until its entry is delivered; no two pending ones share a key.
 * 2. Entries are delivered in journal order, one at a time and each when no microtask is left, so that every branch reaches
 *    its next operation in between.
 * 3. While recorded entries are left nothing begins. What is pending when they are used up begins in the order it was asked.
 * 4. A recorded entry that nobody asked for parks the run, unless the code has not asked for anything yet.
 * 5. An entry reaches the queue only after the store has committed it.
 * 6. A cancellation is an entry too, so that it replays at its place. From its recording to its delivery nothing begins
 *    and no result is recorded; after it, cleanup operations work as before.
 * 7. Once over, nothing is recorded or delivered. Parking and a failing store reject what is pending; otherwise it is
 *    dropped unsettled, so that no `catch` of the agent's code runs for a run that will be replayed.
 */
import { setMaxListeners } from 'node:events';
import { CancelledError, NondeterminismError, type StateError } from '../core/errors.ts';
import type { Ending } from './ending.ts';
import { EntryQueue } from './entry-queue.ts';
import type { Limiter } from './limiter.ts';
import { mismatch } from './mismatch.ts';
import { Names } from './names.ts';
import { ChildOperation, type Operation, type OperationHost, type Outcome, WaitOperation } from './operation.ts';
import { type Recorded, RecordedText } from './recorded.ts';
import type { Entry, JournalStore, RunRecord } from './store.ts';
import { WhenQuiet } from './when-quiet.ts';

const cancelKey = '~cancel';

/** What a run needs of the one who runs it. */
export interface RunKeeper {
  readonly store: Pick<JournalStore, 'entries' | 'signal' | 'turn' | 'write'>;
  readonly limiter: Limiter;
  readonly suspendAfterMs: number;
  ended(run: LiveRun, ending: Ending): void;
  beginChild(run: LiveRun, child: ChildOperation): void;
  cancelChild(run: LiveRun, child: ChildOperation): void;
}

/** The executions of one run share nothing: a resumed run is a new `LiveRun`. */
export class LiveRun implements OperationHost {
  readonly kept: RunRecord;
  readonly id: string;
  readonly limiter: Limiter;
  readonly names: Names;
  readonly #keeper: RunKeeper;
  readonly #pending = new Map<string, Operation>();
  readonly #controller = new AbortController();
  /** For what begins after the cancellation was delivered. */
  #cleanup: AbortController | undefined;
  readonly #queue: EntryQueue;
  #replaying: boolean;
  #nextSeq: number;
  #scheduled = false;
  #lastTurn: number | undefined;
  #delivered = 0;
  #suspendTimer: NodeJS.Timeout | undefined;
  #cancelling = false;
  #over: Ending | undefined;

  constructor(kept: RunRecord, keeper: RunKeeper) {
    this.kept = kept;
    this.id = kept.id;
    this.limiter = keeper.limiter;
    this.names = new Names(kept.seed);
    this.#keeper = keeper;
    this.#queue = new EntryQueue(keeper.store.entries(kept.n, 0, Number.POSITIVE_INFINITY));
    this.#nextSeq = this.#queue.length + 1;
    this.#replaying = this.#queue.length > 0 || kept.cancelRequested;
    // Any number of closures may listen at once.
    setMaxListeners(0, this.#controller.signal);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get closureSignal(): AbortSignal {
    return (this.#cleanup ?? this.#controller).signal;
  }

  get isOver(): boolean {
    return this.#over !== undefined;
  }

  /** Takes over the coroutine: how it ends is how the run ends. */
  follow(coroutine: Promise<unknown>): void {
    coroutine.then(
      (output) => this.#return({ type: 'returned', output }),
      (error) => this.#return({ type: 'threw', error }),
    );
    if (this.#replaying) this.#schedule();
  }

  issue(operation: Operation): Promise<unknown> {
    if (this.#over) this.#refuse(operation, this.#over);
    else {
      this.#pending.set(operation.key, operation);
      if (this.#replaying) this.#schedule();
      else if (!this.#cancelling) operation.begin(this);
    }
    return operation.promise;
  }

  record(operation: Operation, outcome: Outcome): void {
    if (this.#over || this.#cancelling || operation.recorded || !this.#pending.has(operation.key)) return;
    operation.recorded = true;
    operation.idle = false;
    this.#append(operation.key, outcome);
  }

  arrived(signal: string): Recorded | undefined {
    try {
      const text = this.#keeper.store.signal(this.kept.n, signal);
      return text === undefined ? undefined : new RecordedText(text);
    } catch (error) {
      // The store throws nothing but StateErrors.
      this.end({ type: 'halted', error: error as StateError });
      return undefined;
    }
  }

  beginChild(child: ChildOperation): void {
    this.#keeper.beginChild(this, child);
  }

  nowIdle(): void {
    this.#suspendTimer ??= setTimeout(this.#maySuspend, this.#keeper.suspendAfterMs, this.#delivered);
  }

  /** A signal of this run may have been written. */
  checkWaits(): void {
    for (const wait of this.waitingIn(WaitOperation)) if (wait.idle) wait.check();
  }

  /** Somebody asked to cancel: now, or when the replay is through. */
  cancel(): void {
    this.kept.cancelRequested = true;
    if (this.#over || this.#replaying || this.#cancelling || this.#cleanup) return;
    this.#cancelling = true;
    this.#append(cancelKey, {});
  }

  /** The pending operations of that class. */
  waitingIn<O extends Operation>(kind: abstract new (...parts: never[]) => O): O[] {
    return [...this.#pending.values()].filter((operation): operation is O => operation instanceof kind);
  }

  /** The operation that waits for this child. */
  childOperation(id: string): ChildOperation | undefined {
    const operation = this.#pending.get(id.slice(this.id.length + 1));
    return operation instanceof ChildOperation ? operation : undefined;
  }

  park(error: NondeterminismError): void {
    this.end({ type: 'parked', error });
  }

  #append(key: string, outcome: Outcome): void {
    const entry: Entry = { seq: this.#nextSeq++, key, value: outcome.value, error: outcome.error, at: Date.now() };
    this.#keeper.store.write(
      { type: 'append', run: this.kept.n, entry },
      { committed: () => this.#committed(entry), failed: this.#failed },
    );
  }

  readonly #failed = (error: StateError): void => this.end({ type: 'halted', error });

  #committed(entry: Entry): void {
    if (this.#over) return;
    this.#queue.push(entry);
    if (this.#scheduled) return;
    const { turn } = this.#keeper.store;
    // In a macrotask of the store's own it is quiet: the first entry need not wait for that again.
    if (turn === undefined || turn === this.#lastTurn) this.#schedule();
    else this.#deliverNext();
    this.#lastTurn = turn;
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    this.#whenQuiet.callBack();
  }

  readonly #whenQuiet = new WhenQuiet(() => {
    this.#scheduled = false;
    if (!this.#over) this.#deliverNext();
  });

  #deliverNext(): void {
    const entry = this.#queue.first;
    if (!entry) {
      if (this.#replaying) this.#goLive();
      return;
    }
    const operation = this.#pending.get(entry.key);
    if (!operation && entry.key !== cancelKey) {
      if (this.#pending.size > 0) this.park(mismatch(this.id, entry, [...this.#pending.keys()]));
      return;
    }
    this.#delivered++;
    this.#queue.shift();
    if (operation) this.#settle(operation, entry);
    else this.#unwind();
    if (this.#replaying || this.#queue.length > 0) this.#schedule();
  }

  #settle(operation: Operation, entry: Entry): void {
    this.#pending.delete(operation.key);
    operation.replayed = this.#replaying;
    try {
      operation.settle(entry);
    } catch (error) {
      // Only reading a large value from the store can fail, and the store throws nothing but StateErrors.
      this.end({ type: 'halted', error: error as StateError });
    }
  }

  /** Delivers the cancellation. */
  #unwind(): void {
    const reason = new CancelledError();
    const pending = [...this.#pending.values()];
    this.#pending.clear();
    this.#cancelling = false;
    this.#cleanup = new AbortController();
    this.#controller.abort(reason);
    for (const operation of pending) {
      operation.stop(reason);
      // In a replay too, and when it was not begun here: the child may have been started before.
      if (operation instanceof ChildOperation) this.#keeper.cancelChild(this, operation);
      operation.rejectQuietly(reason);
    }
  }

  #goLive(): void {
    this.#replaying = false;
    if (this.kept.cancelRequested) this.cancel();
    if (this.#cancelling) return;
    for (const operation of [...this.#pending.values()]) {
      if (this.#over) return;
      operation.begin(this);
    }
  }

  readonly #maySuspend = (deliveredBefore: number): void => {
    this.#suspendTimer = undefined;
    const pending = [...this.#pending.values()];
    if (this.#over || !pending.some((operation) => operation.idle)) return;
    const quiet = this.#delivered === deliveredBefore && !this.#cancelling;
    if (!quiet || !pending.every((operation) => operation.idle)) {
      this.nowIdle();
      return;
    }
    const waits = this.waitingIn(WaitOperation);
    const times = waits.flatMap((wait) => wait.until ?? []);
    const waitingFor = [...new Set(waits.flatMap((wait) => wait.signal ?? []))];
    this.end({ type: 'suspended', waitingFor, wakeAt: times.length > 0 ? Math.min(...times) : undefined });
  };

  #return(ending: Extract<Ending, { type: 'returned' | 'threw' }>): void {
    if (this.#over) return;
    if (ending.type === 'threw' && ending.error instanceof NondeterminismError) {
      this.park(ending.error);
      return;
    }
    // Entries of branches the code no longer waited for may be left; an entry nobody ever asked for may not.
    const unasked = this.#queue.find(({ key }) => key !== cancelKey && !this.#pending.has(key));
    if (unasked) this.park(mismatch(this.id, unasked, [...this.#pending.keys()]));
    else this.end(ending);
  }

  /** Drops the coroutine. Only the first ending counts. */
  end(ending: Ending): void {
    if (this.#over) return;
    this.#over = ending;
    clearTimeout(this.#suspendTimer);
    this.#queue.clear();
    if (this.#pending.size > 0) this.#drop(ending);
    this.#keeper.ended(this, ending);
  }

  #drop(ending: Ending): void {
    const pending = [...this.#pending.values()];
    this.#pending.clear();
    const reason =
      ending.type === 'parked' || ending.type === 'halted' ? ending.error : new Error(`the run is ${ending.type}`);
    for (const operation of pending) {
      operation.stop(reason);
      this.#refuse(operation, ending);
    }
    if (ending.type === 'suspended') return;
    this.#controller.abort(reason);
    this.#cleanup?.abort(reason);
  }

  #refuse(operation: Operation, ending: Ending): void {
    if (ending.type === 'parked' || ending.type === 'halted') operation.rejectQuietly(ending.error);
  }
}
