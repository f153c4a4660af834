import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { UsageError } from '../../src/core/errors.ts';
import { listen } from '../../src/server/listen.ts';
import { createToken, tokenList } from '../../src/server/tokens.ts';
import { call, startServer, type TestServer } from './server-fixture.ts';

let folder = '';
let plain: TestServer;
let guarded: TestServer;

const full = createToken({ tenant: 'a', scopes: ['run', 'approve', 'read', 'metrics'] });
const reader = createToken({ tenant: 'a', scopes: ['read'] });
const expired = createToken({ tenant: 'a', scopes: ['read'], expires: Date.now() - 1 });
const slow = createToken({ tenant: 'a', scopes: ['read'], requestsPerMinute: 60 });
const small = createToken({
  tenant: 'a',
  scopes: ['run', 'read'],
  budget: { modelCalls: 4 },
  daily: { runs: 2, tokens: 5_000 },
});

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'assay-security-'));
  const tokens = tokenList([full, reader, expired, slow, small].map(({ stored }) => stored));
  const limits = { bodyBytes: 20_000, bodyMs: 400, requestsPerMinute: 120_000 };
  plain = await startServer({ file: join(folder, 'plain.db'), limits, listen: { headersMs: 400 } });
  const cors = { origins: ['https://app.example'] };
  guarded = await startServer({ file: join(folder, 'guarded.db'), limits, auth: { tokens }, cors });
});

afterAll(async () => {
  await plain?.close();
  await guarded?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** What the server says to bytes that were sent as they are, until it closes or `ms` are over. */
function raw(url: string, text: string, ms = 3_000): Promise<{ text: string; closed: boolean }> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  let heard = '';
  return new Promise((resolve) => {
    const done = (closed: boolean): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve({ text: heard, closed });
    };
    const timer = setTimeout(() => done(false), ms);
    socket.on('data', (chunk) => {
      heard += String(chunk);
    });
    socket.on('error', () => done(true));
    socket.on('close', () => done(true));
    socket.write(text);
  });
}

const statusOf = (answer: string): number => Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 0);

test('a page that rebinds a name or comes from another origin gets nothing without a token', async () => {
  const ask = async (headers: string, method = 'GET'): Promise<number> =>
    statusOf((await raw(plain.url, `${method} /v1/runs HTTP/1.1\r\nConnection: close\r\n${headers}\r\n\r\n`)).text);
  expect(await ask('Host: 127.0.0.1:8080')).toBe(200);
  expect(await ask('Host: localhost')).toBe(200);
  expect(await ask('Host: [::1]:1')).toBe(200);
  expect(await ask('Host: evil.example')).toBe(403);
  expect(await ask('Host: 127.0.0.1.evil.example')).toBe(403);
  expect(await ask('Host: 127.0.0.1\r\nOrigin: http://localhost:3000')).toBe(200);
  for (const origin of [
    'https://evil.example',
    'null',
    'http://localhost.evil.example',
    'http://127.0.0.1@evil.example',
  ]) {
    expect(await ask(`Host: 127.0.0.1\r\nOrigin: ${origin}`)).toBe(403);
  }
  expect(await ask('Host: 127.0.0.1\r\nSec-Fetch-Site: cross-site', 'POST')).toBe(403);
  const form = { method: 'POST', headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: 'task=1' };
  expect((await fetch(`${plain.url}/v1/runs`, form)).status).toBe(415);
  const answer = await fetch(`${plain.url}/v1/runs`, { headers: { origin: 'http://localhost:3000' } });
  expect(answer.headers.get('access-control-allow-origin')).toBeNull();
});

test('with tokens, pages of a configured origin may use the server, and others change nothing', async () => {
  const ask = (origin: string, method: string) =>
    call(`${guarded.url}/v1/runs`, {
      token: full.token,
      method,
      headers: { origin },
      ...(method === 'POST' && { body: { task: 'x' } }),
    });
  const preflight = await call(`${guarded.url}/v1/runs`, {
    method: 'OPTIONS',
    headers: { origin: 'https://app.example' },
  });
  expect(preflight.headers.get('access-control-allow-origin')).toBe('https://app.example');
  expect(preflight.headers.get('access-control-allow-headers')).toContain('authorization');
  expect((await ask('https://app.example', 'POST')).status).toBe(202);
  const foreign = await ask('https://evil.example', 'POST');
  expect([foreign.status, foreign.headers.get('access-control-allow-origin')]).toEqual([403, null]);
  expect((await ask('https://evil.example', 'GET')).headers.get('access-control-allow-origin')).toBeNull();
});

test('a flood of bad tokens is slowed down, and keeps out nobody with a good one', async () => {
  const own = await startServer({
    file: join(folder, 'flood.db'),
    limits: { requestsPerMinute: 600 },
    auth: { tokens: tokenList([full.stored]) },
  });
  const bad = await Promise.all([1, 2, 3, 4].map(() => call(`${own.url}/v1/runs`, { token: 'bad' })));
  expect(bad.map(({ status }) => status).sort()).toEqual([401, 429, 429, 429]);
  expect((await call(`${own.url}/v1/runs`, { token: full.token })).status).toBe(200);
  await own.close();
});

test('without tokens no address but loopback is listened on', async () => {
  await expect(listen(plain.server, { host: '0.0.0.0' })).rejects.toThrow(UsageError);
  await expect(listen(plain.server, { host: '::' })).rejects.toThrow(/assay tokens create/);
});

test('missing, malformed, unknown, wrong and expired tokens are answered alike', async () => {
  const wrong = `${full.token.slice(0, -2)}${full.token.endsWith('AA') ? 'BB' : 'AA'}`;
  const tokens = [
    undefined,
    'x',
    wrong,
    'assay_ffffffffffff_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',
    expired.token,
  ];
  const answers = await Promise.all(
    tokens.map((token) => call(`${guarded.url}/v1/runs`, token === undefined ? {} : { token })),
  );
  for (const { status, body, headers } of answers) {
    expect(status).toBe(401);
    expect(body).toEqual(answers[0]?.body);
    expect(headers.get('www-authenticate')).toContain('Bearer');
  }
  expect((await call(`${guarded.url}/v1/runs`, { token: full.token })).status).toBe(200);
  expect((await call(`${guarded.url}/healthz`)).status).toBe(200);
  expect((await call(`${guarded.url}/v1/unknown`)).status).toBe(401);
});

test('a token does what its scopes say and nothing else', async () => {
  const { token } = reader;
  expect((await call(`${guarded.url}/v1/runs`, { token })).status).toBe(200);
  for (const path of ['/v1/runs', '/v1/runs/x/cancel', '/v1/runs/x/approvals/y/approve', '/v1/chat/completions']) {
    const { status } = await call(`${guarded.url}${path}`, { token, body: { task: 'x' } });
    expect([path, status]).toEqual([path, 403]);
  }
  expect((await call(`${guarded.url}/metrics`, { token })).status).toBe(403);
});

test('a token that comes too often is told when to come back', async () => {
  const answers = await Promise.all([1, 2, 3].map(() => call(`${guarded.url}/v1/runs`, { token: slow.token })));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 429, 429]);
  expect(Number(answers.find(({ status }) => status === 429)?.headers.get('retry-after'))).toBeGreaterThan(0);
});

test('a run takes no more than its token allows, and a day no more than its budget', async () => {
  const { token } = small;
  const start = (budget: object) =>
    call(`${guarded.url}/v1/runs?wait=true`, { token, body: { task: 'task-1', budget } });
  const over = await start({ modelCalls: 5 });
  expect([over.status, over.body['errors']]).toEqual([422, [{ pointer: '/budget/modelCalls', detail: 'at most 4' }]]);
  const answers = await Promise.all([1, 2, 3].map(() => start({ tokens: 1_500 })));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 429]);
  expect(answers.find(({ status }) => status === 200)?.body['budget']).toMatchObject({ modelCalls: 4, tokens: 1_500 });
  const refused = answers.find(({ status }) => status === 429);
  expect(refused?.body['type']).toBe('urn:assay:problem:daily-budget');
});

test('bodies that are too large, too deep, too slow, broken or of another type are refused and never a 5xx', async () => {
  const post = (body: string | Uint8Array<ArrayBuffer>, type = 'application/json') =>
    fetch(`${plain.url}/v1/runs`, { method: 'POST', headers: { 'content-type': type }, body }).then(
      ({ status }) => status,
    );
  expect(await post('{"task":')).toBe(400);
  expect(await post('[]')).toBe(422);
  expect(await post('{"task":""}')).toBe(422);
  expect(await post('{"task":"x","extra":1}')).toBe(422);
  expect(await post(JSON.stringify({ task: 'x'.repeat(30_000) }))).toBe(413);
  expect(await post(`{"task":{"input":"x","outputSchema":${'{"a":'.repeat(80)}1${'}'.repeat(80)}}}`)).toBe(400);
  expect(await post('['.repeat(15_000))).toBe(400);
  expect(await post(new Uint8Array([0x7b, 0xff, 0xfe, 0x7d]))).toBe(400);
  expect(await post('{"task":"x"}', 'text/plain')).toBe(415);
  expect(await post('{"task":{"input":"x","outputSchema":{"type":"string","pattern":"(a+)+$"}}}')).toBe(422);
  const declared = await raw(
    plain.url,
    'POST /v1/runs HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 999999999\r\n\r\n{',
  );
  expect(statusOf(declared.text)).toBe(413);
  const chunked =
    'POST /v1/runs HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n';
  expect(statusOf((await raw(plain.url, `${chunked}8000\r\n${'x'.repeat(0x8000)}`)).text)).toBe(413);
  const crawling = await raw(plain.url, `${chunked}2\r\n{"\r\n`);
  expect(statusOf(crawling.text)).toBe(400);
});

test('a head that never ends loses its connection', async () => {
  const began = Date.now();
  const slowHead = await raw(plain.url, 'GET /v1/runs HTTP/1.1\r\nHost: localhost\r\nX-Slow: ', 8_000);
  expect(slowHead.closed).toBe(true);
  expect(Date.now() - began).toBeLessThan(4_000);
  const hugeHead = await raw(
    plain.url,
    `GET /v1/runs HTTP/1.1\r\nHost: localhost\r\nX-Large: ${'x'.repeat(40_000)}\r\n\r\n`,
  );
  expect(statusOf(hugeHead.text)).toBe(431);
});

test('tricks with paths and headers reach no other route and no file, and a wrong method is told', async () => {
  const ask = async (target: string, more = ''): Promise<string> =>
    (await raw(guarded.url, `GET ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${more}\r\n`)).text;
  const auth = `Authorization: Bearer ${full.token}\r\n`;
  const targets = [
    '/v1/../v1/runs',
    '/v1/%2e%2e/%2e%2e/etc/passwd',
    '/v1/runs/..%2f..%2fetc%2fpasswd',
    '//v1/runs',
    '/v1//runs',
    '/V1/RUNS',
    '/v1/runs/%00',
    '/v1/runs/%zz',
    '/v1/runs/%c0%ae',
    '/v1\\runs',
    '/v1/runs;a=b',
    '/v1/runs/',
    '*',
    'http://evil.example/v1/runs',
    '/healthz/../v1/runs',
    '/healthz%2f..%2fv1%2fruns',
    '/v1/runs?limit=1&limit=2',
    `/v1/runs/${'a'.repeat(8_000)}`,
  ];
  for (const target of targets) {
    expect([target, [400, 401, 404].includes(statusOf(await ask(target)))]).toEqual([target, true]);
    const known = statusOf(await ask(target, auth));
    expect([target, known >= 200 && known < 500]).toEqual([target, true]);
  }
  const injected = await ask('/v1/runs/x%0d%0aSet-Cookie:%20a=b', auth);
  expect(injected.toLowerCase()).not.toContain('\r\nset-cookie');
  expect(
    statusOf(await ask('/v1/runs', `Authorization: Bearer ${reader.token}\r\nAuthorization: Bearer ${full.token}\r\n`)),
  ).toBeLessThan(500);
  const put = await call(`${guarded.url}/v1/runs`, { method: 'PUT', token: full.token, body: {} });
  expect([put.status, put.headers.get('allow')]).toEqual([405, 'POST, GET, HEAD, OPTIONS']);
});

test('whatever comes over the wire, the server answers with what it states and stays up', async () => {
  const line = fc.string({ unit: 'binary', maxLength: 60 }).map((text) => text.replace(/[\r\n]/g, ' '));
  const piece = fc.oneof(
    line,
    fc.constantFrom('/v1/runs', '/v1/runs/x/events', '%2e%2e', '%', '\\', '?', '..', 'POST', '{"task":1}'),
  );
  const message = fc.record({
    method: fc.constantFrom('GET', 'POST', 'DELETE', 'PUT', 'OPTIONS', 'HEAD', 'TRACE', 'PATCH', 'PURGE', 'get', ''),
    path: fc.array(piece, { maxLength: 4 }).map((parts) => `/${parts.join('')}`.replace(/\s/g, '')),
    headers: fc.array(
      fc.tuple(fc.constantFrom('Accept', 'Last-Event-ID', 'Prefer', 'Idempotency-Key', 'Content-Type', 'X'), line),
      { maxLength: 3 },
    ),
    body: fc.oneof(fc.json(), fc.string({ unit: 'binary', maxLength: 200 })),
  });
  await fc.assert(
    fc.asyncProperty(message, async ({ method, path, headers, body }) => {
      const head = [
        `${method} ${path} HTTP/1.1`,
        'Host: localhost',
        'Connection: close',
        'Content-Type: application/json',
      ];
      const lines = [
        ...head,
        ...headers.map(([name, value]) => `${name}: ${value}`),
        `Content-Length: ${Buffer.byteLength(body)}`,
      ];
      const answer = await raw(plain.url, `${lines.join('\r\n')}\r\n\r\n${body}`, 1_500);
      const status = statusOf(answer.text);
      expect(status === 0 ? answer.closed : status < 500).toBe(true);
    }),
    { numRuns: 150 },
  );
  expect((await call(`${plain.url}/healthz`)).body).toEqual({ status: 'ok' });
  expect(plain.errors).toEqual([]);
  expect(guarded.errors).toEqual([]);
}, 60_000);
