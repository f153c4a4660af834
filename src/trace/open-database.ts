import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { StateError } from '../core/errors.ts';
import { nodeSqlite } from '../runtime/node-sqlite.ts';

/** Milliseconds to wait for another process that holds the file. */
const busyMs = 5_000;
const retryMs = 10;
const busy = 5;

/** The primary result codes of SQLite that a user can do something about. */
const remedies: Record<number, string> = {
  5: 'another process holds it: wait for that process or end it, then try again',
  6: 'another process holds it: wait for that process or end it, then try again',
  8: 'it may not be written: check the permissions of the file and its folder',
  10: 'the disk reported an error: check the disk and its free space',
  11: 'it is damaged: move the file away (a new one is made) or put back a copy of it',
  13: 'the disk is full: free some space, then try again',
  14: 'it cannot be opened: check that the folder exists and may be written',
  23: 'access to it was denied: check the permissions of the file and its folder',
  26: 'it is no database: move the file away (a new one is made) or name another file',
};

/**
 * One SQLite file that is opened at the first use and not before. `prepare` is run once on the open database. Every failure
 * of the file is a StateError with its remedy.
 */
export interface LazyDatabase {
  /** Runs the function on the database. */
  use<T>(run: (database: DatabaseSync) => T): T;
  /** Runs it in one transaction that holds the write lock from the start. */
  transact<T>(run: (database: DatabaseSync) => T): T;
  /** Whether the file is there; a reader need not create it. */
  exists(): boolean;
  /** Any later use is a StateError. */
  close(): void;
}

/** The file as a lazily opened database: WAL, `synchronous=NORMAL`, waiting up to 5 s for other writers. */
export function lazyDatabase(file: string, prepare: (database: DatabaseSync) => void): LazyDatabase {
  let state: { type: 'unopened' } | { type: 'open'; database: DatabaseSync } | { type: 'closed' } = {
    type: 'unopened',
  };

  const opened = (): DatabaseSync => {
    if (state.type === 'closed') throw new StateError(`${file} was closed: open the store again to use it`);
    if (state.type === 'open') return state.database;
    const database = open(file);
    try {
      database.exec(`PRAGMA busy_timeout = ${busyMs}`);
      useWriteAheadLog(database);
      prepare(database);
    } catch (error) {
      database.close();
      throw error;
    }
    state = { type: 'open', database };
    return database;
  };
  const use = <T>(run: (database: DatabaseSync) => T): T => {
    try {
      return run(opened());
    } catch (error) {
      throw asStateError(file, error);
    }
  };
  return {
    use,
    transact: (run) => use((database) => inTransaction(database, () => run(database))),
    exists: () => state.type === 'open' || existsSync(file),
    close() {
      if (state.type === 'open') state.database.close();
      state = { type: 'closed' };
    },
  };
}

/** Runs the function between BEGIN IMMEDIATE and COMMIT; a throw rolls back. */
export function inTransaction<T>(database: DatabaseSync, run: () => T): T {
  database.exec('BEGIN IMMEDIATE');
  try {
    const value = run();
    database.exec('COMMIT');
    return value;
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

/** SQLite does not wait for another process that makes the same switch at this moment; it says busy at once. */
function useWriteAheadLog(database: DatabaseSync): void {
  const deadline = Date.now() + busyMs;
  for (;;) {
    try {
      database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
      return;
    } catch (error) {
      if (primaryCode(error) !== busy || Date.now() > deadline) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, retryMs);
    }
  }
}

function open(file: string): DatabaseSync {
  mkdirSync(dirname(file), { recursive: true });
  return new (nodeSqlite().DatabaseSync)(file);
}

function asStateError(file: string, error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof StateError) return error;
  const code = primaryCode(error);
  if (code !== undefined) {
    const remedy = remedies[code];
    return remedy ? new StateError(`${file} cannot be used (${error.message}): ${remedy}`, { cause: error }) : error;
  }
  const isFileError = 'syscall' in error;
  return isFileError
    ? new StateError(`${file} cannot be used: ${error.message}; check its folder`, { cause: error })
    : error;
}

/** SQLite's result code without the part that says which kind of it. */
function primaryCode(error: unknown): number | undefined {
  const hasCode = error instanceof Error && 'errcode' in error && typeof error.errcode === 'number';
  return hasCode ? Number(error.errcode) & 0xff : undefined;
}
