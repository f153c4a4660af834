/** A server whose runs another agent executes, as the workers of an engine do: it shares the host and the events with them, no more. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { defineAgent } from '../../src/agent.ts';
import type { RunEvent } from '../../src/core/event.ts';
import { functionModel } from '../../src/model/providers/function-model.ts';
import { hostView } from '../../src/runtime/host-view.ts';
import { sqliteHost } from '../../src/runtime/sqlite.ts';
import { sqliteEvents } from '../../src/trace/event-store.ts';
import { call, plainAgent, startServer } from './server-fixture.ts';

let folder = '';
const closings: (() => unknown)[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'assay-elsewhere-'));
});

afterEach(async () => {
  for (const close of closings.splice(0)) await close();
  rmSync(folder, { recursive: true, force: true });
});

/** The options of an agent that executes nothing, beside a worker that does. */
function clientOptions(file: string) {
  const host = sqliteHost({ file, suspendAfterMs: 50 });
  const events = sqliteEvents({ file });
  const worker = plainAgent({ host, events });
  closings.push(
    () => worker.close(),
    () => events.close(),
  );
  const model = functionModel(() => {
    throw new Error('the client was asked');
  });
  // The worker's workflow stays.
  return { host: hostView(host, { register: () => {}, close: async () => {} }), model, sinks: [], follow: events };
}

test('a handle iterates what a worker does, to its last event', async () => {
  const run = defineAgent(clientOptions(join(folder, 'runs.db'))).run('3 turns');
  const types: RunEvent['type'][] = [];
  for await (const event of run) types.push(event.type);
  expect(types.at(0)).toBe('run.start');
  expect(types.filter((type) => type === 'tool.result')).toHaveLength(3);
  expect(types.at(-1)).toBe('run.end');
  expect((await run).answer).toBe('answer to it');
});

test('a run is acknowledged when it is written, not when something is heard of it', async () => {
  const file = join(folder, 'runs.db');
  const { follow: _, ...deaf } = clientOptions(file);
  const { url, close } = await startServer({ file, agentOptions: deaf });
  closings.unshift(close);
  const begun = await call(`${url}/v1/runs`, { body: { task: '50 turns' } });
  expect([begun.status, begun.body['status']]).toEqual([202, 'running']);
});

test('a chat streams the progress of a worker, and tells what waits for a human', async () => {
  const file = join(folder, 'runs.db');
  const { url, close } = await startServer({ file, agentOptions: clientOptions(file) });
  closings.unshift(close);
  const ask = (content: string) =>
    call(`${url}/v1/chat/completions`, {
      body: { model: 'default', stream: true, messages: [{ role: 'user', content }] },
    });
  const looked = String((await ask('2 turns')).body['text']);
  expect(looked).toMatch(/^: .*look/m);
  expect(looked).toContain('answer to it');
  const waiting = String((await ask('note milk')).body['text']);
  expect(waiting).toContain('saveNote');
  expect(waiting).toContain('milk');
});

test('the prompts of a run that a worker executed are rebuilt without its model', async () => {
  const file = join(folder, 'runs.db');
  const { url, close } = await startServer({ file, agentOptions: clientOptions(file) });
  closings.unshift(close);
  const { body } = await call(`${url}/v1/runs?wait=true`, { body: { task: '2 turns' } });
  const calls = await call(`${url}/v1/runs/${body['id']}/calls`);
  const model = { model: 'scripted', outcome: 'reply' };
  expect(calls.body).toMatchObject({ complete: true, calls: [model, model, model] });
});
