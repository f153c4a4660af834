import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { UsageError } from '../../core/errors.ts';
import type { StepContext } from '../../core/step.ts';
import { type SqlOptions, sql } from './sql.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'assay-sql-'));
const file = path.join(folder, 'ferry.db');

beforeAll(() => {
  const database = new DatabaseSync(file);
  database.exec(`
    CREATE TABLE ports (code TEXT PRIMARY KEY, "full name" TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE sailings (
      id INTEGER PRIMARY KEY, origin TEXT REFERENCES ports, fare REAL, note TEXT, chart BLOB,
      target TEXT, day TEXT, UNIQUE (origin, day), FOREIGN KEY (target) REFERENCES ports (code)
    );
    CREATE VIEW cheap AS SELECT id FROM sailings WHERE fare < 10;
    INSERT INTO ports VALUES ('A', 'Aarø'), ('B', 'Bogø');
    INSERT INTO sailings (id, origin, fare, note, chart, day) VALUES
      (9007199254740993, 'A', 2, 'calm, "mostly"', x'010203', '1'), (2, 'A', 12.5, '', NULL, '2'), (3, 'B', 9.25, NULL, x'', '3');
  `);
  database.close();
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function context(signal = new AbortController().signal): StepContext {
  return { idempotencyKey: 'k', attempt: 1, signal };
}

async function call(name: string, args: object, options: SqlOptions & { signal?: AbortSignal } = {}): Promise<string> {
  const { signal, ...rest } = options;
  const found = sql({ sqlite: file }, rest).find((tool) => tool.name === name);
  return String(await found!.run(found!.input.parse(args), context(signal)));
}

const query = (text: string, options?: SqlOptions): Promise<string> => call('sqlQuery', { sql: text }, options);
const lines = (answer: string): string[] => answer.split('\n').slice(2);

describe('sql on SQLite', () => {
  it('gives rows as CSV with types, exact integers, and NULL told from the empty text', async () => {
    expect(lines(await query('SELECT id, fare, note, chart FROM sailings ORDER BY id DESC'))).toEqual([
      'id,fare,note,chart',
      'INTEGER,REAL,TEXT,BLOB',
      '9007199254740993,2.0,"calm, ""mostly""",(3 bytes)',
      '3,9.25,,(0 bytes)',
      '2,12.5,"",',
    ]);
  });

  it('names the types of expressions by their values, and keeps columns of one name apart', async () => {
    expect(lines(await query("SELECT 1 AS x, 'a' AS x, 2.5 AS y, NULL AS z"))).toEqual([
      'x,x,y,z',
      'INTEGER,TEXT,REAL,NULL',
      '1,a,2.5,',
    ]);
  });

  it('binds parameters and never puts them into the text', async () => {
    const hostile = "'; DELETE FROM sailings; --";
    const args = { sql: 'SELECT ? AS a, ? AS b, ? AS c, ? AS d', params: [hostile, 7, true, null] };
    expect(lines(await call('sqlQuery', args))).toEqual(['a,b,c,d', 'TEXT,INTEGER,INTEGER,NULL', `${hostile},7,1,`]);
  });

  it('stops at the limits for rows and bytes and says that more exist', async () => {
    const numbers = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 1000) SELECT i FROM n';
    const byRows = await query(numbers, { maxRows: 3 });
    expect(byRows).toMatch(/^The first 3 rows; more exist: /);
    expect(lines(byRows)).toEqual(['i', 'INTEGER', '1', '2', '3']);
    expect(await query(numbers, { maxBytes: 12 })).toMatch(/^The first 6 rows; more exist: /);
    expect(await query(numbers, { maxRows: 1000 })).toMatch(/^1000 rows\. /);
    const long = await query("SELECT replace(hex(zeroblob(50000)), '00', 'ab')");
    expect(long.length).toBeLessThan(5_000);
    expect(long).toContain('…[96000 more characters]');
  });

  it('describes tables, views, columns and keys, or one table', async () => {
    const all = await call('sqlSchema', {});
    expect(all).toContain('table ports\n  code TEXT NOT NULL\n  "full name" TEXT NOT NULL\n  PRIMARY KEY (code)');
    expect(all).toContain('UNIQUE (origin, day)');
    expect(all).toContain('FOREIGN KEY (target) REFERENCES ports (code)');
    expect(all).toContain('FOREIGN KEY (origin) REFERENCES ports');
    expect(all).toContain('view cheap\n  id INTEGER');
    expect(await call('sqlSchema', { table: 'CHEAP' })).toBe('view cheap\n  id INTEGER');
    expect(await call('sqlSchema', { table: 'none' })).toContain('no such table');
    expect(await call('sqlSchema', {}, { maxBytes: 60 })).toMatch(/ask for one by its name\): ports, sailings$/);
  });

  it('ends a statement without end at the time limit, and at once when the run is aborted', async () => {
    const endless = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n';
    await expect(query(endless, { timeoutMs: 100 })).rejects.toThrow('no result within 100 ms');
    const controller = new AbortController();
    setTimeout(() => controller.abort(new Error('enough')), 300);
    const begun = Date.now();
    await expect(call('sqlQuery', { sql: endless }, { signal: controller.signal })).rejects.toThrow('enough');
    expect(Date.now() - begun).toBeLessThan(3_000);
  });

  it('ends a statement that eats memory', async () => {
    const hungry =
      'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 900) SELECT group_concat(hex(zeroblob(1000000))) FROM n';
    await expect(query(hungry)).rejects.toThrow('too much memory');
  });

  it('reads a database in WAL mode that another process writes', async () => {
    const wal = path.join(folder, 'wal.db');
    const writer = new DatabaseSync(wal);
    writer.exec('PRAGMA journal_mode = WAL; CREATE TABLE t (a); INSERT INTO t VALUES (5)');
    const [reader] = sql({ sqlite: wal });
    expect(await reader!.run({ sql: 'SELECT a FROM t', params: [] }, context())).toContain('\n5');
    writer.close();
  });
});

describe('sqlExecute on SQLite', () => {
  it('exists only when asked for, with the effect that was asked for', () => {
    const effects = (options?: SqlOptions) => sql({ sqlite: file }, options).map(({ name, effect }) => [name, effect]);
    const readers = [
      ['sqlQuery', 'read'],
      ['sqlSchema', 'read'],
    ];
    expect(effects()).toEqual(readers);
    expect(effects({ write: true })).toEqual([...readers, ['sqlExecute', 'write']]);
    expect(effects({ write: 'irreversible' }).at(-1)).toEqual(['sqlExecute', 'irreversible']);
    expect(effects({ name: 'ferry' })[0]).toEqual(['ferryQuery', 'read']);
  });

  it('reports the rows it changed and what RETURNING gives', async () => {
    const write = (text: string, params: unknown[] = []) => call('sqlExecute', { sql: text, params }, { write: true });
    expect(await write("INSERT INTO ports VALUES ('C', ?), ('D', 'Drejø')", ['Christiansø'])).toBe('2 rows changed.');
    const returned = await write("DELETE FROM ports WHERE code IN ('C', 'D') RETURNING code");
    expect(returned).toMatch(/^2 rows changed\.\n\nReturned: 2 rows\. .*\n\ncode\nTEXT\nC\nD$/s);
    await expect(write("INSERT INTO sailings (id, origin) VALUES (9, 'Z')")).rejects.toThrow('FOREIGN KEY constraint');
    await expect(write('DROP TABLE ports')).rejects.toThrow('one INSERT, UPDATE or DELETE');
  });

  it('leaves nothing behind when it is ended in the middle', async () => {
    const args = {
      sql: `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
            INSERT INTO sailings (note) SELECT hex(randomblob(5000)) FROM n`,
    };
    await expect(call('sqlExecute', args, { write: true, timeoutMs: 100 })).rejects.toThrow('within 100 ms');
    expect(readdirSync(folder)).not.toContain('ferry.db-journal');
    expect(lines(await query('SELECT count(*) AS n FROM sailings')).at(-1)).toBe('3');
  });
});

describe('sql', () => {
  it('tells rules what it touches, without the password', () => {
    const touched = (target: Parameters<typeof sql>[0]) => sql(target)[0]!.touches!({});
    expect(touched({ sqlite: file })).toEqual({ paths: [file] });
    expect(touched({ postgres: 'postgresql://u:geheim@DB.Example:6543/x' })).toEqual({ hosts: ['db.example'] });
    expect(touched({ postgres: 'postgresql:///x?host=/run/sockets' })).toEqual({});
  });

  it('refuses a target or a name that cannot be one', () => {
    expect(() => sql({ sqlite: ':memory:' })).toThrow(UsageError);
    expect(() => sql({ sqlite: file }, { name: 'my db' })).toThrow('letters');
    expect(() => sql({ sqlite: file }, { maxRows: 0 })).toThrow('above 0');
    expect(sql({ sqlite: file })[0]!.input.safeParse({ sql: 'SELECT 1\0' }).success).toBe(false);
    expect(() => sql({ postgres: 'mysql://u:geheim@h/x' })).toThrow(/^(?!.*geheim).*postgresql:\/\//);
  });
});
