/** A host that keeps its journals in arrays: for tests, and for runs that need not survive the process. */
import { StateError } from '../core/errors.ts';
import type { DurableHost } from './durable.ts';
import { Engine, type EngineOptions } from './engine.ts';
import {
  type Change,
  type Entry,
  isFinished,
  type JournalStore,
  type RunQuery,
  type RunRecord,
  type Writer,
} from './store.ts';

interface KeptRun {
  record: RunRecord;
  entries: Entry[];
  signals: Map<string, string>;
}

/** What outlives an in-memory host: hand it to another one to go on as after a restart. */
export class InMemoryJournals {
  /** By number, oldest first. */
  readonly runs: Map<number, KeptRun> = new Map();
  readonly byId: Map<string, KeptRun> = new Map();
  /** Runs that may be dropped, the first to end first. */
  readonly finished: KeptRun[] = [];
  created: number = 0;
  readonly liveOwners: Set<string> = new Set();
  owners: number = 0;
  /** Transactions so far, whoever made them. */
  transactions: number = 0;
}

export interface InMemoryHostOptions extends EngineOptions {
  /** What an earlier host has left; a host without it starts empty. */
  journals?: InMemoryJournals | undefined;
  /** When a run begins, the oldest finished ones beyond so many are forgotten: memory does not grow for ever. Default 256. */
  keepFinished?: number | undefined;
}

/** A durable host in memory. Values are kept as JSON text, so a replay sees what a file would give back. */
export function inMemoryHost(options: InMemoryHostOptions = {}): DurableHost {
  return new Engine(new InMemoryStore(options), options);
}

class InMemoryStore implements JournalStore {
  readonly turn = undefined;
  readonly owner: string;
  readonly #journals: InMemoryJournals;
  readonly #keepFinished: number;
  #ownTransactions = 0;
  #seenElsewhere = -1;

  constructor({ journals = new InMemoryJournals(), keepFinished = 256 }: InMemoryHostOptions) {
    this.#journals = journals;
    this.#keepFinished = keepFinished;
    this.owner = `${process.pid}-${++journals.owners}`;
    journals.liveOwners.add(this.owner);
  }

  /** Nothing is shared by waiting, so every change is applied and told at once. */
  write(change: Change, writer: Writer): void {
    this.#journals.transactions++;
    this.#ownTransactions++;
    writer.committed(this.#applyOne(change));
  }

  find(id: string): RunRecord | undefined {
    const run = this.#journals.byId.get(id);
    return run && { ...run.record };
  }

  list({ state, workflow, limit = Number.POSITIVE_INFINITY }: RunQuery): RunRecord[] {
    const found: RunRecord[] = [];
    for (const { record } of [...this.#journals.runs.values()].reverse()) {
      if (found.length >= limit) break;
      const fits = (state ?? record.state) === record.state && (workflow ?? record.workflow) === record.workflow;
      if (fits) found.push({ ...record });
    }
    return found;
  }

  entries(run: number, after: number, limit: number): Entry[] {
    return this.#run(run).entries.slice(after, after + limit);
  }

  signal(run: number, name: string): string | undefined {
    return this.#run(run).signals.get(name);
  }

  cancelRequests(): string[] {
    const mine = [...this.#journals.runs.values()].filter(
      ({ record }) => record.owner === this.owner && record.cancelRequested,
    );
    return mine.map(({ record }) => record.id);
  }

  changedElsewhere(): boolean {
    const elsewhere = this.#journals.transactions - this.#ownTransactions;
    const changed = elsewhere !== this.#seenElsewhere;
    this.#seenElsewhere = elsewhere;
    return changed;
  }

  isAlive(owner: string): boolean {
    return this.#journals.liveOwners.has(owner);
  }

  close(): void {
    this.#journals.liveOwners.delete(this.owner);
  }

  #run(n: number): KeptRun {
    const run = this.#journals.runs.get(n);
    if (!run) throw new StateError(`there is no run number ${n}`);
    return run;
  }

  #applyOne(change: Change): boolean {
    switch (change.type) {
      case 'append':
        this.#run(change.run).entries.push(change.entry);
        return true;
      case 'create':
        return this.#create(change);
      case 'claim':
        return this.#claim(this.#run(change.run).record);
      case 'release': {
        const { type: _type, run, ...state } = change;
        const kept = this.#run(run);
        Object.assign(kept.record, state, { owner: undefined });
        // A child stays: its parent may ask for it as long as it goes on.
        if (isFinished(kept.record.state) && kept.record.parent === undefined) this.#journals.finished.push(kept);
        return true;
      }
      case 'signal': {
        const { signals } = this.#run(change.run);
        if (signals.has(change.name)) return false;
        signals.set(change.name, change.value);
        return true;
      }
      case 'cancel':
        this.#run(change.run).record.cancelRequested = true;
        return true;
      default:
        return change satisfies never;
    }
  }

  #create({ run, copy }: Extract<Change, { type: 'create' }>): boolean {
    const { runs, byId } = this.#journals;
    if (byId.has(run.id)) return false;
    this.#forgetOldest();
    const n = this.#journals.created++;
    const record: RunRecord = {
      ...run,
      n,
      state: 'running',
      waitingFor: [],
      updated: run.created,
      cancelRequested: false,
      owner: this.owner,
    };
    const entries = copy ? this.entries(copy.from, 0, copy.upTo) : [];
    if (copy?.last) entries.push(copy.last);
    const kept = { record, entries, signals: new Map() };
    runs.set(n, kept);
    byId.set(run.id, kept);
    return true;
  }

  #forgetOldest(): void {
    const { finished, runs, byId } = this.#journals;
    if (finished.length <= this.#keepFinished) return;
    for (const { record } of finished.splice(0, finished.length - this.#keepFinished)) {
      runs.delete(record.n);
      byId.delete(record.id);
    }
  }

  #claim(record: RunRecord): boolean {
    const isTaken = record.owner !== undefined && record.owner !== this.owner && this.isAlive(record.owner);
    if (isFinished(record.state) || isTaken) return false;
    Object.assign(record, { owner: this.owner, state: 'running', waitingFor: [], wakeAt: undefined, error: undefined });
    return true;
  }
}
