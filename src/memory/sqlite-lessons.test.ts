import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
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
        await store.report([process.argv[2] + n], 'win', 'k' + n);
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

  test('a forgotten text is not in the file any more', async () => {
    const store = sqliteLessons({ file });
    await store.admit(draft, meta);
    await store.forget('l1');
    await store.close();
    const raw = new DatabaseSync(file, { readOnly: true });
    const all = JSON.stringify([
      raw.prepare('SELECT * FROM lessons').all(),
      raw.prepare('SELECT * FROM lesson_terms').all(),
    ]);
    raw.close();
    expect(all).not.toMatch(/ferry|season/);
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
