import type { RunState } from './durable.ts';
import type { Entry, RunRecord } from './store.ts';

/** A row of `runs`. */
export interface RunRow {
  n: number;
  id: string;
  workflow: string;
  version: number;
  state: RunState;
  waiting: string;
  wake_at: number | null;
  input: string | null;
  output: string | null;
  error: string | null;
  created: number;
  updated: number;
  began: number;
  seed: string;
  forked_from: string | null;
  parent: string | null;
  cancel: number;
  owner: string | null;
}

/** A row of `journal`. */
export interface EntryRow {
  seq: number;
  key: string;
  value: string | null;
  blob: number | null;
  error_name: string | null;
  error_message: string | null;
  at: number;
}

export function recordOf(row: RunRow): RunRecord {
  const { n, id, workflow, version, state, created, updated, began, seed } = row;
  return {
    ...{ n, id, workflow, version, state, created, updated, began, seed },
    waitingFor: JSON.parse(row.waiting),
    wakeAt: row.wake_at ?? undefined,
    input: row.input ?? undefined,
    output: row.output ?? undefined,
    error: row.error ?? undefined,
    forkedFrom: row.forked_from ?? undefined,
    parent: row.parent ?? undefined,
    cancelRequested: row.cancel !== 0,
    owner: row.owner ?? undefined,
  };
}

export function entryOf({ seq, key, value, error_name: name, error_message: message, at }: EntryRow): Entry {
  return {
    seq,
    key,
    value: value ?? undefined,
    error: name === null ? undefined : { name, message: message ?? '' },
    at,
  };
}

/** An entry whose value is kept apart: read when it is asked for, and not held. */
export class BlobEntry implements Entry {
  readonly seq: number;
  readonly key: string;
  readonly at: number;
  readonly #read: () => string;

  constructor(row: EntryRow, read: () => string) {
    this.seq = row.seq;
    this.key = row.key;
    this.at = row.at;
    this.#read = read;
  }

  get value(): string {
    return this.#read();
  }
}
