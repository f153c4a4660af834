import { type AddressInfo, createServer } from 'node:net';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { StepContext } from '../../../core/step.ts';
import { noPostgres, type PostgresServer, startPostgres } from '../../../testing/postgres-server.ts';
import { type SqlOptions, sql } from '../sql.ts';

const absent = noPostgres();
const password = 'ge heim/1';
let server: PostgresServer;
let admin: pg.Client;

beforeAll(async () => {
  if (absent !== undefined) return;
  server = await startPostgres();
  admin = new pg.Client(server.url);
  await admin.connect();
  await admin.query(`
    CREATE ROLE clerk LOGIN PASSWORD '${password}';
    CREATE ROLE file_reader LOGIN;
    GRANT pg_read_server_files TO file_reader;
    CREATE SCHEMA shop AUTHORIZATION clerk;
    SET ROLE clerk;
    CREATE TABLE shop.parts (id bigint PRIMARY KEY, label text NOT NULL, price numeric(9,2), at timestamptz, image bytea, update_at date);
    CREATE TABLE shop.stock (part bigint REFERENCES shop.parts, place text, UNIQUE (part, place));
    CREATE VIEW shop.cheap AS SELECT id FROM shop.parts WHERE price < 2;
    CREATE SEQUENCE shop.numbers;
    CREATE FUNCTION shop.tidy() RETURNS int LANGUAGE sql AS 'DELETE FROM shop.parts RETURNING 1';
    INSERT INTO shop.parts VALUES
      (9007199254740993, 'bolt, "M8"', 1.10, '2026-03-01 10:00:00.25+02', '\\x0102', '2026-01-05'), (2, '', NULL, NULL, NULL, NULL);
    RESET ROLE;
    CREATE TABLE public.secrets (word text);
  `);
}, 60_000);

afterAll(async () => {
  await admin?.end();
  await server?.close();
});

function context(signal = new AbortController().signal): StepContext {
  return { idempotencyKey: 'k', attempt: 1, signal };
}

async function call(name: string, args: object, options: SqlOptions & { signal?: AbortSignal } = {}): Promise<string> {
  const { signal, ...rest } = options;
  const tools = sql({ postgres: server.urlOf({ user: 'clerk', password }) }, { timeoutMs: 5_000, ...rest });
  const found = tools.find((tool) => tool.name === name);
  return String(await found!.run(found!.input.parse(args), context(signal)));
}

const query = (text: string, params: unknown[] = []): Promise<string> => call('sqlQuery', { sql: text, params });
const execute = (text: string, params: unknown[] = []): Promise<string> =>
  call('sqlExecute', { sql: text, params }, { write: true });
const lines = (answer: string): string[] => answer.split('\n').slice(2);

async function contents(): Promise<unknown> {
  const texts = [
    'SELECT * FROM shop.parts ORDER BY id',
    'SELECT last_value, is_called FROM shop.numbers',
    'SELECT oid FROM pg_largeobject_metadata',
    "SELECT relname FROM pg_class WHERE relkind IN ('r', 'v', 'S') ORDER BY 1",
  ];
  const results = [];
  for (const text of texts) results.push((await admin.query(text)).rows);
  return results;
}

const ours = "SELECT pid FROM pg_stat_activity WHERE application_name = 'assay'";

describe.skipIf(absent !== undefined)(`sql on PostgreSQL${absent ? ` (skipped: ${absent})` : ''}`, () => {
  it('gives rows as CSV with types, exact numbers, ISO times, and NULL told from the empty text', async () => {
    await admin.query("ALTER ROLE clerk SET timezone = 'Europe/Copenhagen'");
    expect(lines(await query('SELECT id, label, price, at, image FROM shop.parts ORDER BY id DESC'))).toEqual([
      'id,label,price,at,image',
      'bigint,text,"numeric(9,2)",timestamp with time zone,bytea',
      '9007199254740993,"bolt, ""M8""",1.10,2026-03-01T09:00:00.25+01:00,(2 bytes)',
      '2,"",,,',
    ]);
    expect(
      lines(
        await query("SELECT timestamp '2026-01-02 03:04:05' AS a, 'infinity'::timestamp AS b, interval '26 h' AS c"),
      )[2],
    ).toBe('2026-01-02T03:04:05,infinity,PT26H');
  });

  it('binds parameters and never puts them into the text', async () => {
    const hostile = "'; DROP TABLE shop.parts; --";
    expect(
      lines(await query('SELECT $1 AS a, $2::int + 1 AS b, $3::bool AS c, $4::int AS d', [hostile, 4, true, null]))[2],
    ).toBe(`${hostile},5,t,`);
  });

  it('refuses everything that is not one reading statement, having changed nothing', async () => {
    const before = await contents();
    const refused = [
      "/* tidy */ UPDATE shop.parts SET label = 'x'",
      '-- tidy\nDROP TABLE shop.stock',
      '(((DELETE FROM shop.parts)))',
      '\ufeffDELETE FROM shop.parts',
      'SELECT 1; DELETE FROM shop.parts',
      'SELECT 1; COMMIT; DELETE FROM shop.parts',
      'WITH gone AS (DELETE FROM shop.parts RETURNING id) SELECT * FROM gone',
      'EXPLAIN ANALYZE DELETE FROM shop.parts',
      'EXPLAIN (ANALYZE) INSERT INTO shop.parts (id, label) VALUES (3, $$x$$)',
      'SELECT * INTO shop.copied FROM shop.parts',
      'SELECT shop.tidy()',
      "SELECT nextval('shop.numbers')",
      'SELECT * FROM shop.parts FOR UPDATE',
      "SELECT set_config('transaction_read_only', 'off', false)",
      "SELECT query_to_xml('DELETE FROM shop.parts', true, true, '')",
      'COMMIT',
      'COMMIT AND CHAIN',
      'SET transaction_read_only = off',
      "COPY shop.parts TO PROGRAM 'true'",
      'DO $$ BEGIN DELETE FROM shop.parts; END $$',
      'CREATE TEMP TABLE made (a int)',
      'NOTIFY shop',
      'SELECT 1)',
      '',
    ];
    for (const text of refused) await expect(call('sqlQuery', { sql: text || ' ' }), text).rejects.toThrow();
    // Versions before 16 do this in a READ ONLY transaction; it is rolled back.
    await query("SELECT lo_from_bytea(0, 'x')").catch(() => undefined);
    // Explained as the query alone.
    await query('EXPLAIN ANALYZE CREATE TABLE shop.copied AS SELECT 1');
    expect(await contents()).toEqual(before);
  });

  it('allows reading, whatever the text looks like', async () => {
    expect(lines(await query("SELECT 'delete from parts; commit' AS a"))[2]).toBe('delete from parts; commit');
    expect(lines(await query('-- drop\nSELECT update_at FROM shop.parts WHERE id <> 2; '))[2]).toBe('2026-01-05');
    expect(lines(await query('TABLE shop.cheap'))[2]).toBe('9007199254740993');
    expect(
      lines(
        await query(
          'WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 3) SELECT sum(i) FROM n',
        ),
      )[2],
    ).toBe('6');
    expect(await query('EXPLAIN SELECT * FROM shop.parts')).toContain('Seq Scan on parts');
  });

  it('has time limits of the server that a query cannot lift, for it or for what follows', async () => {
    const lifting =
      "SELECT set_config('statement_timeout', '0', false), set_config('role', 'clerk', false), pg_sleep(30)";
    await expect(call('sqlQuery', { sql: lifting }, { timeoutMs: 300 })).rejects.toThrow('statement timeout');
    await query("SELECT set_config('statement_timeout', '0', false), set_config('search_path', 'shop', false)");
    expect(lines(await query("SELECT current_setting('statement_timeout'), current_setting('search_path')"))[2]).toBe(
      '5s,"""$user"", public"',
    );
  });

  it('lets no lock of a session outlive the call', async () => {
    await query('SELECT pg_advisory_lock(77)');
    await expect.poll(async () => (await admin.query(ours)).rowCount).toBe(0);
    expect((await admin.query('SELECT pg_try_advisory_lock(77) AS got')).rows).toEqual([{ got: true }]);
    await admin.query('SELECT pg_advisory_unlock(77)');
  });

  it('ends the backend when the run is aborted', async () => {
    const controller = new AbortController();
    const running = call('sqlQuery', { sql: 'SELECT pg_sleep(30)' }, { signal: controller.signal });
    await expect.poll(async () => (await admin.query(`${ours} AND query LIKE 'FETCH%'`)).rowCount).toBe(1);
    controller.abort(new Error('enough'));
    await expect(running).rejects.toThrow('enough');
    expect((await admin.query(`${ours} AND state = 'active'`)).rows).toEqual([]);
  });

  it('waits for no server that does not answer', async () => {
    const mute = createServer((socket) => socket.on('error', () => undefined).resume());
    await new Promise<void>((settle) => mute.listen(0, '127.0.0.1', settle));
    const [reader] = sql(
      { postgres: `postgresql://u@127.0.0.1:${(mute.address() as AddressInfo).port}/x` },
      { timeoutMs: 300 },
    );
    const args = { sql: 'SELECT 1', params: [] };
    await expect(reader!.run(args, context())).rejects.toThrow('timeout');
    const running = reader!.run(args, context(AbortSignal.timeout(50)));
    await expect(running).rejects.toThrow('aborted due to timeout');
    await new Promise((settle) => mute.close(settle));
  });

  it('stops at the limits for rows and for what the server sends', async () => {
    const some = await call('sqlQuery', { sql: 'SELECT generate_series(1, 1000000)' }, { maxRows: 2 });
    expect(some).toMatch(/^The first 2 rows; more exist: /);
    await expect(query("SELECT repeat('x', 50000000)")).rejects.toThrow('larger than 32 MiB: select fewer rows');
    expect((await query("SELECT repeat('x', 10000)")).length).toBeLessThan(5_000);
  });

  it('describes what the role may read', async () => {
    const all = await call('sqlSchema', {});
    expect(all).toContain('table shop.parts\n  id bigint NOT NULL\n  label text NOT NULL\n  price numeric(9,2)\n');
    expect(all).toContain('PRIMARY KEY (id)');
    expect(all).toContain('UNIQUE (part, place)\n  FOREIGN KEY (part) REFERENCES shop.parts(id)');
    expect(all).toContain('view shop.cheap\n  id bigint');
    expect(all).not.toContain('secrets');
    expect(await call('sqlSchema', { table: 'shop.cheap' })).toBe('view shop.cheap\n  id bigint');
    expect(await call('sqlSchema', { table: 'secrets' })).toContain('no such table');
  });

  it('refuses a role that could read files of the server, unless that is allowed', async () => {
    for (const user of ['assay', 'file_reader']) {
      const [reader] = sql({ postgres: server.urlOf({ user }) });
      await expect(reader!.run({ sql: 'SELECT 1', params: [] }, context())).rejects.toThrow('allowSuperuser');
    }
    const [allowed] = sql({ postgres: server.url, allowSuperuser: true });
    expect(await allowed!.run({ sql: 'SELECT 1 AS one', params: [] }, context())).toContain('one\ninteger\n1');
  });

  it('shows no password when it cannot connect', async () => {
    const wrong = { user: 'nobody', password: 'p@ss word' };
    const urls = [
      server.urlOf(wrong),
      `${server.urlOf(wrong)}?sslmode=none-such`,
      'postgresql://u:p%40ss%20word@127.0.0.1:1/x',
    ];
    for (const postgres of urls) {
      const failure: unknown = await sql({ postgres })[0]!
        .run({ sql: 'SELECT 1', params: [] }, context())
        .catch((e: unknown) => e);
      expect(String(failure)).toContain('PostgreSQL: ');
      expect(String(failure)).not.toMatch(/p@ss|p%40ss/);
    }
  });

  it('changes rows wholly or not at all, and reports them', async () => {
    expect(await execute('INSERT INTO shop.parts (id, label) VALUES (5, $1), (6, $1)', ['cog'])).toBe(
      '2 rows changed.',
    );
    expect(await execute('DELETE FROM shop.parts WHERE id IN (5, 6) RETURNING id')).toMatch(
      /^2 rows changed\.\n\nReturned: 2 rows\. .*\nid\nbigint\n5\n6$/s,
    );
    await expect(execute("INSERT INTO shop.parts (id, label) VALUES (7, 'x'), (2, 'y')")).rejects.toThrow(
      'duplicate key',
    );
    expect(lines(await query('SELECT count(*) AS n FROM shop.parts'))[2]).toBe('2');
  });

  it('refuses to execute anything else, having changed nothing', async () => {
    const before = await contents();
    const refused = [
      'DROP TABLE shop.stock',
      'CREATE TABLE shop.made AS SELECT 1',
      'TRUNCATE shop.parts CASCADE',
      'WITH gone AS (DELETE FROM shop.parts RETURNING id) SELECT * FROM gone',
      'DELETE FROM shop.parts; COMMIT',
      'ANALYZE DELETE FROM shop.parts',
      'DO $$ BEGIN DELETE FROM shop.parts; END $$',
      'COMMIT',
      'COPY shop.parts FROM STDIN',
    ];
    for (const text of refused) await expect(execute(text), text).rejects.toThrow();
    expect(await contents()).toEqual(before);
  });
});
