import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { EngineApi } from './engine-api.ts';
import { RunFinder } from './run-finder.ts';
import { ValueStore } from './run-log.ts';
import { RunRows } from './run-rows.ts';
import { ServiceNames } from './service-names.ts';

let server: Server | undefined;

afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

const row = {
  id: 'inv_1',
  target_service_name: 'work',
  target_service_key: 'r',
  status: 'running',
  modified_at: '2026-01-01T00:00:00Z',
};

/** A finder of an engine whose ingress knows the runs with a status, and whose queries find the run from the so manieth on. */
async function finder(known: number, shownFrom: number): Promise<RunFinder> {
  let queries = 0;
  server = createServer((request, response) => {
    if (request.url === '/query') response.end(JSON.stringify({ rows: ++queries >= shownFrom ? [row] : [] }));
    else response.writeHead(known).end('{}');
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const api = new EngineApi({ ingress: address, admin: address });
  const names = new ServiceNames(undefined);
  const rows = new RunRows(api, { values: new ValueStore(), names });
  const work = { name: 'work', version: 1, run: async () => undefined };
  return new RunFinder({ api, rows, names, workflows: new Map([['work', work]]) });
}

test('a run that the engine has taken is waited for until its tables show it', async () => {
  expect(await (await finder(470, 3)).find('r')).toMatchObject({ invocation: 'inv_1', workflow: 'work' });
});

test('a run that the engine does not have is not waited for', async () => {
  const begun = performance.now();
  expect(await (await finder(404, 1_000)).find('r')).toBeUndefined();
  expect(performance.now() - begun).toBeLessThan(2_000);
});
