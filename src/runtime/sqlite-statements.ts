import type { DatabaseSync, StatementSync } from 'node:sqlite';

const queries = {
  begin: 'BEGIN IMMEDIATE',
  commit: 'COMMIT',
  rollback: 'ROLLBACK',
  find: 'SELECT * FROM runs WHERE id = ?',
  list: `SELECT * FROM runs WHERE state = ifnull($state, state) AND workflow = ifnull($workflow, workflow)
    ORDER BY n DESC LIMIT $limit`,
  entries: 'SELECT * FROM journal WHERE run = ? AND seq > ? ORDER BY seq LIMIT ?',
  blob: 'SELECT value FROM blobs WHERE id = ?',
  signal: 'SELECT value FROM signals WHERE run = ? AND name = ?',
  cancelRequests: `SELECT id FROM runs WHERE state = 'running' AND cancel = 1 AND owner = ?`,
  dataVersion: 'PRAGMA data_version',
  appendEntry: `INSERT INTO journal(run, seq, key, value, blob, error_name, error_message, at)
    VALUES(?, ?, ?, ?, ?, ?, ?, ?)`,
  addBlob: 'INSERT INTO blobs(value) VALUES(?)',
  create: `INSERT INTO runs(id, workflow, version, input, created, updated, began, seed, forked_from, parent, owner,
    state, waiting, cancel) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'running', '[]', 0) ON CONFLICT(id) DO NOTHING`,
  copy: `INSERT INTO journal(run, seq, key, value, blob, error_name, error_message, at)
    SELECT ?, seq, key, value, blob, error_name, error_message, at FROM journal WHERE run = ? AND seq <= ? ORDER BY seq`,
  claimable: 'SELECT state, owner FROM runs WHERE n = ?',
  claim: `UPDATE runs SET owner = ?, state = 'running', waiting = '[]', wake_at = NULL, error = NULL WHERE n = ?`,
  release: `UPDATE runs SET state = ?, waiting = ?, wake_at = ?, output = ?, error = ?, updated = ?, owner = NULL
    WHERE n = ?`,
  addSignal: 'INSERT INTO signals(run, name, value, at) VALUES(?, ?, ?, ?) ON CONFLICT(run, name) DO NOTHING',
  cancel: 'UPDATE runs SET cancel = 1 WHERE n = ?',
} as const;

export type Statements = Record<keyof typeof queries, StatementSync>;

/** Every statement of the store, prepared once. */
export function statementsOf(database: DatabaseSync): Statements {
  const prepared = Object.entries(queries).map(([name, sql]) => [name, database.prepare(sql)]);
  // `fromEntries` forgets the keys it was given.
  return Object.fromEntries(prepared) as Statements;
}
