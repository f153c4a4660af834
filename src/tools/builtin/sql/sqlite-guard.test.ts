import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openGuarded } from './sqlite-guard.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'assay-sqlite-guard-'));
const file = path.join(folder, 'shop.db');
const authorizer = Object.getOwnPropertyDescriptor(DatabaseSync.prototype, 'setAuthorizer');

beforeAll(() => {
  const database = new DatabaseSync(file);
  database.exec(`
    CREATE TABLE parts (id INTEGER PRIMARY KEY, label TEXT, update_at TEXT);
    INSERT INTO parts VALUES (1, 'bolt', '2026-01-05'), (2, 'nut', NULL);
    CREATE VIRTUAL TABLE notes USING fts5 (body);
    INSERT INTO notes VALUES ('spare bolts are in drawer four');
    CREATE VIRTUAL TABLE old_notes USING fts4 (body);
    INSERT INTO old_notes VALUES ('drawer four');
    CREATE VIRTUAL TABLE areas USING rtree (id, low, high);
    INSERT INTO areas VALUES (7, 1.0, 2.0);
    CREATE VIEW labels AS SELECT json_group_array(label) AS list FROM parts;
    PRAGMA user_version = 12;
  `);
  database.close();
});

afterEach(() => {
  if (authorizer) Object.defineProperty(DatabaseSync.prototype, 'setAuthorizer', authorizer);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function run(sql: string, write = false): unknown[][] {
  const { database, prepare } = openGuarded(file, { write, busyMs: 0 });
  try {
    const statement = prepare(sql);
    statement.setReturnArrays(true);
    return statement.all() as Iterable<unknown> as unknown[][];
  } finally {
    database.close();
  }
}

function contents(): unknown {
  const database = new DatabaseSync(file, { readOnly: true });
  const tables = ['parts', 'notes', 'old_notes', 'areas', 'sqlite_schema', 'pragma_user_version'];
  const all = tables.map((table) => database.prepare(`SELECT * FROM ${table}`).all());
  database.close();
  return [all, readdirSync(folder)];
}

const other = path.join(folder, 'other.db');
const outside = [
  `ATTACH DATABASE '${other}' AS x`,
  `ATTACH '${file}' AS again`,
  "ATTACH ':memory:' AS m",
  'DETACH main',
  `VACUUM INTO '${other}'`,
  'VACUUM',
  "SELECT load_extension('/nowhere/x')",
  `SELECT writefile('${other}', 'y')`,
  'PRAGMA journal_mode = WAL',
  'PRAGMA wal_checkpoint(TRUNCATE)',
  'PRAGMA optimize',
  'PRAGMA incremental_vacuum',
  'BEGIN IMMEDIATE',
  'SAVEPOINT s',
  'COMMIT',
  'CREATE TABLE made (a)',
  'CREATE TEMP TABLE made (a)',
  'CREATE VIRTUAL TABLE made USING fts5 (a)',
  'CREATE TRIGGER made AFTER DELETE ON parts BEGIN SELECT 1; END',
  'DROP TABLE parts',
  'ALTER TABLE parts ADD COLUMN made',
  'ANALYZE',
  'SELECT 1; SELECT 2',
  'SELECT 1 /* one */; -- two\nDELETE FROM parts',
  'SELECT 1\0; DELETE FROM parts',
  '',
  ' ;; -- nothing',
  'not a statement',
];
const changes = [
  'WITH few AS (SELECT 1 AS id) DELETE FROM parts WHERE id IN (SELECT id FROM few)',
  "/* tidy */ UPDATE parts SET label = 'x'",
  '-- tidy\nDELETE FROM parts',
  '\ufeffDELETE FROM parts',
  "INSERT INTO parts (label) VALUES ('x') RETURNING id",
  'REPLACE INTO parts (id) VALUES (1)',
  "INSERT INTO notes VALUES ('x')",
  "INSERT INTO notes (notes) VALUES ('optimize')",
  'DELETE FROM areas',
];
const alwaysRefused = [
  ...outside,
  'REINDEX',
  'DELETE FROM sqlite_schema',
  'DELETE FROM areas_node',
  '(((DELETE FROM parts)))',
  'EXPLAIN ANALYZE DELETE FROM parts',
  'SELECT * INTO copied FROM parts',
  'PRAGMA user_version = 5',
];

for (const guard of ['authorizer', 'opcodes']) {
  const absent = guard === 'authorizer' && !authorizer;
  describe.skipIf(absent)(`a guard by ${guard}${absent ? ' (skipped: this Node has no authorizer)' : ''}`, () => {
    const use = (): void => {
      if (guard === 'opcodes') Reflect.deleteProperty(DatabaseSync.prototype, 'setAuthorizer');
    };

    it('refuses everything that changes or creates something, on a reading connection', () => {
      use();
      const before = contents();
      for (const sql of [...alwaysRefused, ...changes]) expect(() => run(sql), sql).toThrow();
      expect(contents()).toEqual(before);
      expect(existsSync(other)).toBe(false);
    });

    it('allows reading, whatever the text looks like', () => {
      use();
      expect(run("SELECT 'delete from parts'")).toEqual([['delete from parts']]);
      expect(run('SELECT update_at FROM parts WHERE id = 1; -- done\n')).toEqual([['2026-01-05']]);
      expect(run('\ufeff/* drop */ VALUES (1), (2)')).toEqual([[1], [2]]);
      expect(
        run('WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 3) SELECT sum(i) FROM n'),
      ).toEqual([[6]]);
      expect(run('EXPLAIN QUERY PLAN SELECT * FROM parts')).toHaveLength(1);
      expect(run('EXPLAIN SELECT 1').length).toBeGreaterThan(3);
      expect(run('PRAGMA table_info(parts)')).toHaveLength(3);
      expect(run('PRAGMA main.user_version')).toEqual([[12]]);
      expect(run('PRAGMA integrity_check')).toEqual([['ok']]);
      expect(run("SELECT count(*) FROM pragma_table_info('parts')")).toEqual([[3]]);
      expect(run('SELECT list FROM labels')).toEqual([['["bolt","nut"]']]);
    });

    it('allows reading virtual tables that keep their data in others', () => {
      use();
      expect(run("SELECT rowid FROM notes WHERE notes MATCH 'drawer'")).toEqual([[1]]);
      expect(run("SELECT snippet(old_notes) FROM old_notes WHERE body MATCH 'four'")).toEqual([['drawer <b>four</b>']]);
      expect(run('SELECT id FROM areas WHERE low < 2')).toEqual([[7]]);
    });

    it('allows only changes of rows on a writing connection', () => {
      use();
      const before = contents();
      for (const sql of outside) expect(() => run(sql, true), sql).toThrow();
      expect(contents()).toEqual(before);
      const added = Number(run("INSERT INTO parts (label) VALUES ('cog') RETURNING id", true)[0]?.[0]);
      expect(run(`SELECT label FROM parts WHERE id = ${added}`)).toEqual([['cog']]);
      run("UPDATE notes SET body = 'moved'", true);
      run("UPDATE notes SET body = 'spare bolts are in drawer four'", true);
      run(`DELETE FROM parts WHERE id = ${added}`, true);
      expect(run('SELECT count(*) FROM parts')).toEqual([[2]]);
    });
  });
}

describe('openGuarded', () => {
  it('has a read-only connection under all judging', () => {
    Reflect.deleteProperty(DatabaseSync.prototype, 'setAuthorizer');
    const { database } = openGuarded(file, { write: false, busyMs: 0 });
    expect(() => database.exec('DELETE FROM parts')).toThrow('attempt to write a readonly database');
    expect(() => database.exec('CREATE TEMP TABLE made (a)')).toThrow('readonly');
    database.close();
  });

  it.skipIf(!authorizer)(
    'lets the authorizer refuse what is compiled without judging (skipped where Node has none)',
    () => {
      const { database } = openGuarded(file, { write: true, busyMs: 0 });
      expect(() => database.exec(`ATTACH '${other}' AS x`)).toThrow('not authorized');
      expect(() => database.exec(`VACUUM INTO '${other}'`)).toThrow('authorization denied');
      expect(() => database.exec('PRAGMA journal_mode = WAL')).toThrow('not authorized');
      database.close();
    },
  );

  it('runs nothing of the FTS3 function that merges an index', () => {
    const before = contents();
    try {
      run('SELECT optimize(old_notes) FROM old_notes');
    } catch {
      // Refused by the authorizer; without one there is nothing to merge, or the connection cannot write.
    }
    expect(contents()).toEqual(before);
  });

  it('creates no file, for reading or for writing', () => {
    for (const write of [false, true]) expect(() => openGuarded(other, { write, busyMs: 0 })).toThrow('unable to open');
    expect(existsSync(other)).toBe(false);
  });

  it('names what it refuses and what it would take', () => {
    expect(() => run(`ATTACH '${other}' AS x`)).toThrow(/attach is refused: this tool only reads: SELECT/i);
    expect(() => run('SELECT 1; SELECT 2')).toThrow('send one statement in a call');
    expect(() => run('DROP TABLE parts', true)).toThrow('this tool runs one INSERT, UPDATE or DELETE');
  });
});
