import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { inMemoryHost } from '../../src/runtime/in-memory.ts';
import { nodeHandler } from '../../src/server/listen.ts';
import { type AssayServer, createServer } from '../../src/server/server.ts';
import type { ServerOptions } from '../../src/server/server-options.ts';
import { type SqliteEventStore, sqliteEvents } from '../../src/trace/event-store.ts';
import { call, framesOf, plainAgent } from './server-fixture.ts';

let folder = '';
let events: SqliteEventStore;
let closers: (() => Promise<void>)[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'assay-embedding-'));
  events = sqliteEvents({ file: join(folder, 'events.db') });
});

afterEach(async () => {
  for (const close of closers.reverse()) await close();
  closers = [];
  events.close();
  rmSync(folder, { recursive: true, force: true });
});

function assay(options: Partial<ServerOptions> = {}): AssayServer {
  const server = createServer({ agent: plainAgent({ host: inMemoryHost(), events }), events, ...options });
  closers.push(() => server.close());
  return server;
}

async function listenWith(handler: RequestListener): Promise<string> {
  const http = createHttpServer(handler).listen(0, '127.0.0.1');
  await once(http, 'listening');
  closers.push(async () => {
    http.closeAllConnections();
    http.close();
  });
  // A listening TCP server has an address with a port.
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
}

async function works(base: string): Promise<void> {
  const run = await call(`${base}/v1/runs?wait=true`, { body: { task: 'task-1' } });
  expect([run.status, run.body['answer']]).toEqual([200, 'answer to task-1']);
  const place = new URL(String(run.headers.get('location')), `${base}/v1/runs`);
  expect(place.href).toBe(`${base}/v1/runs/${run.body['id']}`);
  const kinds: string[] = [];
  for await (const { event, data } of framesOf(`${base}/v1/runs/${run.body['id']}/events`))
    kinds.push(event ?? String(data['type']));
  expect(kinds.at(-1)).toBe('end');
  expect((await call(`${base}/v1/none`)).status).toBe(404);
}

test('it is mounted in an app of Hono, beside the routes of that app', async () => {
  const app = new Hono();
  app.get('/hello', (context) => context.text('hello'));
  app.mount('/assay', assay({ basePath: '/' }).fetch);
  const http = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' });
  await once(http, 'listening');
  closers.push(async () => void http.close());
  const base = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  expect((await call(`${base}/hello`)).body['text']).toBe('hello');
  const run = await call(`${base}/assay/v1/runs?wait=true`, { body: { task: 'task-1' } });
  expect(run.body['answer']).toBe('answer to task-1');
});

test('it is a route handler of Next.js: a web request in, a web response out, under a base path', async () => {
  const server = assay({ basePath: '/api/assay' });
  // What `app/api/assay/[...path]/route.ts` exports.
  const route = { GET: server.fetch, POST: server.fetch, DELETE: server.fetch };
  const ask = (path: string, init?: RequestInit) => new Request(`http://localhost:3000/api/assay${path}`, init);
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"task":"task-1"}' };
  const response = await route.POST(ask('/v1/runs?wait=true', init));
  // A run as the server answers it.
  const run = (await response.json()) as { id: string; answer: string };
  expect(run.answer).toBe('answer to task-1');
  expect(response.headers.get('location')).toBe(`runs/${run.id}`);
  const stream = await route.GET(ask(`/v1/runs/${run.id}/events`));
  expect(await stream.text()).toContain('event: end');
  expect((await route.GET(ask('/v1/none'))).status).toBe(404);
});

test('it answers in Express under a path, before what reads bodies', async (context) => {
  // Express comes with another package here, and nothing of ours needs it.
  const name = 'express';
  const module: unknown = await import(name).catch(() => undefined);
  if (module === undefined) return context.skip('express is not installed');
  const express = Reflect.get(Object(module), 'default') as () => RequestListener & { use(...parts: unknown[]): void };
  const app = express();
  app.use('/assay', nodeHandler(assay()));
  await works(`${await listenWith(app)}/assay`);
});

test('several servers live in one process, and know nothing of each other', async () => {
  const globals = [globalThis.Request, globalThis.Response];
  const one = await listenWith(nodeHandler(assay()));
  const other = await listenWith(nodeHandler(assay()));
  await works(one);
  await works(other);
  const run = await call(`${one}/v1/runs?wait=true`, { body: { task: 'task-1' } });
  expect((await call(`${other}/v1/runs/${run.body['id']}`)).status).toBe(404);
  expect([globalThis.Request, globalThis.Response]).toEqual(globals);
});

test('a host with users of its own says who asks', async () => {
  const authenticate = (request: Request) =>
    request.headers.get('x-user') === 'ann' ? { id: 'ann', tenant: 'a', scopes: ['run', 'read'] as const } : undefined;
  const base = await listenWith(nodeHandler(assay({ auth: { authenticate } })));
  expect((await call(`${base}/v1/runs`)).status).toBe(401);
  const run = await call(`${base}/v1/runs?wait=true`, { body: { task: 'task-1' }, headers: { 'x-user': 'ann' } });
  expect(run.body['answer']).toBe('answer to task-1');
});
