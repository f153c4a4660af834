import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { StateError } from '../core/errors.ts';
import { lessonStoreContract } from '../testing/lesson-store-contract.ts';
import { sqliteLessons } from './sqlite-lessons.ts';

lessonStoreContract('sqlite', (options) => {
  const folder = mkdtempSync(join(tmpdir(), 'lessons-'));
  const open = () => sqliteLessons({ ...options, file: join(folder, 'lessons.db') });
  return { store: open(), another: open, dispose: () => rmSync(folder, { recursive: true }) };
});

const draft = {
  trigger: 'ferry timetable questions',
  failurePattern: 'summer departures quoted for winter',
  lesson: 'Read the season column before quoting a departure',
  avoid: 'Quoting the first row',
};
const meta = { id: 'l1', source: 'r', scope: 's', now: 1_000 };

/** As version 1 made it. */
const firstLayout = `
  PRAGMA secure_delete = ON;
  CREATE TABLE lessons (
    number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, source TEXT NOT NULL, scope TEXT NOT NULL, "trigger" TEXT NOT NULL,
    failure_pattern TEXT NOT NULL, lesson TEXT NOT NULL, avoid TEXT NOT NULL, created REAL NOT NULL, expires REAL NOT NULL,
    uses INTEGER NOT NULL, wins INTEGER NOT NULL, losses INTEGER NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('active', 'expired', 'forgotten'))
  ) STRICT;
  CREATE INDEX lessons_by_scope ON lessons (scope, status);
  CREATE TABLE lesson_reports (key TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
  CREATE VIRTUAL TABLE lesson_terms USING fts5 (terms, tokenize = "unicode61 remove_diacritics 0 categories 'L* N* M* Co'");
  PRAGMA user_version = 1;`;

describe('sqliteLessons', () => {
  let folder: string;
  let file: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'lessons-'));
    file = join(folder, 'state', 'lessons.db');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  test('neither constructing it nor looking creates the file; admitting does, folder included', async () => {
    const store = sqliteLessons({ file });
    expect(await store.recall({ text: 'ferry', scope: 's', limit: 3, now: 0 })).toEqual([]);
    expect(await store.list()).toEqual([]);
    expect(await store.get('l1')).toBeUndefined();
    expect(await store.forget('l1')).toBe(false);
    expect(existsSync(join(folder, 'state'))).toBe(false);
    await store.admit(draft, meta);
    expect(existsSync(file)).toBe(true);
    await store.close();
  });

  test('lessons outlive the handle', async () => {
    const first = sqliteLessons({ file });
    await first.admit(draft, meta);
    await first.close();
    const second = sqliteLessons({ file });
    expect(await second.recall({ text: 'winter ferry', scope: 's', limit: 3, now: 2_000 })).toHaveLength(1);
    await second.close();
  });

  test('two processes that learn the same at the same time keep each lesson once', async () => {
    const source = `
      const { sqliteLessons } = await import(${JSON.stringify(new URL('./sqlite-lessons.ts', import.meta.url).href)});
      const store = sqliteLessons({ file: process.argv[1] });
      // Both begin at the same moment, however long their starts took.
      while (Date.now() < Number(process.argv[3])) await new Promise((resolve) => setTimeout(resolve, 1));
      for (let n = 0; n < 40; n++) {
        const word = n.toString(2).replaceAll('0', 'ka').replaceAll('1', 'vo');
        const draft = { trigger: word + 'b topic', failurePattern: word + 'u taken for ' + word + 'i',
          lesson: 'Read column ' + word + 'e, compare ' + word + 'y with ' + word + 'x', avoid: '' };
        await store.admit(draft, { id: process.argv[2] + n, source: 'r', scope: 's', now: 1000 + n });
        await store.report([{ id: process.argv[2] + n, outcome: 'win' }], { run: 'r', now: 1, key: 'k' + n });
      }
      await store.close();`;
    const begin = String(Date.now() + 1_500);
    const learn = (prefix: string) =>
      promisify(execFile)(process.execPath, [
        '--input-type=module',
        '--no-warnings',
        '-e',
        source,
        file,
        prefix,
        begin,
      ]);
    await Promise.all([learn('a'), learn('b')]);
    const store = sqliteLessons({ file });
    expect(await store.list()).toHaveLength(40);
    await store.close();
  });

  /** Every byte that the store has on disk, as text. */
  const bytesOnDisk = () =>
    readdirSync(join(folder, 'state'))
      .map((name) => readFileSync(join(folder, 'state', name), 'latin1'))
      .join('');
  /** Words and stems of `draft`, and a number of its embedding. */
  const traces = /ferry|ferri|timetabl|season|summer|departur|quoting/i;
  const embedded = { ...meta, embedding: { model: 'm', vector: [0.123456789, 7] } };
  const vectorBytes = Buffer.from(Float32Array.of(0.123456789, 7).buffer).toString('latin1');

  test('a forgotten text is in no byte of the files any more, log and index included, while the store is open', async () => {
    const store = sqliteLessons({ file });
    for (let index = 0; index < 30; index++) {
      const word = String.fromCharCode(97 + (index % 26)).repeat(3 + index);
      const other = {
        ...draft,
        trigger: `${word} towns`,
        failurePattern: `${word} lost`,
        lesson: `Read ${word} first, then ${word}z`,
      };
      await store.admit({ ...other, avoid: '' }, { ...meta, id: `other-${index}` });
    }
    await store.admit(draft, embedded);
    await store.edit('l1', { trigger: 'ferry timetable questions of travellers' }, 2_000);
    await store.embed('l1', embedded.embedding);
    expect(bytesOnDisk()).toMatch(traces);
    expect(bytesOnDisk()).toContain(vectorBytes);
    await store.forget('l1');
    expect(bytesOnDisk()).not.toMatch(traces);
    expect(bytesOnDisk()).not.toContain(vectorBytes);
    expect(await store.list({ status: 'active' })).not.toEqual([]);
    await store.close();
    expect(bytesOnDisk()).not.toMatch(traces);
  });

  test('a file of the first layout is brought forward: lessons, records, index, and nothing of what was forgotten', async () => {
    mkdirSync(join(folder, 'state'));
    const old = new DatabaseSync(file);
    old.exec(firstLayout);
    const put = old.prepare('INSERT INTO lessons VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)');
    const index = old.prepare('INSERT INTO lesson_terms (rowid, terms) VALUES (?, ?)');
    put.run(
      1,
      'kept',
      'run-1',
      's',
      'tide almanac',
      'low water read as high',
      'Read the header',
      '',
      10,
      90,
      3,
      2,
      1,
      'active',
    );
    index.run(1, 'tid almanac');
    put.run(
      2,
      'losing',
      'run-2',
      's',
      'tide heights',
      'feet read as metres',
      'Convert feet',
      '',
      11,
      90,
      4,
      1,
      3,
      'active',
    );
    index.run(2, 'tid height');
    put.run(3, 'gone', 'run-3', 's', '', '', '', '', 12, 90, 0, 0, 0, 'forgotten');
    index.run(3, 'zanzibar');
    old.exec("DELETE FROM lesson_terms WHERE rowid = 3; INSERT INTO lesson_reports VALUES ('k')");
    old.close();

    const store = sqliteLessons({ file });
    expect(await store.recall({ text: 'tide', scope: 's', limit: 3, now: 50 })).toEqual([
      {
        ...{ id: 'kept', source: 'run-1', scope: 's', created: 10, expires: 90, uses: 3, wins: 2, losses: 1 },
        ...{ trigger: 'tide almanac', failurePattern: 'low water read as high', lesson: 'Read the header', avoid: '' },
        ...{ status: 'active', checked: 10, applies: {}, conflicts: [], why: 'new' },
        evidence: [{ run: 'run-1', says: 'supports' }],
      },
    ]);
    expect(await store.list({ status: 'retired' })).toMatchObject([{ id: 'losing' }]);
    await store.report([{ id: 'kept', outcome: 'win' }], { run: 'r', now: 60, key: 'k' });
    expect(await store.get('kept')).toMatchObject({ wins: 2 });
    await store.edit('losing', { status: 'active' }, 50);
    expect(await store.recall({ text: 'heights', scope: 's', limit: 3, now: 50 })).toHaveLength(1);
    await store.forget('kept');
    expect(bytesOnDisk()).not.toMatch(/zanzibar|low water|almanac/);
    await store.close();
  });

  test('a file that is no database is a StateError that names the file and the remedy', async () => {
    const broken = join(folder, 'broken.db');
    writeFileSync(broken, 'this is a shopping list, not a database. '.repeat(40));
    const store = sqliteLessons({ file: broken });
    const failure = await store.list().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(StateError);
    expect(String(failure)).toMatch(/broken\.db.*move the file away/);
    await store.close();
  });

  test('a file of a newer layout and a closed store are StateErrors', async () => {
    const store = sqliteLessons({ file });
    await store.admit(draft, meta);
    await store.close();
    await expect(store.list()).rejects.toThrow(StateError);
    const raw = new DatabaseSync(file);
    raw.exec('PRAGMA user_version = 99');
    raw.close();
    await expect(sqliteLessons({ file }).list()).rejects.toThrow(/newer Assay.*upgrade/);
  });

  test('a folder in the place of the file is a StateError', async () => {
    await expect(sqliteLessons({ file: folder }).admit(draft, meta)).rejects.toThrow(StateError);
  });
});
