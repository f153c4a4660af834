import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { StateError } from '../../src/core/errors.ts';
import type { DurableHost } from '../../src/runtime/durable.ts';
import { openStore } from './kill-worker.ts';

const kills = 15;
const agents = ['r1', 'r2', 'r3'];

let dir = '';
let workers: ChildProcess[] = [];
let hosts: DurableHost[] = [];

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'assay-kill-'));
});

afterEach(async () => {
  for (const worker of workers) worker.kill('SIGKILL');
  for (const host of hosts) await host.close();
  workers = [];
  hosts = [];
  rmSync(dir, { recursive: true, force: true });
});

const store = (): string => join(dir, 'runs.db');
const effects = (): string => join(dir, 'effects');

function open(): DurableHost {
  const host = openStore(store(), effects());
  hosts.push(host);
  return host;
}

function work(runs: string[], workflow: string): ChildProcess {
  const variables = { KILL_WORKER: '1', KILL_STORE: store(), KILL_EFFECTS: effects(), KILL_WORKFLOW: workflow };
  const worker = spawn(process.execPath, [join(import.meta.dirname, 'kill-worker.ts')], {
    env: { ...process.env, ...variables, KILL_RUNS: runs.join(',') },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  workers.push(worker);
  return worker;
}

/** Whether the worker said it before it ended. */
function said(worker: ChildProcess, line: string): Promise<boolean> {
  return new Promise((resolve) => {
    let text = '';
    worker.stdout?.on('data', (chunk) => {
      text += String(chunk);
      if (text.includes(line)) resolve(true);
    });
    worker.once('exit', () => resolve(text.includes(line)));
  });
}

async function kill(worker: ChildProcess): Promise<void> {
  const gone = worker.exitCode === null && worker.signalCode === null ? once(worker, 'exit') : undefined;
  worker.kill('SIGKILL');
  await gone;
}

/** How often each step was executed, by `run/key`. */
function executions(): Map<string, number> {
  const counts = new Map<string, number>();
  const lines = existsSync(effects()) ? readFileSync(effects(), 'utf8').trim().split('\n') : [];
  for (const line of lines) {
    const key = line.split(' ')[0]!;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}

/** The recorded keys as `run/key`, in order. */
async function recorded(host: DurableHost): Promise<string[]> {
  const keys: string[] = [];
  for (const { id } of await host.list()) {
    for await (const { key } of host.journal(id)) keys.push(`${id}/${key}`);
  }
  return keys;
}

/** Lets a worker run for a moment and kills it; true when it was done before. */
async function interrupt(): Promise<boolean> {
  const worker = work(agents, 'agent');
  const done = said(worker, 'done');
  const moment = said(worker, 'ready').then(() => new Promise((resolve) => setTimeout(resolve, Math.random() * 40)));
  const isDone = (await Promise.race([done, moment])) === true;
  await kill(worker);
  return isDone;
}

/** Every recorded result comes from an execution, and a replay of the whole journal gives the same output. */
async function checkRun(host: DurableHost, id: string): Promise<void> {
  const { state, output } = await host.result(id);
  expect(state).toBe('completed');
  const entries = await Array.fromAsync(host.journal(id));
  const nonces = new Set(readFileSync(effects(), 'utf8').split(/\s/));
  const results = entries.filter(({ key }) => /plan|model|samples/.test(key)).map(({ value }) => value);
  expect(results).toHaveLength(1 + 40 + 36);
  for (const value of results) expect(nonces).toContain(value);
  await host.fork(id, `${id}-replay`, { at: entries.length });
  expect((await host.result(`${id}-replay`)).output).toEqual(output);
}

test('runs survive kill -9 at random points: recorded once, executed again only when unrecorded', async () => {
  const known = new Map<string, number>();
  let isDone = false;
  for (let round = 0; round < kills && !isDone; round++) {
    isDone = await interrupt();
    const counts = executions();
    for (const [key, count] of known) expect(counts.get(key) ?? 0).toBe(count);
    for (const key of await recorded(open())) known.set(key, counts.get(key) ?? 0);
  }
  expect(isDone).toBe(false);
  expect(await said(work(agents, 'agent'), 'done')).toBe(true);
  const host = open();
  const counts = executions();
  const keys = await recorded(host);
  expect(new Set(keys).size).toBe(keys.length);
  for (const [key, count] of known) expect(counts.get(key) ?? 0).toBe(count);
  const once = [...counts].filter(([key]) => key.includes('/tool'));
  expect(once.map(([, count]) => count)).toEqual(once.map(() => 1));
  for (const id of agents) await checkRun(host, id);
  expect(executions()).toEqual(counts);
}, 25_000);

test('a second process is refused while the first lives, and takes over after its death', async () => {
  const worker = work(['held'], 'waits');
  await said(worker, 'ready');
  const host = open();
  expect((await host.info('held'))?.state).toBe('running');
  expect(await host.start('waits', 'held', null)).toBe('exists');
  const refusal = await host.resume('held').catch((error) => error);
  expect(refusal).toBeInstanceOf(StateError);
  expect(refusal.message).toContain(`run held is being executed by process ${worker.pid}`);
  await kill(worker);
  expect(await host.resume('held')).toBe('resumed');
  expect((await host.result('held')).output).toBe('held was taken over');
  await host.close();
  expect(readdirSync(dir).filter((name) => name.includes('owner'))).toEqual([]);
});

test('a second process signals and cancels live runs of the first', async () => {
  const worker = work(['signalled', 'cancelled'], 'listens');
  await said(worker, 'ready');
  const host = open();
  await host.signal('signalled', 'go', { from: 'elsewhere' });
  await host.cancel('cancelled');
  expect(await host.result('signalled')).toMatchObject({ state: 'completed', output: { from: 'elsewhere' } });
  expect((await host.result('cancelled')).state).toBe('cancelled');
});
