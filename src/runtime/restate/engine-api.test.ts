import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { StateError, UsageError } from '../../core/errors.ts';
import { EngineApi, EngineUnavailable, quoted } from './engine-api.ts';

let server: Server | undefined;

afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

/** An engine that answers with these, one after the other; no answer at all for undefined. */
async function engine(
  ...answers: ({ status: number; body: string } | undefined)[]
): Promise<{ api: EngineApi; asked: string[] }> {
  const asked: string[] = [];
  server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    const answer = answers.shift();
    if (answer) response.writeHead(answer.status).end(answer.body);
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return { api: new EngineApi({ ingress: address, admin: address, requestMs: 200 }), asked };
}

test('the admin interface is at port 9070 of the ingress’ host unless told otherwise', () => {
  expect(new EngineApi({ ingress: 'http://engine.local:8080/' }).admin).toBe('http://engine.local:9070');
  expect(new EngineApi({ ingress: 'http://a:1', admin: 'http://b:2/' }).admin).toBe('http://b:2');
  expect(() => new EngineApi({ ingress: 'engine' })).toThrow(UsageError);
});

test('the id of a run is one part of the address, whatever it holds', async () => {
  const { api, asked } = await engine({ status: 200, body: 'ok' });
  await api.call({ service: 'agent', key: 'a/b?c#d', handler: 'run', send: true }, null);
  expect(asked).toEqual(['POST /agent/a%2Fb%3Fc%23d/run/send']);
});

test('a query is asked again while the engine starts up, and not when it is wrong', async () => {
  const { api, asked } = await engine(
    { status: 500, body: 'node lookup failed' },
    { status: 200, body: '{"rows":[{"id":1}]}' },
    { status: 400, body: 'no such table' },
  );
  expect(await api.query('select 1')).toEqual([{ id: 1 }]);
  expect(asked).toHaveLength(2);
  await expect(api.query('select')).rejects.toThrow(/refused a query \(400\): no such table/);
  expect(asked).toHaveLength(3);
});

test('an engine that is away or silent is told from one that refuses', async () => {
  const { api } = await engine(undefined);
  const silent = await api.manage('/health').catch((error) => error);
  expect(silent).toBeInstanceOf(EngineUnavailable);
  expect(silent.message).toMatch(/gave no answer in 200 ms/);
  const away = await new EngineApi({ ingress: 'http://127.0.0.1:1' })
    .call({ service: 'a', key: 'r', handler: 'run' }, null)
    .catch((error) => error);
  expect(away).toBeInstanceOf(StateError);
  expect(away.message).toBe('Restate cannot be reached at http://127.0.0.1:1: start the server or correct the address');
});

test('a quote in an id does not end the text of a query', () => {
  expect(quoted("r' or 'a'='a")).toBe("'r'' or ''a''=''a'");
});
