import type { DatabaseSync } from 'node:sqlite';
import { StateError } from '../core/errors.ts';

/**
 * One entry per schema version: what it adds to the version before. Never edited once released.
 *
 * The journal is a plain rowid table: `WITHOUT ROWID` takes three times the space and time for rows of this size.
 */
const migrations: readonly string[] = [
  `CREATE TABLE runs(
     n INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, workflow TEXT NOT NULL, version INTEGER NOT NULL,
     state TEXT NOT NULL, waiting TEXT NOT NULL, wake_at INTEGER, input TEXT, output TEXT, error TEXT,
     created INTEGER NOT NULL, updated INTEGER NOT NULL, began INTEGER NOT NULL, seed TEXT NOT NULL,
     forked_from TEXT, parent TEXT, cancel INTEGER NOT NULL, owner TEXT
   ) STRICT;
   CREATE INDEX runs_by_state ON runs(state);
   CREATE TABLE journal(
     run INTEGER NOT NULL, seq INTEGER NOT NULL, key TEXT NOT NULL, value TEXT, blob INTEGER,
     error_name TEXT, error_message TEXT, at INTEGER NOT NULL, UNIQUE(run, seq)
   ) STRICT;
   CREATE TABLE blobs(id INTEGER PRIMARY KEY, value TEXT NOT NULL) STRICT;
   CREATE TABLE signals(
     run INTEGER NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL, at INTEGER NOT NULL, UNIQUE(run, name)
   ) STRICT;`,
];

/** Brings a database to the newest schema. A newer one is refused and left as it is. */
export function migrate(database: DatabaseSync, file: string): void {
  if (versionOf(database) === migrations.length) return;
  database.exec('BEGIN IMMEDIATE');
  try {
    const version = versionOf(database);
    if (version > migrations.length) {
      throw new StateError(
        `the run store ${file} has format ${version}, and this version of assay knows formats up to ${migrations.length}: update assay, or choose another file`,
      );
    }
    if (version === 0 && hasTables(database)) {
      throw new StateError(`${file} is a database of another program: choose another file for the runs`);
    }
    for (const migration of migrations.slice(version)) database.exec(migration);
    database.exec(`PRAGMA user_version = ${migrations.length}; COMMIT`);
  } catch (error) {
    database.exec('ROLLBACK');
    throw error;
  }
}

function hasTables(database: DatabaseSync): boolean {
  return database.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() !== undefined;
}

function versionOf(database: DatabaseSync): number {
  return Number(database.prepare('PRAGMA user_version').get()?.['user_version']);
}
