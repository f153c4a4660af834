import pg from 'pg';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { RunEvent } from '../core/event.ts';
import { noUsage } from '../core/usage.ts';
import { noPostgres, type PostgresServer, startPostgres } from '../testing/postgres-server.ts';
import { outageOf } from '../testing/restart-postgres.ts';
import { runIndexContract, runRow } from '../testing/run-index-contract.ts';
import { type PostgresRunIndex, postgresRunIndex } from './postgres-index.ts';

const absent = noPostgres();
let server: PostgresServer;
let admin: pg.Client;
const indexes: PostgresRunIndex[] = [];

beforeAll(async () => {
  if (absent !== undefined) return;
  server = await startPostgres();
  admin = new pg.Client(server.url);
  await admin.connect();
}, 60_000);

afterAll(async () => {
  await Promise.allSettled(indexes.map((index) => index.close()));
  await admin?.end();
  await server?.close();
});

const skipped = absent ? ` (skipped: ${absent})` : '';
const open = (schema: string, connectionString: string = server.url): PostgresRunIndex => {
  const index = postgresRunIndex({ connectionString, schema });
  indexes.push(index);
  return index;
};
const started = (run: string, at: number): RunEvent => ({
  ...{ type: 'run.start', task: `long ${'task '.repeat(100)}`, model: 'm', layers: [], solver: 's' },
  ...{ id: 'run.start#1', run, path: '', at, live: true },
});
const asked = (run: string, at: number): RunEvent => ({
  ...{ type: 'approval.requested', signal: 's', tool: 't', args: {}, why: 'w' },
  ...{ id: 'approval.requested#1', run, path: '', at, live: true },
});
const ended = (run: string, at: number): RunEvent => ({
  ...{ type: 'run.end', status: 'revised', reason: 'r', usage: { ...noUsage, tokens: 42, usd: 0.5 }, activeMs: 1 },
  ...{ id: 'run.end#1', run, path: '', at, live: true },
});
const told = async (
  index: PostgresRunIndex,
  events: readonly RunEvent[],
  owner?: { tenant: string; agent: string },
) => {
  const sink = index.sink(owner);
  for (const event of events) await sink.write(event);
  await sink.close?.();
};

describe.skipIf(absent !== undefined)(`on PostgreSQL${skipped}`, () => {
  let schemas = 0;
  runIndexContract('postgres', () => {
    const schema = `runs_${++schemas}`;
    const another = () => postgresRunIndex({ connectionString: server.url, schema });
    return {
      index: another(),
      another,
      dispose: async () => void (await admin.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`)),
    };
  });

  test('events of another machine keep a row up to date', async () => {
    const [index, elsewhere] = [open('updated'), open('updated')];
    await index.put(runRow('r1'));
    await told(elsewhere, [started('r1', 1_100), asked('r1', 1_200)]);
    const configuration = 'm · s';
    expect(await index.get('r1')).toEqual(runRow('r1', { status: 'awaiting_approval', updated: 1_200, configuration }));
    await told(elsewhere, [
      { ...asked('r1', 1_300), type: 'approval.decided', approved: true, reason: '' } as RunEvent,
    ]);
    expect(await index.get('r1')).toMatchObject({ status: 'running', updated: 1_300 });
    await told(elsewhere, [ended('r1', 1_400)]);
    const figures = { tokens: 42, usd: 0.5, activeMs: 1 };
    expect(await index.get('r1')).toEqual(
      runRow('r1', { status: 'revised', updated: 1_400, configuration, ...figures }),
    );
  });

  test('tables of an earlier version keep their rows, and take what is known now', async () => {
    await open('earlier').put(runRow('r1'));
    await admin.query(`ALTER TABLE earlier.runs DROP COLUMN active_ms, DROP COLUMN verdict, DROP COLUMN configuration;
      UPDATE earlier.run_layout SET version = 1`);
    const index = open('earlier');
    expect(await index.get('r1')).toEqual(runRow('r1'));
    const row = runRow('r2', { activeMs: 5, verdict: 'revise', configuration: 'm · s' });
    await index.put(row);
    expect(await index.get('r2')).toEqual(row);
  });

  test('a replay does not undo what came later, in one batch or in several', async () => {
    const index = open('replayed');
    await index.put(runRow('r1'));
    await told(index, [started('r1', 1_100), ended('r1', 1_400), started('r1', 1_100), asked('r1', 1_200)]);
    await told(index, [started('r1', 1_100)]);
    expect(await index.get('r1')).toMatchObject({ status: 'revised', updated: 1_400, tokens: 42 });
  });

  test('events add a row only for a named tenant, and never take one over', async () => {
    const index = open('added');
    await told(index, [started('unknown', 5)]);
    expect(await index.get('unknown')).toBeUndefined();
    await index.put(runRow('r1', { tenant: 't2' }));
    await told(index, [started('r1', 1_100), started('r2', 7), ended('r2', 9)], { tenant: 't1', agent: 'a' });
    expect(await index.get('r1')).toMatchObject({ tenant: 't2', agent: 'default', status: 'running', updated: 1_100 });
    expect(await index.get('r2')).toMatchObject({
      ...{ tenant: 't1', agent: 'a', status: 'revised', created: 7, updated: 9, tokens: 42 },
      task: started('r2', 7).type === 'run.start' ? `long ${'task '.repeat(39)}` : '',
    });
  });

  test('machines that tell of the same runs at once, in any order, agree', async () => {
    const runs = Array.from({ length: 200 }, (_, n) => `r${n}`);
    const machines = [open('crowd'), open('crowd'), open('crowd')];
    const owner = { tenant: 't1', agent: 'a' };
    const orders = [runs, runs.toReversed(), runs.toSorted()];
    await Promise.all(
      machines.map((index, machine) =>
        told(
          index,
          orders[machine]!.flatMap((run) => [started(run, 1), asked(run, 2), ended(run, 3)]),
          owner,
        ),
      ),
    );
    const rows = await machines[0]!.list({ tenant: 't1', limit: 300 });
    expect(rows).toHaveLength(200);
    for (const row of rows) expect(row).toMatchObject({ status: 'revised', created: 1, updated: 3, tokens: 42 });
  });

  test('changes that come while the server is away are written when it is back', async () => {
    const own = await startPostgres();
    const outage = await outageOf(own.url);
    onTestFinished(async () => {
      await outage.close();
      await own.close();
    });
    const index = open('assay', own.url);
    await index.put(runRow('r1'));
    await outage.kill();
    await expect(index.get('r1')).rejects.toThrow(/Check that the server runs/);
    const sink = index.sink();
    sink.write(ended('r1', 1_400));
    await outage.restart();
    await expect
      .poll(() => index.get('r1').catch(() => undefined), { timeout: 15_000 })
      .toMatchObject({ status: 'revised' });
  }, 40_000);

  test('only ended runs are removed, by their last update', async () => {
    const index = open('removed');
    await index.put(runRow('waiting', { status: 'awaiting_approval', updated: 5 }));
    await index.put(runRow('old', { status: 'stopped', updated: 5 }));
    await index.put(runRow('new', { status: 'completed', updated: 10 }));
    expect(await index.deleteBefore(10)).toBe(1);
    const left = await index.list({ tenant: 't1', limit: 9 });
    expect(left.map(({ id }) => id)).toEqual(['waiting', 'new']);
  });

  test('a page deep in 20,000 runs is read by the index', async () => {
    const index = open('long');
    await index.get('none');
    await admin.query(
      `INSERT INTO long.runs SELECT n::text, n::text, 't' || n % 4, 'a', 'p', 'completed', n, n, '', 0, 0, NULL FROM generate_series(1, 20000) AS n`,
    );
    await admin.query('ANALYZE long.runs');
    const plan = await admin.query(
      `EXPLAIN SELECT * FROM long.runs WHERE tenant = 't1' AND (created, key) < (9000, '') ORDER BY created DESC, key DESC LIMIT 50`,
    );
    expect(JSON.stringify(plan.rows)).toMatch(/Index Scan.*runs_by_tenant/);
    const page = await index.list({ tenant: 't1', limit: 2, after: { created: 9_001, id: '9001' } });
    expect(page.map(({ id }) => id)).toEqual(['8997', '8993']);
  });
});
