import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import type { RunIndex, RunRow, RunRowQuery, RunStatus, Spent } from '../runtime/run-index.ts';
import { inTransaction, lazyDatabase } from '../trace/open-database.ts';

/** What the first layout had not. */
const added = { active_ms: 'REAL', verdict: 'TEXT', configuration: 'TEXT' };
const columns = [
  ...['id', 'tenant', 'agent', 'principal', 'status', 'created', 'updated', 'task', 'tokens', 'usd', 'forked_from'],
  ...Object.keys(added),
].join(', ');

/**
 * The index in a SQLite file, which may be the one of the journal: only the table `server_runs` is ours. Rows that are put in one turn of the
 * event loop share one transaction, and every read sees them; a failed write is thrown by the next use.
 */
export function sqliteRunIndex(options: { file: string }): RunIndex {
  const database = lazyDatabase(options.file, prepare);
  let waiting = new Map<string, RunRow>();
  let scheduled: NodeJS.Immediate | undefined;
  let failure: { error: unknown } | undefined;

  const flush = (): void => {
    clearImmediate(scheduled);
    scheduled = undefined;
    const rows = [...waiting.values()];
    waiting = new Map();
    if (rows.length > 0) database.transact((open) => write(open, rows));
  };
  const flushLater = (): void => {
    try {
      flush();
    } catch (error) {
      failure = { error };
    }
  };
  const throwFailure = (): void => {
    const failed = failure;
    failure = undefined;
    if (failed) throw failed.error;
  };
  const read = <T>(run: (open: DatabaseSync) => T): T => {
    throwFailure();
    flush();
    return database.use(run);
  };
  return {
    put(row) {
      throwFailure();
      waiting.set(row.id, row);
      scheduled ??= setImmediate(flushLater);
    },
    get: (id) => waiting.get(id) ?? read((open) => find(open, id)),
    list: (query) => read((open) => select(open, query)),
    spent: (principal, since) => read((open) => sum(open, principal, since)),
    close() {
      try {
        throwFailure();
        flush();
      } finally {
        database.close();
      }
    },
  };
}

function write(database: DatabaseSync, rows: readonly RunRow[]): void {
  const statement = database.prepare(
    `INSERT OR REPLACE INTO server_runs(${columns}) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  for (const row of rows) {
    statement.run(
      ...[row.id, row.tenant, row.agent, row.principal, row.status, row.created, row.updated],
      ...[row.task, row.tokens, row.usd, row.forkedFrom ?? null],
      ...[row.activeMs ?? null, row.verdict ?? null, row.configuration ?? null],
    );
  }
}

function find(database: DatabaseSync, id: string): RunRow | undefined {
  const row = database.prepare(`SELECT ${columns} FROM server_runs WHERE id = ?`).get(id);
  return row && rowOf(row);
}

function select(database: DatabaseSync, { tenant, agent, status, search, after, limit }: RunRowQuery): RunRow[] {
  return database
    .prepare(
      `SELECT ${columns} FROM server_runs
       WHERE tenant = $tenant AND agent = ifnull($agent, agent) AND status = ifnull($status, status)
         AND (created, id) < ($created, $id)
         AND ($search IS NULL OR substr(id, 1, length($search)) = $search OR instr(folded(task), $folded) > 0)
       ORDER BY created DESC, id DESC LIMIT $limit`,
    )
    .all({
      tenant,
      limit,
      agent: agent ?? null,
      status: status ?? null,
      search: search ?? null,
      folded: search?.toLowerCase() ?? null,
      created: after?.created ?? Number.MAX_SAFE_INTEGER,
      id: after?.id ?? '',
    })
    .map(rowOf);
}

function sum(database: DatabaseSync, principal: string, since: number): Spent {
  const sums = database
    .prepare(
      `SELECT count(*) AS runs, total(tokens) AS tokens, total(usd) AS usd FROM server_runs
       WHERE principal = ? AND created >= ?`,
    )
    .get(principal, since);
  return { runs: Number(sums?.['runs']), tokens: Number(sums?.['tokens']), usd: Number(sums?.['usd']) };
}

function prepare(database: DatabaseSync): void {
  // SQLite knows the cases of ASCII letters only.
  database.function('folded', { deterministic: true }, (text) => String(text).toLowerCase());
  inTransaction(database, () => {
    database.exec(`
      CREATE TABLE IF NOT EXISTS server_runs (
        id TEXT PRIMARY KEY, tenant TEXT NOT NULL, agent TEXT NOT NULL, principal TEXT NOT NULL, status TEXT NOT NULL,
        created INTEGER NOT NULL, updated INTEGER NOT NULL, task TEXT NOT NULL,
        tokens REAL NOT NULL, usd REAL NOT NULL, forked_from TEXT
      ) STRICT;
      CREATE INDEX IF NOT EXISTS server_runs_by_tenant ON server_runs(tenant, created DESC, id DESC);
      CREATE INDEX IF NOT EXISTS server_runs_by_principal ON server_runs(principal, created);
    `);
    const there = database.prepare('PRAGMA table_info(server_runs)').all();
    for (const [name, type] of Object.entries(added)) {
      if (there.some((column) => column['name'] === name)) continue;
      database.exec(`ALTER TABLE server_runs ADD COLUMN ${name} ${type}`);
    }
  });
}

function rowOf(row: Record<string, SQLOutputValue>): RunRow {
  const { forked_from: forkedFrom, active_ms: activeMs, verdict, configuration } = row;
  return {
    id: String(row['id']),
    tenant: String(row['tenant']),
    agent: String(row['agent']),
    principal: String(row['principal']),
    // Only `put` writes this table.
    status: String(row['status']) as RunStatus,
    created: Number(row['created']),
    updated: Number(row['updated']),
    task: String(row['task']),
    tokens: Number(row['tokens']),
    usd: Number(row['usd']),
    ...(typeof forkedFrom === 'string' && { forkedFrom }),
    ...(typeof activeMs === 'number' && { activeMs }),
    ...(typeof verdict === 'string' && { verdict: verdict as NonNullable<RunRow['verdict']> }),
    ...(typeof configuration === 'string' && { configuration }),
  };
}
