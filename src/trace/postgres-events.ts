/**
 * The events of all runs in a PostgreSQL database that many machines share. It keeps the contract of `events.ts`.
 *
 * 1. Whoever stores events of a run holds a lock of that run to the end of the transaction, so numbers become visible in their order:
 *    a reader that has seen a number has seen all below it.
 * 2. While the server is away events wait in memory, within bounds, and are written when it is back; a batch that was stored
 *    unnoticed is stored once.
 * 3. A body is JSON text, in which every text can be kept; NUL and broken surrogate pairs in the keys are escaped.
 */
import { createHash } from 'node:crypto';
import type { RunEvent } from '../core/event.ts';
import { type EventStore, unrecorded } from './events.ts';
import { Followers, type FoundEvent, type Position } from './followers.ts';
import { mayPass, type PostgresConnection, type PostgresOptions } from './postgres/connections.ts';
import { type PostgresLayout, PostgresTables } from './postgres/database.ts';
import { storedKey } from './postgres/stored-text.ts';
import { WriteQueue } from './postgres/write-queue.ts';

export interface PostgresEventsOptions extends PostgresOptions {
  /** Characters of JSON that may wait to be written; above it a run's events wait in its queue of the agent. Default 64 Mi. */
  maxWaiting?: number;
}

interface Row {
  run: string;
  id: string;
  at: number;
  body: string;
}

const layout: PostgresLayout = {
  name: 'event',
  migrations: [
    `CREATE TABLE SCHEMA.events (
       seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
       run text NOT NULL,
       id text NOT NULL,
       at double precision NOT NULL,
       body text NOT NULL,
       UNIQUE (run, id)
     );
     CREATE INDEX events_by_run ON SCHEMA.events (run, seq);`,
  ],
};
const locks = 64;
/** A sink is given 2 seconds to close. */
const sinkPatienceMs = 5_000;
const patienceMs = 5_000;
const runsAtOnce = 500;

/**
 * An event store in the tables of a schema; needs the package `pg` where it is given a connection string. Throws `UsageError` for options
 * that cannot be; the methods reject with `StateError` when the database cannot be used.
 */
export function postgresEvents(options: PostgresEventsOptions): EventStore {
  const tables = new PostgresTables(options, layout);
  const followers = new Followers({
    find: (positions, limit) => tables.use((connection) => findEvents(connection, tables.schema, { positions, limit })),
    mayPass,
  });
  const queue = new WriteQueue<Row>({
    name: 'events',
    capacity: options.maxWaiting ?? 64 * 1024 * 1024,
    mayPass,
    async write(batch) {
      await tables.transact((connection) => insert(connection, tables.schema, batch));
      followers.wake(new Set(batch.map(({ run }) => run)));
    },
  });
  return {
    sink: () => ({
      name: 'events',
      write(event) {
        if (unrecorded.has(event.type)) return;
        const body = JSON.stringify(event);
        return queue.add({ run: storedKey(event.run), id: storedKey(event.id), at: event.at, body }, body.length);
      },
      close: () => queue.flush(sinkPatienceMs),
    }),
    async read(runId, { after, limit } = {}) {
      await queue.flush(patienceMs);
      const positions = [positionOf(runId, after)];
      const found = await tables.use((connection) => findEvents(connection, tables.schema, { positions, limit }));
      return found.map(({ event }) => event);
    },
    subscribe(runId, { after, signal } = {}) {
      const { run, id } = positionOf(runId, after);
      return followers.follow(run, id, signal);
    },
    deleteBefore: (time) => tables.use((connection) => removeBefore(connection, tables.schema, time)),
    async close() {
      followers.close();
      try {
        await queue.close(patienceMs);
      } finally {
        await tables.close();
      }
    },
  };
}

function positionOf(runId: string, after: string | undefined): Position {
  return { run: storedKey(runId), id: after === undefined ? undefined : storedKey(after), seq: 0 };
}

async function insert(connection: PostgresConnection, schema: string, batch: readonly Row[]): Promise<void> {
  const taken = new Set(batch.map(({ run }) => hashOf(run) & (locks - 1)));
  await connection.query('SELECT pg_advisory_xact_lock($1::integer, key) FROM unnest($2::integer[]) AS key', [
    hashOf(`assay events ${schema}`),
    // Always in the same order, so that two who need several do not wait for each other.
    [...taken].sort((a, b) => a - b),
  ]);
  await connection.query(
    `INSERT INTO ${schema}.events (run, id, at, body)
     SELECT run, id, at, body
     FROM unnest($1::text[], $2::text[], $3::float8[], $4::text[]) WITH ORDINALITY AS event (run, id, at, body, place)
     ORDER BY place
     ON CONFLICT DO NOTHING`,
    [batch.map(({ run }) => run), batch.map(({ id }) => id), batch.map(({ at }) => at), batch.map(({ body }) => body)],
  );
}

/** A 32-bit integer of the text. */
function hashOf(text: string): number {
  return createHash('sha256').update(text).digest().readInt32BE();
}

async function findEvents(
  connection: PostgresConnection,
  schema: string,
  { positions, limit }: { positions: readonly Position[]; limit?: number | undefined },
): Promise<FoundEvent[]> {
  const { rows } = await connection.query(
    `SELECT place, found.seq, body
     FROM unnest($1::text[], $2::text[], $3::bigint[]) WITH ORDINALITY AS wanted (run, id, seq, place)
     CROSS JOIN LATERAL (
       SELECT events.seq, events.body FROM ${schema}.events
       WHERE events.run = wanted.run AND events.seq > coalesce(
         (SELECT known.seq FROM ${schema}.events AS known WHERE known.run = wanted.run AND known.id = wanted.id), wanted.seq)
       ORDER BY events.seq LIMIT $4
     ) AS found
     ORDER BY place, found.seq`,
    [positions.map(({ run }) => run), positions.map(({ id }) => id ?? null), positions.map(({ seq }) => seq), limit],
  );
  return rows.map(({ place, seq, body }) => ({
    index: Number(place) - 1,
    seq: Number(seq),
    // Only `insert` writes this table, so a body is an event.
    event: JSON.parse(String(body)) as RunEvent,
  }));
}

/** A part of the runs at a time, so that no transaction grows with the table. */
async function removeBefore(connection: PostgresConnection, schema: string, time: number): Promise<number> {
  const old = await connection.query(`SELECT run FROM ${schema}.events GROUP BY run HAVING max(at) < $1`, [time]);
  const runs = old.rows.map(({ run }) => String(run));
  let removed = 0;
  for (let at = 0; at < runs.length; at += runsAtOnce) {
    const result = await connection.query(
      `DELETE FROM ${schema}.events AS old WHERE run = ANY ($1)
         AND NOT EXISTS (SELECT FROM ${schema}.events AS newer WHERE newer.run = old.run AND newer.at >= $2)`,
      [runs.slice(at, at + runsAtOnce), time],
    );
    removed += result.rowCount ?? 0;
  }
  return removed;
}
