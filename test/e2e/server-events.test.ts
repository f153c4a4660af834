import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { sqliteEvents } from '../../src/trace/event-store.ts';
import { call, type Frame, framesOf, listOf, startServer, type TestServer, until } from './server-fixture.ts';

let folder = '';
let workers: ChildProcess[] = [];
let open: TestServer[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'assay-events-'));
});

afterEach(async () => {
  for (const worker of workers) worker.kill('SIGKILL');
  for (const one of open) await one.close();
  workers = [];
  open = [];
  rmSync(folder, { recursive: true, force: true });
});

const file = (): string => join(folder, 'runs.db');

async function serve(): Promise<TestServer> {
  const one = await startServer({ file: file(), limits: { heartbeatMs: 200 } });
  open.push(one);
  return one;
}

async function spawnServer(port: number): Promise<{ worker: ChildProcess; url: string }> {
  const worker = spawn(process.execPath, [join(import.meta.dirname, 'server-worker.ts')], {
    env: { ...process.env, SERVER_WORKER: '1', SERVER_FILE: file(), SERVER_PORT: String(port) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  workers.push(worker);
  let text = '';
  worker.stdout?.on('data', (chunk) => {
    text += String(chunk);
  });
  const url = await until(() => {
    if (worker.exitCode !== null) throw new Error(`the server ended with ${worker.exitCode} before it listened`);
    return /listening (\S+)/.exec(text)?.[1];
  }, 20_000);
  return { worker, url };
}

async function readAll(url: string, after?: string): Promise<Frame[]> {
  const frames: Frame[] = [];
  for await (const frame of framesOf(url, { after })) frames.push(frame);
  return frames;
}

const idsOf = (frames: readonly Frame[]): string[] => frames.flatMap(({ id }) => id ?? []);

test('a stream gives the events from the first on, text as it comes, and ends with the run', async () => {
  const { url } = await serve();
  const begun = await call(`${url}/v1/runs`, { body: { task: '5 turns' } });
  const address = `${url}/v1/runs/${begun.body['id']}/events`;
  const frames = await readAll(address);
  const stored = await call(address, { headers: { accept: 'application/json' } });
  expect(idsOf(frames)).toEqual(listOf(stored.body).map(({ id }) => id));
  expect(frames.at(-1)).toMatchObject({ event: 'end', data: { status: 'needs_more_evidence' } });
  const deltas = frames.filter(({ data }) => String(data['type']) === 'model.delta');
  expect(deltas.length).toBeGreaterThan(0);
  for (const { id } of deltas) expect(id).toBeUndefined();
  // Each turn's text stands between the beginning of its turn and its call.
  const order = frames
    .map(({ data }) => String(data['type']))
    .filter((type) => /turn.start|model.delta|model.call/.test(type));
  expect(order.join(' ')).toMatch(/^(turn\.start (model\.delta )*model\.call ?)+$/);
});

test('the same events come to a stream that was opened after the end, and a client that has them all is sent away', async () => {
  const { url } = await serve();
  const { body } = await call(`${url}/v1/runs?wait=true`, { body: { task: '3 turns' } });
  const address = `${url}/v1/runs/${body['id']}/events`;
  const frames = await readAll(address);
  const ids = idsOf(frames);
  expect(ids.length).toBeGreaterThan(8);
  expect(idsOf(await readAll(address, ids[4]))).toEqual(ids.slice(5));
  const done = await call(address, { headers: { 'last-event-id': String(ids.at(-1)) } });
  expect(done.status).toBe(204);
  const page = await call(`${address}?limit=3&after=${encodeURIComponent(String(ids[1]))}`, {
    headers: { accept: 'application/json' },
  });
  expect(listOf(page.body).map(({ id }) => id)).toEqual(ids.slice(2, 5));
  expect((await call(address, { headers: { accept: 'text/csv' } })).status).toBe(406);
});

test('a stream lives on while a human thinks, and shows what comes after the word', async () => {
  const { url } = await serve();
  const { body } = await call(`${url}/v1/runs?wait=true`, { body: { task: 'note milk' } });
  const reading = readAll(`${url}/v1/runs/${body['id']}/events`);
  const [waiting] = listOf((await call(`${url}/v1/approvals`)).body['approvals']);
  await call(`${url}/v1/runs/${body['id']}/approvals/${waiting?.['call']}/approve`, { body: {} });
  const types = (await reading).map(({ data }) => String(data['type']));
  expect(types).toContain('approval.decided');
  expect(types.filter((type) => type === 'approval.requested')).toHaveLength(1);
  expect(types).toContain('run.end');
});

test('a client that comes back through kills of the server misses no event and sees none twice', async () => {
  let { worker, url } = await spawnServer(0);
  const port = Number(new URL(url).port);
  const begun = await call(`${url}/v1/runs`, { body: { task: '60 turns' } });
  const path = `/v1/runs/${begun.body['id']}/events`;
  const frames: Frame[] = [];
  const kills = [9, 40, 90];
  let after: string | undefined;
  for (let ended = false; !ended; ) {
    try {
      for await (const frame of framesOf(`${url}${path}`, { after })) {
        frames.push(frame);
        after = frame.id ?? after;
        ended = frame.event === 'end';
        const seen = idsOf(frames).length;
        if (kills[0] === undefined || seen < kills[0]) continue;
        kills.shift();
        worker.kill('SIGKILL');
        await once(worker, 'exit');
        ({ worker, url } = await spawnServer(port));
      }
    } catch {
      // The connection was cut by the kill.
    }
  }
  expect(kills).toEqual([]);
  const store = sqliteEvents({ file: file() });
  const stored = store.read(String(begun.body['id'])).map(({ id }) => id);
  store.close();
  expect(idsOf(frames)).toEqual(stored);
  expect(new Set(stored).size).toBe(stored.length);
  expect(stored.filter((id) => id.includes('model.call'))).toHaveLength(61);
}, 60_000);

test('a server that is told to end says so to its streams, and the run goes on at its next start', async () => {
  const first = await spawnServer(0);
  const begun = await call(`${first.url}/v1/runs`, { body: { task: '25 turns' } });
  const path = `/v1/runs/${begun.body['id']}/events`;
  const before: Frame[] = [];
  for await (const frame of framesOf(`${first.url}${path}`)) {
    before.push(frame);
    if (before.length === 10) first.worker.kill('SIGTERM');
  }
  expect(before.at(-1)?.event).toBe('reconnect');
  if (first.worker.exitCode === null) await once(first.worker, 'exit');
  const second = await spawnServer(0);
  const rest = await readAll(`${second.url}${path}`, idsOf(before).at(-1));
  const store = sqliteEvents({ file: file() });
  expect([...idsOf(before), ...idsOf(rest)]).toEqual(store.read(String(begun.body['id'])).map(({ id }) => id));
  store.close();
}, 60_000);

test('streams are bounded, and one that is left makes room', async () => {
  const one = await startServer({ file: file(), limits: { eventStreams: 1, heartbeatMs: 50 } });
  open.push(one);
  const { body } = await call(`${one.url}/v1/runs?wait=true`, { body: { task: 'note milk' } });
  const address = `${one.url}/v1/runs/${body['id']}/events`;
  const leave = new AbortController();
  const frames = framesOf(address, { signal: leave.signal });
  await frames.next();
  expect((await call(address, { method: 'HEAD' })).status).toBe(200);
  expect((await call(address)).status).toBe(429);
  leave.abort();
  await frames.next().catch(() => undefined);
  await until(async () => {
    const metrics = String((await call(`${one.url}/metrics`)).body['text']);
    return metrics.includes('assay_event_streams 0') ? true : undefined;
  });
});
