import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { StateError, UsageError } from '../core/errors.ts';
import { numberedEvent as event, eventStoreContract, take, writeAll } from '../testing/event-store-contract.ts';
import { noPostgres, type PostgresServer, startPostgres } from '../testing/postgres-server.ts';
import { outageOf } from '../testing/restart-postgres.ts';
import type { EventStore } from './events.ts';
import type { PostgresPool } from './postgres/connections.ts';
import { type PostgresEventsOptions, postgresEvents } from './postgres-events.ts';

const absent = noPostgres();
let server: PostgresServer;
let admin: pg.Client;
const stores: EventStore[] = [];
const pools: pg.Pool[] = [];

beforeAll(async () => {
  if (absent !== undefined) return;
  server = await startPostgres();
  admin = new pg.Client(server.url);
  await admin.connect();
  await admin.query("CREATE ROLE writer LOGIN PASSWORD 'se cret'; GRANT CREATE ON DATABASE postgres TO writer");
}, 60_000);

afterAll(async () => {
  await Promise.allSettled(stores.map(async (store) => store.close()));
  await Promise.all(pools.map((pool) => pool.end()));
  await admin?.end();
  await server?.close();
});

const skipped = absent ? ` (skipped: ${absent})` : '';
const run = promisify(execFile);
const connectionString = (): string => server.urlOf({ user: 'writer', password: 'se cret' });
const open = (
  schema: string,
  options: PostgresEventsOptions = { connectionString: connectionString() },
): EventStore => {
  const store = postgresEvents({ schema, ...options });
  stores.push(store);
  return store;
};
const numbered = (count: number, from = 0) => Array.from({ length: count }, (_, n) => event(from + n));

/** A pool whose queries are held up, or fail, by what `before` does. */
function poolWith(before: (query: string, connection: pg.PoolClient) => Promise<void> | undefined): PostgresPool {
  const pool = new pg.Pool({ connectionString: connectionString() });
  // The server is restarted under it; whoever owns a pool listens to its errors.
  pool.on('error', () => undefined);
  pools.push(pool);
  return {
    async connect() {
      const connection = await pool.connect();
      return {
        async query(query, values) {
          await before(query, connection);
          return connection.query(query, values);
        },
        on: (name, listener) => connection.on(name, listener),
        off: (name, listener) => connection.off(name, listener),
        release: (failed) => connection.release(failed),
      };
    },
  };
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await sleep(10);
}

/** A process of its own that stores `count` events of two runs, in the order of their numbers, from a copy it shares with others. */
const writer = `
  const [module, connectionString, schema, name, count] = process.argv.slice(1);
  const { postgresEvents } = await import(module);
  const store = postgresEvents({ connectionString, schema });
  const sink = store.sink();
  for (let n = 0; n < Number(count); n++) {
    for (const [run, id] of [['shared', 'e' + n], ['own ' + name, 'e' + n]])
      await sink.write({ type: 'turn.start', turn: n, id, run, path: name, at: n, live: true });
    if (n % 7 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  await store.close();`;

describe.skipIf(absent !== undefined)(`on PostgreSQL${skipped}`, () => {
  let schemas = 0;
  eventStoreContract('postgres', () => {
    const schema = `events_${++schemas}`;
    const another = () => postgresEvents({ connectionString: connectionString(), schema });
    return {
      store: another(),
      another,
      dispose: async () => void (await admin.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`)),
    };
  });

  test('processes that store the same runs at once keep one copy of each, and a follower misses none', async () => {
    const url = new URL('./postgres-events.ts', import.meta.url).href;
    const count = 2_000;
    const store = open('crowd');
    const following = take(store.subscribe('shared'), count);
    const args = (name: string) => [
      '--input-type=module',
      '-e',
      writer,
      url,
      connectionString(),
      'crowd',
      name,
      String(count),
    ];
    await Promise.all(['a', 'b', 'c'].map((name) => run(process.execPath, args(name))));
    const ids = Array.from({ length: count }, (_, n) => `e${n}`);
    const shared = await store.read('shared');
    expect(shared.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
    expect(await following).toEqual(shared);
    for (const name of ['a', 'b', 'c']) expect((await store.read(`own ${name}`)).map(({ id }) => id)).toEqual(ids);
  });

  test('events that come while the server is away are stored when it is back, and followers go on', async () => {
    const own = await startPostgres();
    const outage = await outageOf(own.url);
    onTestFinished(async () => {
      await outage.close();
      await own.close();
    });
    const store = open('assay', { connectionString: own.url });
    await writeAll(store, numbered(10));
    const following = take(store.subscribe('r1'), 30);
    await outage.kill();
    const sink = store.sink();
    for (const one of numbered(10, 10)) sink.write(one);
    await expect(sink.close?.()).rejects.toThrow(/10 events are not written yet.*Check that the server runs/);
    for (const one of numbered(10, 20)) sink.write(one);
    await outage.restart();
    expect(await following).toEqual(numbered(30));
    await sink.close?.();
    expect(await store.read('r1')).toEqual(numbered(30));
  }, 40_000);

  test('while the server is away memory is bounded, the writer is asked to wait, and no write blocks', async () => {
    const away = open('away', { connectionString: 'postgresql://127.0.0.1:9/none', maxWaiting: 10_000 });
    const sink = away.sink();
    const began = performance.now();
    const answers = numbered(50).map((one) => sink.write(one));
    expect(performance.now() - began).toBeLessThan(100);
    expect(answers[0]).toBeUndefined();
    expect(answers.at(-1)).toBeInstanceOf(Promise);
    expect(() => {
      for (const one of numbered(1_000)) void sink.write(one);
    }).toThrow(/wait for a write before the next/);
    await expect(away.close()).rejects.toThrow(/events are not written yet.*ECONNREFUSED/);
    // Nobody is left waiting for room.
    await Promise.all(answers);
  });

  test('a failure that will not pass is thrown by the next write and by close, without the password', async () => {
    const wrong = server.urlOf({ user: 'writer', password: 'se cret', database: 'nowhere' });
    const store = open('lost', { connectionString: wrong });
    const sink = store.sink();
    sink.write(event(0));
    await expect(sink.close?.()).rejects.toThrow(/nowhere.*Check that the server runs/);
    const failure = (() => {
      try {
        return sink.write(event(1));
      } catch (error) {
        return error;
      }
    })();
    expect(failure).toBeInstanceOf(StateError);
    expect(String(failure)).not.toMatch(/se cret|se%20cret/);
    await expect(store.read('r1')).rejects.toThrow(StateError);
    await expect(store.close()).rejects.toThrow(StateError);
  });

  test('100,000 events are stored and read back in a bounded time', async () => {
    const store = open('many');
    const events = numbered(100_000);
    const began = performance.now();
    await writeAll(store, events);
    const stored = performance.now();
    expect(await store.read('r1')).toEqual(events);
    const read = performance.now();
    console.log(`100,000 events: stored in ${Math.round(stored - began)} ms, read in ${Math.round(read - stored)} ms`);
    expect(read - began).toBeLessThan(60_000);
  }, 90_000);

  test('many stores that begin at once make the tables once, and a newer layout is refused', async () => {
    const crowd = Array.from({ length: 6 }, () => open('beginning'));
    await Promise.all(crowd.map((store, n) => writeAll(store, [event(n)])));
    expect(await crowd[0]!.read('r1')).toHaveLength(6);
    expect((await admin.query('SELECT version FROM beginning.event_layout')).rows).toEqual([{ version: 1 }]);
    await admin.query('UPDATE beginning.event_layout SET version = 99');
    await expect(open('beginning').read('r1')).rejects.toThrow(/newer Assay.*upgrade/);
  });

  test('a role that may only read is enough to read and follow', async () => {
    await writeAll(open('shown'), numbered(2));
    await admin.query(
      'CREATE ROLE reader LOGIN; GRANT USAGE ON SCHEMA shown TO reader; GRANT SELECT ON ALL TABLES IN SCHEMA shown TO reader',
    );
    const reader = open('shown', { connectionString: server.urlOf({ user: 'reader' }) });
    expect(await reader.read('r1')).toEqual(numbered(2));
    expect(await take(reader.subscribe('r1'), 2)).toEqual(numbered(2));
    await expect(writeAll(reader, numbered(3))).rejects.toThrow(/permission denied/);
  });

  test('a transaction that ends late does not make a follower miss its events', async () => {
    let commit: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      commit = resolve;
    });
    const slow = open('late', { pool: poolWith((query) => (query === 'COMMIT' ? held : undefined)) });
    const quick = open('late');
    await quick.read('r1');
    const following = take(open('late').subscribe('r1'), 2);
    const first = writeAll(slow, [event(0)]);
    await until(async () => (await admin.query("SELECT FROM pg_locks WHERE locktype = 'advisory'")).rowCount === 1);
    const second = writeAll(quick, [event(1)]);
    await sleep(500);
    commit();
    await Promise.all([first, second]);
    expect(await following).toEqual(numbered(2));
  });

  test('a batch that was stored unnoticed is stored once', async () => {
    let lost = 0;
    const pool = poolWith(async (query, connection) => {
      if (query !== 'COMMIT' || lost++ > 0) return;
      await connection.query(query);
      throw new Error('Connection terminated unexpectedly');
    });
    const store = open('unnoticed', { pool });
    await expect(async () => store.read('r1')).rejects.toThrow(/terminated/);
    await writeAll(store, numbered(3));
    expect(await store.read('r1')).toEqual(numbered(3));
    expect(lost).toBeGreaterThan(1);
  });

  test('a pool of the caller is used and left open', async () => {
    const pool = new pg.Pool({ connectionString: server.url });
    const store = postgresEvents({ pool, schema: 'pooled' });
    await writeAll(store, numbered(2));
    await store.close();
    expect((await pool.query('SELECT count(*)::integer AS n FROM pooled.events')).rows).toEqual([{ n: 2 }]);
    await pool.end();
  });
});

test('options that cannot be are refused at once', () => {
  expect(() => postgresEvents({})).toThrow(UsageError);
  expect(() => postgresEvents({ connectionString: 'postgresql://127.0.0.1/x', schema: 'a; DROP' })).toThrow(UsageError);
});
