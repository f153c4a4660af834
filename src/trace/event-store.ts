/**
 * The events of all runs in SQLite, for `runs`, `show` and the inspector.
 *
 * 1. (run, id) is unique and the first copy wins: what a replay emits again changes nothing.
 * 2. Events written in one turn of the event loop share one transaction.
 * 3. Nothing here is needed to resume a run: a crash may lose the last turn's events, and their replay brings them back.
 * 4. The file belongs to the journal as well: only tables named `event…` are ours, and `user_version` is not.
 */
import type { DatabaseSync } from 'node:sqlite';
import { StateError } from '../core/errors.ts';
import type { RunEvent, Sink } from '../core/event.ts';
import { inTransaction, lazyDatabase } from './open-database.ts';

export interface EventStore {
  /** A sink that stores; a failed write is thrown by the next `write` or by `close` of the sink. */
  sink(): Sink;
  /** The stored events of one run in the order they were stored; empty when there are none. */
  read(runId: string): RunEvent[];
  /** Writes what is waiting and releases the file. */
  close(): void;
}

const layout = 1;
/** They come out of a running step and no replay repeats them. */
const unrecorded: ReadonlySet<RunEvent['type']> = new Set(['model.delta', 'model.start', 'model.retry']);

/** An event store in the file, which is created with the first event. Throws StateError when the file cannot be used. */
export function sqliteEvents(options: { file: string }): EventStore {
  const database = lazyDatabase(options.file, prepare);
  let waiting: RunEvent[] = [];
  let scheduled: NodeJS.Immediate | undefined;
  let failure: { error: unknown } | undefined;

  const flush = (): void => {
    clearImmediate(scheduled);
    scheduled = undefined;
    const batch = waiting;
    waiting = [];
    if (batch.length > 0) database.transact((open) => insert(open, batch));
  };
  const flushLater = (): void => {
    try {
      flush();
    } catch (error) {
      failure = { error };
    }
  };
  const throwFailure = (): void => {
    if (failure) throw failure.error;
  };
  return {
    sink: () => ({
      name: 'events',
      write(event) {
        throwFailure();
        if (unrecorded.has(event.type)) return;
        waiting.push(event);
        scheduled ??= setImmediate(flushLater);
      },
      close() {
        throwFailure();
        flush();
      },
    }),
    read(runId) {
      flush();
      return database.exists() ? database.use((open) => select(open, runId)) : [];
    },
    close() {
      try {
        flush();
      } finally {
        database.close();
      }
    },
  };
}

function prepare(database: DatabaseSync): void {
  inTransaction(database, () => {
    database.exec(`
      CREATE TABLE IF NOT EXISTS event_meta (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT;
      CREATE TABLE IF NOT EXISTS events (
        seq INTEGER PRIMARY KEY,
        run TEXT NOT NULL,
        id TEXT NOT NULL,
        at REAL NOT NULL,
        body TEXT NOT NULL,
        UNIQUE (run, id)
      ) STRICT;
    `);
    database.prepare('INSERT OR IGNORE INTO event_meta VALUES (?, ?)').run('layout', layout);
    const found = database.prepare('SELECT value FROM event_meta WHERE name = ?').get('layout')?.['value'];
    if (typeof found === 'number' && found > layout)
      throw new StateError(
        `the events were stored by a newer Assay (layout ${found}, known here: ${layout}): upgrade Assay`,
      );
  });
}

function insert(database: DatabaseSync, batch: readonly RunEvent[]): void {
  const statement = database.prepare('INSERT OR IGNORE INTO events (run, id, at, body) VALUES (?, ?, ?, ?)');
  for (const event of batch) statement.run(event.run, event.id, event.at, JSON.stringify(event));
}

function select(database: DatabaseSync, runId: string): RunEvent[] {
  const rows = database.prepare('SELECT body FROM events WHERE run = ? ORDER BY seq').all(runId);
  // Only `insert` writes this table, so a body is an event.
  return rows.map((row) => JSON.parse(String(row['body'])) as RunEvent);
}
