import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test, vi } from 'vitest';
import { EngineApi, EngineUnavailable } from './engine-api.ts';
import { runStart, ValueStore } from './run-log.ts';
import { RunRows } from './run-rows.ts';
import { ServiceNames } from './service-names.ts';

let server: Server | undefined;

afterEach(() => {
  vi.useRealTimers();
  server?.closeAllConnections();
  server?.close();
});

const row = {
  id: 'inv_1',
  target_service_name: 'work',
  target_service_key: 'r',
  status: 'completed',
  modified_at: '2026-01-01T00:00:00Z',
};
const state = {
  start: runStart({ version: 1, created: 1, began: 1, seed: 's' }, { question: 'x' }),
  end: { state: 'completed', at: 5, output: { value: 42 } },
};

/** The rows of an engine whose tables show the run's end from the so manieth look on, and that forgets the run or keeps it. */
async function rows(endFrom: number, keeps = true): Promise<RunRows> {
  let looks = 0;
  server = createServer(async (request, response) => {
    let query = '';
    for await (const chunk of request) query += chunk;
    const shown = query.includes('from state') && ++looks < endFrom ? ['start'] : ['start', 'end'];
    const entries = Object.entries(state).filter(([key]) => shown.includes(key));
    const found = query.includes('from state')
      ? entries.map(([key, value]) => ({ key, value_utf8: JSON.stringify(value) }))
      : [row].filter(() => keeps);
    response.end(JSON.stringify({ rows: found }));
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const api = new EngineApi({ ingress: address, admin: address });
  return new RunRows(api, { values: new ValueStore(), names: new ServiceNames(undefined) });
}

const ended = {
  invocation: 'inv_1',
  id: 'r',
  workflow: 'work',
  status: 'completed',
  failure: undefined,
  journalSize: 3,
  updated: 5,
};

test('the end of a run that the tables show late is waited for', async () => {
  expect(await (await rows(4)).info(ended)).toMatchObject({ state: 'completed', output: 42, updated: 5 });
});

test('an end that is never shown is told as something to ask again', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: 0 });
  const info = (await rows(Number.POSITIVE_INFINITY)).info(ended);
  setTimeout(() => vi.setSystemTime(60_000), 60);
  await expect(info).rejects.toThrow(EngineUnavailable);
});

test('a run that the engine lets go of meanwhile is no run', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: 0 });
  const info = (await rows(Number.POSITIVE_INFINITY, false)).info(ended);
  setTimeout(() => vi.setSystemTime(60_000), 60);
  expect(await info).toBeUndefined();
});
