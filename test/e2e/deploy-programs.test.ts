/** The programs of `deploy`: whether a server is well, and copies of the runs that can be restored. */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer as createTcpServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { sqliteHost } from '../../src/index.ts';
import type { Workflow } from '../../src/runtime/durable.ts';

const deploy = fileURLToPath(new URL('../../deploy', import.meta.url));
const quiet = '--disable-warning=ExperimentalWarning';

let folder = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'assay-deploy-'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A program of `deploy` in a process of its own: its exit code and all it said. */
async function tool(
  name: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<{ code: number; text: string }> {
  const ended = promisify(execFile)(process.execPath, [quiet, join(deploy, name), ...args], {
    env: { ...process.env, ...env },
  });
  return ended.then(
    ({ stdout, stderr }) => ({ code: 0, text: stdout + stderr }),
    ({ code, stdout, stderr }) => ({ code, text: stdout + stderr }),
  );
}

describe('the health check', () => {
  async function portOf(server: Server): Promise<number> {
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const address = server.address();
    return typeof address === 'object' && address ? address.port : 0;
  }

  test('tells a server that is well from one that drains and from none', async () => {
    let status = 200;
    const server = createHttpServer((_, response) => response.writeHead(status).end());
    const url = `http://127.0.0.1:${await portOf(server)}/readyz`;
    expect(await tool('healthcheck.ts', [url])).toEqual({ code: 0, text: '' });
    status = 503;
    expect(await tool('healthcheck.ts', [url])).toMatchObject({
      code: 1,
      text: expect.stringContaining('answered 503'),
    });
    server.close();
    server.closeAllConnections();
    expect(await tool('healthcheck.ts', [url])).toMatchObject({
      code: 1,
      text: expect.stringContaining('ECONNREFUSED'),
    });
  });

  test('takes a connection for a sign of life where no HTTP is spoken', async () => {
    const server = createTcpServer((socket) => socket.end());
    const url = `tcp://127.0.0.1:${await portOf(server)}`;
    expect((await tool('healthcheck.ts', [url])).code).toBe(0);
    await new Promise((closed) => server.close(closed));
    expect((await tool('healthcheck.ts', [url])).code).toBe(1);
  });
});

describe('the backup', () => {
  const workflow = (did: string[]): Workflow => ({
    name: 'order',
    version: 1,
    async run(durable) {
      const lookUp = async (): Promise<number> => {
        did.push('price');
        return 43;
      };
      const price = await durable.step('price', lookUp);
      const word = await durable.waitFor<string>('approve');
      return durable.step('send', async () => {
        did.push('send');
        return `${word}: ${price}`;
      });
    },
  });

  test('made while runs are written is restored elsewhere, and its runs go on without doing anything twice', async () => {
    const [home, backups, elsewhere] = ['home', 'backups', 'elsewhere'].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    const did: string[] = [];
    const host = sqliteHost({ file: join(home, 'assay.db'), suspendAfterMs: 20 });
    host.register(workflow(did));
    await host.start('order', 'waits', {});
    await host.result('waits');
    let writing = true;
    const writer = (async () => {
      for (let n = 0; writing; n++) {
        await host.start('order', `other-${n}`, {});
        await new Promise((settle) => setTimeout(settle, 2));
      }
    })();
    const made = await tool('backup.ts', [backups], { ASSAY_HOME: home });
    writing = false;
    await writer;
    await host.close();
    expect(made).toMatchObject({ code: 0, text: expect.stringContaining('assay.db') });

    const [name = ''] = readdirSync(backups);
    const copy = join(backups, name, 'assay.db');
    expect([statSync(copy).mode & 0o777, statSync(dirname(copy)).mode & 0o777]).toEqual([0o600, 0o700]);
    rmSync(home, { recursive: true });
    cpSync(join(backups, name), elsewhere, { recursive: true });
    did.length = 0;
    const restored = sqliteHost({ file: join(elsewhere, 'assay.db') });
    restored.register(workflow(did));
    expect((await restored.info('waits'))?.state).toBe('suspended');
    await restored.signal('waits', 'approve', 'yes');
    expect((await restored.result('waits')).output).toBe('yes: 43');
    expect(did).toEqual(['send']);
    await restored.close();
  });

  test('keeps the newest, and removes what a killed one left', async () => {
    const [home, backups] = [join(folder, 'home'), join(folder, 'backups')];
    await sqliteHost({ file: join(home, 'assay.db') }).close();
    mkdirSync(join(backups, '.unfinished-2020-01-01T00-00-00.000Z'), { recursive: true });
    mkdirSync(join(backups, 'not-ours'));
    for (let n = 0; n < 3; n++) expect((await tool('backup.ts', [backups, '2'], { ASSAY_HOME: home })).code).toBe(0);
    const left = readdirSync(backups);
    expect(left.filter((name) => /^20\d\d-.*Z$/.test(name))).toHaveLength(2);
    expect(left.filter((name) => !/^20\d\d-.*Z$/.test(name))).toEqual(['not-ours']);
  });

  test('of a damaged file fails and leaves what there was', async () => {
    const [home, backups] = [join(folder, 'home'), join(folder, 'backups')];
    await sqliteHost({ file: join(home, 'assay.db') }).close();
    expect((await tool('backup.ts', [backups, '1'], { ASSAY_HOME: home })).code).toBe(0);
    const before = readdirSync(backups);
    writeFileSync(join(home, 'assay.db'), 'SQLite format 3\0 and then nothing that is right'.repeat(200));
    expect(await tool('backup.ts', [backups, '1'], { ASSAY_HOME: home })).toMatchObject({ code: 1 });
    expect(readdirSync(backups)).toEqual(expect.arrayContaining(before));
    expect(await tool('backup.ts', [backups], { ASSAY_HOME: join(folder, 'none') })).toMatchObject({
      code: 1,
      text: expect.stringContaining('set ASSAY_HOME'),
    });
  });
});
