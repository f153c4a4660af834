/**
 * The index of runs in a PostgreSQL database that many machines share.
 *
 * 1. A row changes by `put`, or by the events of a machine that executes the run. An event that is older than the row changes nothing, so
 *    a replay does not undo what came later.
 * 2. Events make no row, except where a tenant is named for them: whose a run is, no event says.
 * 3. While the server is away changes by events wait in memory, within bounds.
 */
import type { RunEvent, Sink } from '../core/event.ts';
import { mayPass, type PostgresOptions } from '../trace/postgres/connections.ts';
import { type PostgresLayout, PostgresTables } from '../trace/postgres/database.ts';
import { originalText, storedKey, storedText } from '../trace/postgres/stored-text.ts';
import { WriteQueue } from '../trace/postgres/write-queue.ts';
import { configurationLine, type RunIndex, type RunRow, type RunStatus } from './run-index.ts';

export interface PostgresRunIndex extends RunIndex {
  /**
   * A sink that keeps the rows of runs up to date, for machines that execute runs which others list. With a tenant and an agent it also
   * adds the rows of the runs it sees begin. Its `close` writes what waits.
   */
  sink(owner?: { tenant: string; agent: string }): Sink;
  /** Removes the rows of ended runs that were not updated since `time` (milliseconds since the epoch), and gives their number. */
  deleteBefore(time: number): Promise<number>;
  put(row: RunRow): Promise<void>;
  get(id: string): Promise<RunRow | undefined>;
  close(): Promise<void>;
}

/** What an event says about the row of its run. */
interface Change {
  run: string;
  at: number;
  status: RunStatus;
  task?: string | undefined;
  tokens?: number | undefined;
  usd?: number | undefined;
  activeMs?: number | undefined;
  configuration?: string | undefined;
  owner?: { tenant: string; agent: string } | undefined;
}

const layout: PostgresLayout = {
  name: 'run',
  migrations: [
    `CREATE TABLE SCHEMA.runs (
       key text COLLATE "C" PRIMARY KEY,
       id text NOT NULL,
       tenant text NOT NULL,
       agent text NOT NULL,
       principal text NOT NULL,
       status text NOT NULL,
       created double precision NOT NULL,
       updated double precision NOT NULL,
       task text NOT NULL,
       tokens double precision NOT NULL,
       usd double precision NOT NULL,
       forked_from text
     );
     CREATE INDEX runs_by_tenant ON SCHEMA.runs (tenant, created DESC, key DESC);
     CREATE INDEX runs_by_principal ON SCHEMA.runs (principal, created);`,
    `ALTER TABLE SCHEMA.runs
       ADD COLUMN active_ms double precision, ADD COLUMN verdict text, ADD COLUMN configuration text;`,
  ],
};
const columns = [
  'id',
  'tenant',
  'agent',
  'principal',
  'status',
  'created',
  'updated',
  'task',
  'tokens',
  'usd',
  'forked_from',
  'active_ms',
  'verdict',
  'configuration',
];
/** For the columns, and the key behind them. */
const placeholders = Array.from({ length: columns.length + 1 }, (_, index) => `$${index + 1}`);
const taskChars = 200;
const sinkPatienceMs = 1_500;
const patienceMs = 5_000;

/**
 * An index in the tables of a schema; needs the package `pg` where it is given a connection string. Throws `UsageError` for options that
 * cannot be; the methods reject with `StateError` when the database cannot be used.
 */
export function postgresRunIndex(options: PostgresOptions): PostgresRunIndex {
  const tables = new PostgresTables(options, layout);
  const { schema } = tables;
  const query = (
    text: string,
    values: unknown[],
  ): Promise<{ rows: Record<string, unknown>[]; rowCount: number | null }> =>
    tables.use((connection) => connection.query(text, values));
  const queue = new WriteQueue<Change>({
    name: 'changes of runs',
    capacity: 16 * 1024 * 1024,
    mayPass,
    write: (batch) => writeChanges(tables, batch),
  });
  return {
    async put(row) {
      await query(
        `INSERT INTO ${schema}.runs (${columns}, key) VALUES (${placeholders})
         ON CONFLICT (key) DO UPDATE SET ${columns.map((name) => `${name} = excluded.${name}`)}`,
        [...valuesOf(row), storedKey(row.id)],
      );
    },
    async get(id) {
      const { rows } = await query(`SELECT ${columns} FROM ${schema}.runs WHERE key = $1`, [storedKey(id)]);
      return rows.map(rowOf)[0];
    },
    async list({ tenant, agent, status, search, after, limit }) {
      const { rows } = await query(
        `SELECT ${columns} FROM ${schema}.runs
         WHERE tenant = $1 AND ($2::text IS NULL OR agent = $2) AND ($3::text IS NULL OR status = $3)
           AND ($4::float8 IS NULL OR (created, key) < ($4, $5))
           AND ($7::text IS NULL OR starts_with(id, $7) OR strpos(lower(task), lower($7)) > 0)
         ORDER BY created DESC, key DESC LIMIT $6`,
        [
          ...[storedText(tenant), agent === undefined ? null : storedText(agent), status ?? null],
          ...[after?.created ?? null, storedKey(after?.id ?? ''), limit],
          search === undefined ? null : storedText(search),
        ],
      );
      return rows.map(rowOf);
    },
    async spent(principal, since) {
      const { rows } = await query(
        `SELECT count(*) AS runs, coalesce(sum(tokens), 0) AS tokens, coalesce(sum(usd), 0) AS usd FROM ${schema}.runs
         WHERE principal = $1 AND created >= $2`,
        [storedText(principal), since],
      );
      return { runs: Number(rows[0]?.['runs']), tokens: Number(rows[0]?.['tokens']), usd: Number(rows[0]?.['usd']) };
    },
    sink: (owner) => ({
      name: 'run index',
      write(event) {
        const change = changeOf(event);
        return change && queue.add({ ...change, owner }, change.task?.length ?? 0);
      },
      close: () => queue.flush(sinkPatienceMs),
    }),
    async deleteBefore(time) {
      const ended = [
        'completed',
        'revised',
        'needs_more_evidence',
        'stopped',
        'failed',
        'cancelled',
      ] satisfies RunStatus[];
      const removed = await query(`DELETE FROM ${schema}.runs WHERE updated < $1 AND status = ANY ($2)`, [time, ended]);
      return removed.rowCount ?? 0;
    },
    async close() {
      try {
        await queue.close(patienceMs);
      } finally {
        await tables.close();
      }
    },
  };
}

function changeOf(event: RunEvent): Change | undefined {
  const { run, at } = event;
  switch (event.type) {
    case 'run.start':
      return {
        run,
        at,
        status: 'running',
        task: event.task.slice(0, taskChars),
        configuration: configurationLine(event),
      };
    case 'approval.requested':
      return { run, at, status: 'awaiting_approval' };
    case 'approval.decided':
      return { run, at, status: 'running' };
    case 'run.end':
      return {
        run,
        at,
        status: event.status,
        tokens: event.usage.tokens,
        usd: event.usage.usd,
        activeMs: event.activeMs,
      };
    default:
      return undefined;
  }
}

function later<Told extends Change>(a: Told, b: Told): Told {
  if (b.at < a.at) return a;
  return {
    ...b,
    tokens: b.tokens ?? a.tokens,
    usd: b.usd ?? a.usd,
    activeMs: b.activeMs ?? a.activeMs,
    configuration: b.configuration ?? a.configuration,
  };
}

/**
 * New rows first, then of each run its last status with its latest figures. Both lock rows in the order of their keys, so that machines
 * which tell of the same runs at once do not wait for each other in a circle.
 */
async function writeChanges(tables: PostgresTables, batch: readonly Change[]): Promise<void> {
  const { schema } = tables;
  const changes = batch.map((change) => ({ ...change, key: storedKey(change.run) }));
  const begun = changes.filter(({ task }) => task !== undefined).sort((a, b) => (a.key < b.key ? -1 : 1));
  const latest = [...Map.groupBy(changes, ({ key }) => key).values()].map((ofRun) => ofRun.reduce(later));
  await tables.transact(async (connection) => {
    for (const { key, run, at, status, task = '', configuration, owner } of begun) {
      if (owner === undefined) continue;
      const figures = { created: at, updated: at, tokens: 0, usd: 0 };
      await connection.query(
        `INSERT INTO ${schema}.runs (${columns}, key) VALUES (${placeholders})
         ON CONFLICT DO NOTHING`,
        [...valuesOf({ id: run, ...owner, principal: '', status, task, configuration, ...figures }), key],
      );
    }
    const keys = latest.map(({ key }) => key);
    await connection.query(`SELECT FROM ${schema}.runs WHERE key = ANY ($1) ORDER BY key FOR UPDATE`, [keys]);
    await connection.query(
      `UPDATE ${schema}.runs AS old
       SET status = new.status, updated = new.at, tokens = coalesce(new.tokens, old.tokens), usd = coalesce(new.usd, old.usd),
         active_ms = coalesce(new.active_ms, old.active_ms), configuration = coalesce(new.configuration, old.configuration)
       FROM unnest($1::text[], $2::text[], $3::float8[], $4::float8[], $5::float8[], $6::float8[], $7::text[])
         AS new (key, status, at, tokens, usd, active_ms, configuration)
       WHERE old.key = new.key AND new.at >= old.updated`,
      [
        ...[keys, latest.map(({ status }) => status), latest.map(({ at }) => at)],
        ...[latest.map(({ tokens }) => tokens ?? null), latest.map(({ usd }) => usd ?? null)],
        latest.map(({ activeMs }) => activeMs ?? null),
        latest.map(({ configuration }) => (configuration === undefined ? null : storedText(configuration))),
      ],
    );
  });
}

function valuesOf(row: RunRow): unknown[] {
  const { created, updated, tokens, usd, activeMs } = row;
  const texts = [row.id, row.tenant, row.agent, row.principal, row.status].map(storedText);
  const [origin, verdict, configuration] = [row.forkedFrom, row.verdict, row.configuration].map((text) =>
    text === undefined ? null : storedText(text),
  );
  return [
    ...[...texts, created, updated, storedText(row.task), tokens, usd, origin],
    ...[activeMs ?? null, verdict, configuration],
  ];
}

function rowOf(row: Record<string, unknown>): RunRow {
  const text = (name: string): string => originalText(String(row[name]));
  return {
    id: text('id'),
    tenant: text('tenant'),
    agent: text('agent'),
    principal: text('principal'),
    // Only `put` and the events of runs write this table.
    status: text('status') as RunStatus,
    created: Number(row['created']),
    updated: Number(row['updated']),
    task: text('task'),
    tokens: Number(row['tokens']),
    usd: Number(row['usd']),
    ...(row['forked_from'] !== null && { forkedFrom: text('forked_from') }),
    ...(row['active_ms'] !== null && { activeMs: Number(row['active_ms']) }),
    ...(row['verdict'] !== null && { verdict: text('verdict') as NonNullable<RunRow['verdict']> }),
    ...(row['configuration'] !== null && { configuration: text('configuration') }),
  };
}
