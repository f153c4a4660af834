import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { StateError, StepFailedError, UsageError } from '../../src/core/errors.ts';
import { folderBlobs } from '../../src/runtime/blobs/folder-blobs.ts';
import type { Durable, Workflow } from '../../src/runtime/durable.ts';
import {
  type RestateHost,
  type RestateHostOptions,
  type RestateWorkerOptions,
  restateHost,
  serveRestate,
} from '../../src/runtime/restate.ts';
import { noRestate, type RestateServer, startRestate } from '../../src/testing/restate-server.ts';

test('importing the host loads no SDK', () => {
  const script = `import { registerHooks } from 'node:module';
    const loaded = [];
    registerHooks({ load: (url, context, next) => { loaded.push(url); return next(url, context); } });
    await import('./src/runtime/restate.ts');
    console.log(loaded.some((url) => url.includes('restate-host')), loaded.some((url) => url.includes('node_modules')));`;
  const output = execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
  expect(output.trim()).toBe('true false');
});

const reason = noRestate();

describe.skipIf(reason !== undefined)(`the Restate host${reason === undefined ? '' : ` (skipped: ${reason})`}`, () => {
  let server: RestateServer;
  let dir = '';
  let places = 0;
  let namespace = '';
  const ends: (() => Promise<void>)[] = [];

  beforeAll(async () => {
    server = await startRestate();
    dir = mkdtempSync(join(tmpdir(), 'assay-restate-host-'));
  });
  afterEach(async () => {
    for (const end of ends.splice(0)) await end();
    places++;
  });
  afterAll(async () => {
    await server.close();
    rmSync(dir, { recursive: true, force: true });
  });

  /** A host of the test's own namespace. */
  const open = (workflows: Workflow[], options: Partial<RestateHostOptions> = {}): RestateHost => {
    const { ingress, admin } = server;
    namespace = `test-${places}`;
    const host = restateHost({ ingress, admin, namespace, pollMs: 20, ...options });
    for (const workflow of workflows) host.register(workflow);
    ends.push(() => host.close());
    return host;
  };

  const serve = async (host: RestateHost, options: Partial<RestateWorkerOptions> = {}): Promise<void> => {
    const { ingress, admin } = server;
    const own = { ingress, admin, namespace, listen: { port: 0 }, suspendAfterMs: 20 };
    const worker = await serveRestate({ workflows: host, ...own, ...options });
    ends.push(() => worker.close());
  };

  const work = (run: (durable: Durable, input: unknown) => Promise<unknown>, name = 'work'): Workflow => ({
    name,
    version: 1,
    run,
  });

  test('a result that is too large for the engine fails its step, once, where there is no blob store', async () => {
    let executed = 0;
    const host = open([
      work(async (durable) => {
        const error = await durable.step('large', () => 'x'.repeat(++executed * 2_000)).catch((thrown) => thrown);
        return error instanceof StepFailedError ? [error.causeName, error.message] : 'no failure';
      }),
    ]);
    await serve(host, { maxInlineBytes: 1_000 });
    await host.start('work', 'r', null);
    expect((await host.result('r')).output).toEqual([
      'PayloadTooLarge',
      expect.stringMatching(/^large: 2002 bytes are more than the 1000 .* with a blob store$/),
    ]);
    expect(executed).toBe(1);
  });

  test('a result beyond the 32 MiB of the engine’s messages goes to the blob store', async () => {
    const blobs = folderBlobs({ folder: join(dir, 'blobs') });
    let executed = 0;
    const host = open(
      [
        work(async (durable) => {
          const text = await durable.step('huge', () => {
            executed++;
            return 'ü'.repeat(17 * 2 ** 20);
          });
          await durable.waitFor('go');
          return `${text.length} characters`;
        }),
      ],
      { blobs },
    );
    await serve(host, { blobs });
    await host.start('work', 'r', null);
    expect((await host.result('r')).state).toBe('suspended');
    await host.signal('r', 'go', null);
    expect((await host.result('r')).output).toBe(`${17 * 2 ** 20} characters`);
    const [entry] = await Array.fromAsync(host.journal('r'));
    expect(String(entry?.value)).toHaveLength(17 * 2 ** 20);
    expect(executed).toBe(1);
    expect(readdirSync(join(dir, 'blobs')).length).toBeGreaterThan(0);
  });

  test('a blob store that fails costs another try, which the worker tells of', async () => {
    const blobs = folderBlobs({ folder: join(dir, 'blobs') });
    let fails = 1;
    const failing = {
      get: (reference: string) => blobs.get(reference),
      put: async (content: Uint8Array | string) => {
        if (fails-- > 0) throw new Error('the disk is away');
        return blobs.put(content);
      },
    };
    const host = open([work(async (durable) => (await durable.step('large', () => 'x'.repeat(2_000))).length)]);
    const warnings: string[] = [];
    await serve(host, { blobs: failing, maxInlineBytes: 1_000, onWarning: (message) => warnings.push(message) });
    await host.start('work', 'r', null);
    expect((await host.result('r', { waitMs: 10_000 })).output).toBe(2_000);
    expect(warnings.join('\n')).toMatch(/work\/r\/run: .*the disk is away/s);
  });

  test('a worker that asks for signatures refuses an engine that gives none', async () => {
    const host = open([work(async () => 1)]);
    const identityKeys = ['publickeyv1_w7YHemBctH5Ck2nQRQ47iBBqhNHy4FV7t2Usbye2A6f'];
    await expect(serve(host, { identityKeys })).rejects.toThrow(/did not accept the worker/);
  });

  test('a recorded step is not executed again after a restart, and a run is resumed once', async () => {
    const executed: string[] = [];
    const first = Promise.withResolvers<void>();
    const second = Promise.withResolvers<void>();
    const workflow = work(async (durable) => {
      for (const name of ['one', 'two']) await durable.step(name, () => executed.push(name));
      await durable.step('three', () => {
        executed.push('three');
        first.resolve();
        return second.promise;
      });
    });
    const host = open([workflow]);
    const { ingress, admin } = server;
    // The engine would try again by itself before long.
    const options = { workflows: host, ingress, admin, namespace, retryMs: 8_000 };
    const worker = await serveRestate({ ...options, listen: { port: 0 } });
    await host.start('work', 'r', null);
    await first.promise;
    await worker.close();
    await serve(host, { listen: { port: Number(new URL(worker.address).port) }, retryMs: 8_000 });
    await expect.poll(() => host.resume('r'), { timeout: 5_000 }).toBe('resumed');
    await expect.poll(() => executed).toEqual(['one', 'two', 'three', 'three']);
    expect(await host.resume('r')).toBe('live');
    second.resolve();
    expect((await host.result('r')).state).toBe('completed');
    expect(await host.resume('r')).toBe('finished');
    expect(executed).toEqual(['one', 'two', 'three', 'three']);
  });

  test('a step that says nothing for longer than the engine’s patience is executed once', async () => {
    let executed = 0;
    let entered = 0;
    const host = open([
      work(async (durable) => {
        entered++;
        return durable.step('long', async () => {
          executed++;
          await new Promise((resolve) => setTimeout(resolve, 1_500));
          return 'slept';
        });
      }),
    ]);
    await serve(host, { inactivityMs: 300 });
    await host.start('work', 'r', null);
    expect((await host.result('r')).output).toBe('slept');
    expect({ executed, entered }).toEqual({ executed: 1, entered: 1 });
    expect(await Array.fromAsync(host.journal('r'))).toHaveLength(1);
  });

  test('a signal that no worker takes is kept, and delivered to the first that comes', async () => {
    const host = open([work((durable) => durable.waitFor('go'))], { requestMs: 400 });
    const { ingress, admin } = server;
    const options = { workflows: host, ingress, admin, namespace, suspendAfterMs: 20 };
    const first = await serveRestate({ ...options, listen: { port: 0 } });
    const { port } = new URL(first.address);
    await host.start('work', 'r', null);
    expect((await host.result('r')).state).toBe('suspended');
    await first.close();
    await expect(host.signal('r', 'go', 'early')).rejects.toThrow(/It keeps what it was sent; see that a worker runs/);
    await serve(host, { listen: { port: Number(port) } });
    await expect.poll(async () => (await host.info('r'))?.output, { timeout: 10_000 }).toBe('early');
    expect(await host.signal('r', 'go', 'late')).toBe('already');
  });

  test('a signal that comes while its run goes to rest wakes it', async () => {
    const host = open([work((durable) => durable.waitFor('go'))]);
    await serve(host);
    const ids = Array.from({ length: 60 }, (_, index) => `r${index}`);
    await Promise.all(
      ids.map(async (id, index) => {
        await host.start('work', id, null);
        await new Promise((resolve) => setTimeout(resolve, index));
        await host.signal(id, 'go', index);
      }),
    );
    for (const [index, id] of ids.entries()) {
      expect(await host.result(id, { waitMs: 10_000 })).toMatchObject({ state: 'completed', output: index });
    }
  });

  test('installations in other namespaces and other services of the engine are not seen', async () => {
    const host = open([work(async () => 'mine')]);
    await serve(host);
    await host.start('work', 'r', null);
    await host.result('r');
    const other = restateHost({ ingress: server.ingress, admin: server.admin, namespace: `${namespace}-other` });
    const none = restateHost({ ingress: server.ingress, admin: server.admin });
    ends.push(
      () => other.close(),
      () => none.close(),
    );
    for (const stranger of [other, none]) {
      expect(await stranger.info('r')).toBeUndefined();
      expect(await stranger.list()).toEqual([]);
    }
    expect((await host.list()).map(({ id }) => id)).toEqual(['r']);
  });

  test('many runs are listed page by page', async () => {
    const host = open([work(async (_, input) => ({ status: Number(input) % 10 === 0 ? 'failed' : 'completed' }))]);
    await serve(host);
    const ids = Array.from({ length: 120 }, (_, index) => `r${index}`);
    for (const [index, id] of ids.entries()) await host.start('work', id, index);
    for (const id of ids) await host.result(id);
    expect(new Set((await host.list()).map(({ id }) => id))).toEqual(new Set(ids));
    expect(await host.list({ state: 'failed' })).toHaveLength(12);
    expect(await host.list({ state: 'failed', limit: 5 })).toHaveLength(5);
    expect(await host.list({ state: 'running' })).toEqual([]);
  });

  test('a run that the engine’s operator kills is cancelled', async () => {
    const host = open([work((durable) => durable.step('stuck', () => new Promise(() => undefined)))]);
    await serve(host);
    await host.start('work', 'r', null);
    const rows = await fetch(`${server.admin}/query`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify({ query: `select id from sys_invocation where target_service_name = '${namespace}..work'` }),
    });
    const { rows: found } = (await rows.json()) as { rows: { id: string }[] };
    await fetch(`${server.admin}/invocations/${found[0]?.id}/kill`, { method: 'PATCH' });
    expect(await host.result('r')).toMatchObject({ state: 'cancelled', error: 'the run was cancelled' });
  });

  test('what cannot be served or started is refused with the remedy', async () => {
    const host = open([work(async () => 1, 'never served')]);
    await expect(host.start('never served', 'r', null)).rejects.toThrow(
      /no worker has registered the workflow "never served".*start a worker/,
    );
    const { ingress, admin } = server;
    const everywhere = { workflows: host, ingress, admin, listen: { host: '0.0.0.0', port: 0 } };
    await expect(serveRestate(everywhere)).rejects.toThrow(/pass `reachableAt`/);
    await expect(serveRestate({ workflows: [], ingress, admin })).rejects.toThrow(UsageError);
    await expect(serveRestate({ ...everywhere, reachableAt: 'http://127.0.0.1:1' })).rejects.toThrow(StateError);
  });
});
