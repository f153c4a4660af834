/**
 * The events of all runs in SQLite, for `runs`, `show` and the inspector.
 *
 * 1. It keeps the contract of `events.ts`, with reads that need no promise.
 * 2. Events written in one turn of the event loop share one transaction.
 * 3. The file belongs to the journal as well: only tables named `event…` are ours, and `user_version` is not.
 */
import type { DatabaseSync } from 'node:sqlite';
import { StateError } from '../core/errors.ts';
import type { RunEvent } from '../core/event.ts';
import { type EventRange, type EventStore, unrecorded } from './events.ts';
import { Followers, type FoundEvent, type Position } from './followers.ts';
import { inTransaction, lazyDatabase } from './open-database.ts';

/** An event store that answers at once. */
export interface SqliteEventStore extends EventStore {
  read(runId: string, range?: EventRange): RunEvent[];
  deleteBefore(time: number): number;
  close(): void;
}

const layout = 1;

/** An event store in the file, which is created with the first event. Throws StateError when the file cannot be used. */
export function sqliteEvents(options: { file: string }): SqliteEventStore {
  const database = lazyDatabase(options.file, prepare);
  const ifThere = <T>(run: (open: DatabaseSync) => T, otherwise: T): T =>
    database.exists() ? database.use(run) : otherwise;
  const followers = new Followers({
    find: (positions, limit) => ifThere((open) => findEvents(open, positions, limit), []),
    mayPass: () => false,
  });
  let waiting: RunEvent[] = [];
  let scheduled: NodeJS.Immediate | undefined;
  let failure: { error: unknown } | undefined;

  const flush = (): void => {
    clearImmediate(scheduled);
    scheduled = undefined;
    const batch = waiting;
    waiting = [];
    if (batch.length === 0) return;
    database.transact((open) => insert(open, batch));
    followers.wake(new Set(batch.map(({ run }) => run)));
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
    read(runId, { after, limit } = {}) {
      flush();
      const position = { run: runId, id: after, seq: 0 };
      return ifThere((open) => findEvents(open, [position], limit ?? -1), []).map(({ event }) => event);
    },
    subscribe: (runId, { after, signal } = {}) => followers.follow(runId, after, signal),
    deleteBefore: (time) => (database.exists() ? database.transact((open) => removeBefore(open, time)) : 0),
    close() {
      followers.close();
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

/** For each position what is behind it, at most `limit` events; -1 is no limit. */
function findEvents(database: DatabaseSync, positions: readonly Position[], limit: number): FoundEvent[] {
  const statement = database.prepare(
    `SELECT seq, body FROM events
     WHERE run = $run AND seq > ifnull((SELECT seq FROM events WHERE run = $run AND id = $id), $seq) ORDER BY seq LIMIT $limit`,
  );
  return positions.flatMap(({ run, id, seq }, index) =>
    statement.all({ run, id: id ?? null, seq, limit }).map((row) => ({
      index,
      seq: Number(row['seq']),
      // Only `insert` writes this table, so a body is an event.
      event: JSON.parse(String(row['body'])) as RunEvent,
    })),
  );
}

function removeBefore(database: DatabaseSync, time: number): number {
  const statement = database.prepare(
    'DELETE FROM events WHERE run IN (SELECT run FROM events GROUP BY run HAVING max(at) < ?)',
  );
  return Number(statement.run(time).changes);
}
