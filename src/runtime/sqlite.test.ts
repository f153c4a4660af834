import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { StateError } from '../core/errors.ts';
import { durableContract } from '../testing/durable-contract.ts';
import type { DurableHost, Workflow } from './durable.ts';
import { type SqliteHostOptions, sqliteHost } from './sqlite.ts';

durableContract(
  'sqlite',
  (dir) =>
    sqliteHost({
      file: join(dir, 'runs.db'),
      maxInlineBytes: 64 * 1024,
      suspendAfterMs: 30,
      pollMs: 10,
      limits: { shared: { concurrency: 2 } },
    }),
  { randomPrograms: 25 },
);

describe('sqlite host', () => {
  let dir = '';
  let file = '';
  let hosts: DurableHost[] = [];
  const executed: string[] = [];

  /** Steps of as many characters as the input says, five of them. */
  const filling: Workflow = {
    name: 'filling',
    version: 1,
    run: async (durable, input) => {
      for (let index = 0; index < 5; index++) {
        await durable.step(`step-${index}`, ({ idempotencyKey }) => {
          executed.push(idempotencyKey);
          return 'x'.repeat(Number(input));
        });
      }
      return 'full';
    },
  };

  const open = (options: Partial<SqliteHostOptions> = {}): DurableHost => {
    const host = sqliteHost({ file, suspendAfterMs: 20, pollMs: 10, ...options });
    hosts.push(host);
    host.register(filling);
    return host;
  };

  const peek = <T>(look: (database: DatabaseSync) => T): T => {
    const database = new DatabaseSync(file);
    try {
      return look(database);
    } finally {
      database.close();
    }
  };

  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'assay-sqlite-'));
    file = join(dir, 'made', 'runs.db');
    executed.length = 0;
  });

  afterEach(async () => {
    for (const host of hosts) await host.close();
    hosts = [];
    rmSync(dir, { recursive: true, force: true });
  });

  test('the file is in WAL mode with 16 KiB pages, and its directory is made', () => {
    open();
    expect(peek((database) => database.prepare('PRAGMA journal_mode').get())).toEqual({ journal_mode: 'wal' });
    expect(peek((database) => database.prepare('PRAGMA page_size').get())).toEqual({ page_size: 16_384 });
  });

  test('steps of many runs that finish in one turn share a commit', async () => {
    const host = open();
    const ids = Array.from({ length: 50 }, (_, index) => `r${index}`);
    await Promise.all(ids.map((id) => host.start('filling', id, 10)));
    await Promise.all(ids.map((id) => host.result(id)));
    const frames = statSync(`${file}-wal`).size / 16_384;
    // 250 entries in a commit each would write at least two pages each.
    expect(frames).toBeLessThan(100);
  });

  test('a large result is in the blob table, and the row refers to it', async () => {
    const host = open({ maxInlineBytes: 1000 });
    await host.start('filling', 'small', 900);
    await host.start('filling', 'large', 1000);
    await host.result('small');
    await host.result('large');
    const counts = `SELECT count(*) AS entries, count(value) AS inline, count(blob) AS apart FROM journal`;
    expect(peek((database) => database.prepare(counts).get())).toEqual({ entries: 10, inline: 5, apart: 5 });
    const values = (await Array.fromAsync(host.journal('large'))).map(({ value }) => value);
    expect(values).toEqual(Array(5).fill('x'.repeat(1000)));
  });

  test('a full disk stops the run and keeps its state; with space it goes on', async () => {
    const host = open({ maxFileBytes: 16_384 * 24 });
    await host.start('filling', 'r', 70_000);
    const failure = await host.result('r').catch((error) => error);
    expect(failure).toBeInstanceOf(StateError);
    expect(failure.message).toMatch(/disk is full: free some space, then resume the run/);
    await expect(host.result('r')).rejects.toThrow(/disk is full/);
    expect((await host.info('r'))?.state).toBe('running');
    const recorded = (await Array.fromAsync(host.journal('r'))).map(({ key }) => `r/${key}`);
    expect(recorded.length).toBeGreaterThan(0);
    expect(recorded.length).toBeLessThan(5);
    await host.close();
    executed.length = 0;
    const roomy = open();
    expect(await roomy.resume('r')).toBe('resumed');
    expect(await roomy.result('r')).toMatchObject({ state: 'completed', output: 'full' });
    for (const key of recorded) expect(executed).not.toContain(key);
  });

  test('a failing write rejects what is pending, and no branch takes it for its own failure', async () => {
    const host = open({ maxFileBytes: 16_384 * 24 });
    const log: string[] = [];
    host.register({
      name: 'branches',
      version: 1,
      run: async (durable) => {
        const branch = (inner: typeof durable) => inner.step('large', () => 'x'.repeat(500_000));
        const settled = await durable.parallel('p', [branch, branch]).catch((error) => {
          log.push(error instanceof StateError ? 'rejected' : String(error));
          throw error;
        });
        log.push(`settled ${settled.length}`);
      },
    });
    await host.start('branches', 'r', null);
    await expect(host.result('r')).rejects.toThrow(/disk is full/);
    await expect.poll(() => log).toEqual(['rejected']);
    expect((await host.info('r'))?.state).toBe('running');
  });

  test('a second execution of a run is stopped by the journal, and the host goes on', async () => {
    const host = open();
    host.register({
      name: 'invaded',
      version: 1,
      run: (durable) =>
        durable.step('a', () => {
          peek((other) => other.exec("INSERT INTO journal(run, seq, key, at) VALUES(1, 1, 'theirs', 0)"));
          return 'ours';
        }),
    });
    await host.start('invaded', 'r', null);
    await expect(host.result('r')).rejects.toThrow(StateError);
    expect((await Array.fromAsync(host.journal('r'))).map(({ key }) => key)).toEqual(['theirs']);
    await host.start('filling', 'other', 1);
    expect((await host.result('other')).state).toBe('completed');
  });

  test('a file that stays locked stops the run; later the same host resumes it', async () => {
    const host = open({ busyTimeoutMs: 30 });
    await host.start('filling', 'before', 1);
    await host.result('before');
    const other = new DatabaseSync(file);
    other.exec('BEGIN IMMEDIATE');
    await expect(host.start('filling', 'r', 1)).rejects.toThrow(/locked: wait for that process/);
    expect((await host.info('before'))?.state).toBe('completed');
    other.exec('ROLLBACK');
    await host.start('filling', 'r', 1);
    other.exec('BEGIN IMMEDIATE');
    await expect(host.result('r')).rejects.toThrow(StateError);
    other.exec('ROLLBACK');
    other.close();
    expect(await host.resume('r')).toBe('resumed');
    expect((await host.result('r')).state).toBe('completed');
  });

  test('what is no database is refused and left as it is', () => {
    mkdirSync(join(dir, 'made'));
    writeFileSync(file, 'a note of the user, not a database. '.repeat(100));
    expect(() => open()).toThrow(StateError);
    expect(() => open()).toThrow(/not a database of this program: move it away/);
    expect(statSync(file).size).toBe(3600);
  });

  test('a damaged file is a state error with the remedy', async () => {
    const first = open();
    await first.start('filling', 'r', 100);
    await first.result('r');
    await first.close();
    peek((database) => database.exec('PRAGMA wal_checkpoint(TRUNCATE)'));
    const pages = Buffer.alloc(statSync(file).size - 200, 7);
    rmSync(file);
    const intact = new DatabaseSync(file);
    intact.exec('PRAGMA page_size = 16384; CREATE TABLE t(a)');
    intact.close();
    const head = readFileSync(file).subarray(0, 100);
    writeFileSync(file, Buffer.concat([head, pages]));
    expect(() => open()).toThrow(StateError);
    expect(() => open()).toThrow(/damaged: restore it from a backup/);
  });

  test('a file of a newer format is refused and left as it is', async () => {
    await open().close();
    peek((database) => database.exec('PRAGMA user_version = 99'));
    expect(() => open()).toThrow(StateError);
    expect(() => open()).toThrow(/has format 99.*update assay/);
    expect(peek((database) => database.prepare('PRAGMA user_version').get())).toEqual({ user_version: 99 });
  });

  test('a database of another program is refused and left as it is', () => {
    mkdirSync(join(dir, 'made'));
    peek((database) => database.exec('CREATE TABLE notes(text)'));
    expect(() => open()).toThrow(/database of another program: choose another file/);
    expect(peek((database) => database.prepare('SELECT name FROM sqlite_schema').all())).toEqual([{ name: 'notes' }]);
  });

  test('a place that cannot be written is a state error with the remedy', () => {
    writeFileSync(join(dir, 'made'), 'a file where the directory should be');
    expect(() => open()).toThrow(StateError);
    expect(() => open()).toThrow(/check that its directory exists and can be written/);
    const sealed = join(dir, 'sealed');
    mkdirSync(sealed);
    chmodSync(sealed, 0o555);
    chmodSync(dir, 0o755);
    const script = `
      const { sqliteHost } = await import('./src/runtime/sqlite.ts');
      try { sqliteHost({ file: ${JSON.stringify(join(sealed, 'runs.db'))} }); } catch (error) { console.log(String(error)); }`;
    // Root may write anywhere, so root asks as nobody.
    const identity = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
    const output = execFileSync(process.execPath, ['--input-type=module', '-e', script], {
      encoding: 'utf8',
      ...identity,
    });
    expect(output).toMatch(/StateError: .*cannot be opened: check that its directory exists and can be written/);
  });

  test('a reader leaves no lock behind, and an owner takes its lock along', async () => {
    const locks = () => readdirSync(join(dir, 'made')).filter((name) => name.includes('.owner-'));
    const reader = open();
    expect(await reader.list()).toEqual([]);
    expect(locks()).toEqual([]);
    const owner = open();
    await owner.start('filling', 'r', 1);
    expect(locks()).toHaveLength(1);
    await owner.close();
    expect(locks()).toEqual([]);
  });

  test('locks of dead owners are swept, those of live ones are not', async () => {
    const first = open();
    await first.start('filling', 'r', 1);
    writeFileSync(`${file}.owner-1-of-the-dead`, '');
    await open().start('filling', 's', 1);
    const locks = readdirSync(join(dir, 'made')).filter((name) => name.includes('.owner-'));
    expect(locks).toHaveLength(2);
    expect(locks.join()).not.toContain('dead');
  });

  test('opening a store prints no warning on Node 24 and later', ({ skip }) => {
    skip(Number(process.versions.node.split('.')[0]) < 24, 'node:sqlite is experimental there and Node says so');
    const script = `const { sqliteHost } = await import('./src/runtime/sqlite.ts');
      await sqliteHost({ file: ${JSON.stringify(file)} }).close();`;
    const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });
});
