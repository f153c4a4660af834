import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { StateError, UsageError } from '../core/errors.ts';
import { lessonStoreContract } from '../testing/lesson-store-contract.ts';
import { noPostgres, type PostgresServer, startPostgres } from '../testing/postgres-server.ts';
import { postgresLessons } from './postgres-lessons.ts';

const absent = noPostgres();
let server: PostgresServer;
let admin: pg.Client;

beforeAll(async () => {
  if (absent !== undefined) return;
  server = await startPostgres();
  admin = new pg.Client(server.url);
  await admin.connect();
  await admin.query("CREATE ROLE learner LOGIN PASSWORD 'se cret'; GRANT CREATE ON DATABASE postgres TO learner");
}, 60_000);

afterAll(async () => {
  await admin?.end();
  await server?.close();
});

const draft = {
  trigger: 'ferry timetable questions',
  failurePattern: 'summer departures quoted for winter',
  lesson: 'Read the season column before quoting a departure',
  avoid: 'Quoting the first row',
};
const meta = { id: 'l1', source: 'r', scope: 's', now: 1_000 };

/** Where pgvector is not to be had: its names with the same meaning, which also count how often they are asked. */
const standIn = `
  CREATE DOMAIN "of vectors".vector AS real[];
  CREATE SEQUENCE "of vectors".asked START 1 MINVALUE 0;
  GRANT USAGE ON SEQUENCE "of vectors".asked TO learner;
  CREATE FUNCTION "of vectors".distance(a real[], b real[]) RETURNS double precision LANGUAGE plpgsql AS $$
    BEGIN
      IF cardinality(a) <> cardinality(b) THEN RAISE 'different vector dimensions'; END IF;
      PERFORM nextval('"of vectors".asked');
      RETURN (SELECT 1 - sum(x * y) / sqrt(sum(x * x) * sum(y * y)) FROM unnest(a, b) AS pair (x, y));
    END $$;
  CREATE OPERATOR "of vectors".<=> (FUNCTION = "of vectors".distance, LEFTARG = real[], RIGHTARG = real[]);
  INSERT INTO pg_extension (oid, extname, extowner, extnamespace, extrelocatable, extversion)
    SELECT 99999, 'vector', 10, oid, true, '0' FROM pg_namespace WHERE nspname = 'of vectors';`;

const skipped = absent ? ` (skipped: ${absent})` : '';

describe.skipIf(absent !== undefined)(`on PostgreSQL${skipped}`, () => {
  let schemas = 0;
  const connection = (): string => server.urlOf({ user: 'learner', password: 'se cret' });

  lessonStoreContract('postgres', (options) => {
    const schema = `lessons_${++schemas}`;
    const open = () => postgresLessons({ ...options, connection: connection(), schema });
    return {
      store: open(),
      another: open,
      dispose: async () => void (await admin.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`)),
    };
  });

  test('many stores that begin at once make the tables once', async () => {
    const schema = 'beginning';
    const stores = Array.from({ length: 6 }, () => postgresLessons({ connection: connection(), schema }));
    await Promise.all(stores.map((store, index) => store.admit(draft, { ...meta, id: `l${index}` })));
    const lessons = await stores[0]!.list();
    expect(lessons).toHaveLength(1);
    await Promise.all(stores.map((store) => store.close()));
    expect((await admin.query(`SELECT version FROM ${schema}.lesson_layout`)).rows).toEqual([{ version: 1 }]);
  });

  test('the index holds terms, and those of active lessons only', async () => {
    const store = postgresLessons({ connection: connection(), schema: 'indexed' });
    await store.admit(draft, meta);
    const terms = async () => (await admin.query('SELECT terms::text FROM indexed.lessons')).rows;
    expect(await terms()).toEqual([{ terms: "'ferry' 'question' 'timetabl'" }]);
    await store.expire('l1', 2_000);
    expect(await terms()).toEqual([{ terms: '' }]);
    await store.close();
  });

  test('nothing of a forgotten text is left in any row of the schema', async () => {
    const store = postgresLessons({ connection: connection(), schema: 'wiped' });
    await store.admit(draft, { ...meta, embedding: { model: 'm', vector: [0.25, 0.5] } });
    await store.forget('l1');
    const rows = await admin.query('SELECT lessons::text AS row FROM wiped.lessons');
    expect(rows.rows).toHaveLength(1);
    expect(JSON.stringify(rows.rows)).not.toMatch(/ferry|season|summer|Quoting|0\.25/);
    await store.close();
  });

  test('a database that cannot be used is a StateError with the remedy and without the password', async () => {
    const wrong = server.urlOf({ user: 'learner', password: 'se cret', database: 'nowhere' });
    const store = postgresLessons({ connection: wrong });
    const failure = await store.list().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(StateError);
    expect(String(failure)).toMatch(/nowhere.*Check that the server runs/);
    expect(String(failure)).not.toMatch(/se cret|se%20cret/);
    await store.close();
  });

  test('a store works again after its connections were cut, and is a StateError once closed', async () => {
    const store = postgresLessons({ connection: connection(), schema: 'cut' });
    await store.admit(draft, meta);
    await admin.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'learner'");
    await store.list().catch(() => undefined);
    expect(await store.list()).toHaveLength(1);
    await store.close();
    await expect(store.list()).rejects.toThrow(/was closed/);
  });

  test('a newer layout is refused', async () => {
    const store = postgresLessons({ connection: connection(), schema: 'newer' });
    await store.list();
    await store.close();
    await admin.query('UPDATE newer.lesson_layout SET version = 99');
    const later = postgresLessons({ connection: connection(), schema: 'newer' });
    await expect(later.list()).rejects.toThrow(/newer Assay.*upgrade/);
    await later.close();
  });

  test('vectors are compared by the extension where it is installed', async () => {
    await admin.query('CREATE DATABASE vectors');
    const owner = new pg.Client(server.urlOf({ database: 'vectors' }));
    await owner.connect();
    await owner.query(
      'CREATE SCHEMA "of vectors"; GRANT USAGE ON SCHEMA "of vectors" TO learner; GRANT CREATE ON DATABASE vectors TO learner',
    );
    const available = await owner.query("SELECT FROM pg_available_extensions WHERE name = 'vector'");
    await owner.query(available.rowCount === 0 ? standIn : 'CREATE EXTENSION vector SCHEMA "of vectors"');
    const store = postgresLessons({
      connection: server.urlOf({ user: 'learner', password: 'se cret', database: 'vectors' }),
    });
    const embedding = (vector: number[]) => ({ model: 'm', vector });
    await store.admit(draft, { ...meta, embedding: embedding([1, 0]) });
    await store.admit(
      { ...draft, failurePattern: 'deck plan upside down', lesson: 'Turn the deck plan north', avoid: '' },
      { ...meta, id: 'l2', embedding: embedding([1, 0, 0]) },
    );
    const near = (vector: number[]) =>
      store.recall({ text: 'boat', scope: 's', limit: 3, now: 0, embedding: embedding(vector) });
    expect(await near([2, 0.1])).toMatchObject([{ id: 'l1' }]);
    expect(await near([0, 1])).toEqual([]);
    expect(await near([1, 0, 0])).toMatchObject([{ id: 'l2' }]);
    await store.close();
    if (available.rowCount === 0)
      expect((await owner.query('SELECT last_value FROM "of vectors".asked')).rows).toEqual([{ last_value: '3' }]);
    await owner.end();
  });
});

test('a name that is no schema is refused at once', () => {
  expect(() => postgresLessons({ connection: 'postgresql://127.0.0.1/x', schema: 'a; DROP' })).toThrow(UsageError);
});
