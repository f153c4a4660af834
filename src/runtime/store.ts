/** What a journal needs of a place to keep it. The engine knows nothing else of files or arrays. */
import type { StateError } from '../core/errors.ts';
import type { RunState } from './durable.ts';
import type { Recorded } from './recorded.ts';

/** A run as it is kept. */
export interface RunRecord {
  /** The store's own number of the run; grows in the order of creation. */
  n: number;
  id: string;
  workflow: string;
  version: number;
  state: RunState;
  waitingFor: string[];
  /** When a suspended run has to go on by itself, in milliseconds since the epoch. */
  wakeAt?: number | undefined;
  input?: string | undefined;
  output?: Recorded | undefined;
  error?: string | undefined;
  created: number;
  updated: number;
  /** `now()` before the first entry. A fork inherits it, like the seed. */
  began: number;
  seed: string;
  forkedFrom?: string | undefined;
  /** The run that started this one as its child. */
  parent?: string | undefined;
  cancelRequested: boolean;
  /** Who executes the run: `<process id>-<nonce>`. */
  owner?: string | undefined;
}

/** One line of a journal: the value (absent for undefined), or the failure. */
export interface Entry {
  readonly seq: number;
  readonly key: string;
  readonly value?: Recorded | undefined;
  readonly error?: { name: string; message: string } | undefined;
  readonly at: number;
}

export type NewRun = Pick<
  RunRecord,
  'id' | 'workflow' | 'version' | 'input' | 'created' | 'began' | 'seed' | 'forkedFrom' | 'parent'
>;

/** A prefix of another journal that a new run takes over, and an entry behind it. */
export interface Prefix {
  from: number;
  upTo: number;
  last?: Entry | undefined;
}

export type Change =
  /** A new run of this owner, with what it takes over. Changes nothing when the id is taken. */
  | { type: 'create'; run: NewRun; copy?: Prefix | undefined }
  | { type: 'append'; run: number; entry: Entry }
  /** Makes an unfinished run this owner's and `running`. Changes nothing when a live owner has it. */
  | { type: 'claim'; run: number }
  /** A new state; the run belongs to nobody then. */
  | ({ type: 'release'; run: number } & Pick<
      RunRecord,
      'state' | 'waitingFor' | 'wakeAt' | 'output' | 'error' | 'updated'
    >)
  /** The first write of a name wins. */
  | { type: 'signal'; run: number; name: string; value: string; at: number }
  | { type: 'cancel'; run: number };

/** Who waits for a change. Neither method may throw. */
export interface Writer {
  /** `changed` is false when the change had no effect: the id was taken, the owner lives, the signal was written before. */
  committed(changed: boolean): void;
  /** Nothing of the transaction was kept. */
  failed(error: StateError): void;
}

export interface RunQuery {
  state?: RunState | undefined;
  workflow?: string | undefined;
  limit?: number | undefined;
}

/**
 * A place for runs and journals, as one owner sees it.
 *
 * 1. Changes that come together are one transaction, in order; writers are told in that order and only after it is durable:
 *    at once, or in a macrotask of the store's own.
 * 2. Reads are synchronous and see what is durable, whoever wrote it.
 * 3. Every failure is a `StateError` that names the remedy.
 */
export interface JournalStore {
  /** Counts those macrotasks: two writers that find the same number were told in the same one. Undefined when they are told at once. */
  readonly turn: number | undefined;
  /** The name under which this store claims runs. */
  readonly owner: string;
  write(change: Change, writer: Writer): void;
  find(id: string): RunRecord | undefined;
  /** Newest first. */
  list(query: RunQuery): RunRecord[];
  /** Entries with `seq` above `after`, in order. A large value may be read only when it is asked for. */
  entries(run: number, after: number, limit: number): Entry[];
  signal(run: number, name: string): string | undefined;
  /** Ids of this owner's running runs that somebody asked to cancel. */
  cancelRequests(): string[];
  /** Whether another owner has written since the last call. */
  changedElsewhere(): boolean;
  isAlive(owner: string): boolean;
  /** Writes what is left, gives up the ownership, releases everything. */
  close(): void;
}

/** The end of the line: such a run never goes on. */
export function isFinished(state: RunState): boolean {
  return state === 'completed' || state === 'failed' || state === 'cancelled';
}

/** The process id in an owner's name. */
export function processOf(owner: string): string {
  return owner.slice(0, owner.indexOf('-'));
}
