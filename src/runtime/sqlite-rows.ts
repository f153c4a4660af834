import type { RunState } from './durable.ts';
import { RecordedText } from './recorded.ts';
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
    output: row.output === null ? undefined : new RecordedText(row.output),
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
    value: value === null ? undefined : new RecordedText(value),
    error: name === null ? undefined : { name, message: message ?? '' },
    at,
  };
}

/** An entry whose value is kept apart: read when it is asked for, and not held. */
export function blobEntryOf({ seq, key, at }: EntryRow, read: () => string): Entry {
  return { seq, key, at, value: new RecordedText(read) };
}
