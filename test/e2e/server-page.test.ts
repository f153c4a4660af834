/** The files of a page over real HTTP: what is served, how, and what is not. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createToken, tokenList } from '../../src/server/tokens.ts';
import { call, startServer, type TestServer } from './server-fixture.ts';

const index = '<!doctype html><script type="module" src="./assets/index-4f2a9b1c.js"></script>';
const script = 'console.log("page");\n'.repeat(200);

let folder = '';
let plain: TestServer;
let guarded: TestServer;

const owner = createToken({ tenant: 'default', scopes: ['read'] });

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'assay-page-'));
  const page = join(folder, 'page');
  mkdirSync(join(page, 'assets', '.hidden'), { recursive: true });
  mkdirSync(join(folder, 'outside'));
  const files: [string, string][] = [
    ['page/index.html', index],
    ['page/apple-touch-icon.svg', '<svg xmlns="http://www.w3.org/2000/svg"/>'],
    ['page/favicon.svg', '<svg xmlns="http://www.w3.org/2000/svg"/>'],
    ['page/assets/index-4f2a9b1c.js', script],
    ['page/assets/style.css', 'body{}'],
    ['page/assets/index-4f2a9b1c.js.map', '{}'],
    ['page/assets/.env', 'SECRET=1'],
    ['page/assets/.hidden/a.js', 'SECRET'],
    ['page/assets/strange name?.js', 'SECRET'],
    ['outside/secret.js', 'SECRET'],
    ['secret.js', 'SECRET'],
  ];
  for (const [name, text] of files) writeFileSync(join(folder, name), text);
  symlinkSync(join(folder, 'outside', 'secret.js'), join(page, 'assets', 'link.js'));
  symlinkSync(join(folder, 'outside'), join(page, 'linked'));
  plain = await startServer({ file: join(folder, 'plain.db'), page: { folder: page } });
  guarded = await startServer({
    ...{ file: join(folder, 'guarded.db'), page: { folder: page }, basePath: '/ops/assay' },
    auth: { tokens: tokenList([owner.stored]) },
  });
});

afterAll(async () => {
  await plain?.close();
  await guarded?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** The answer to a request line that is sent as it is. */
function raw(path: string, headers = 'Host: 127.0.0.1'): Promise<string> {
  const socket = connect(plain.listening.port, '127.0.0.1');
  let heard = '';
  return new Promise((resolve) => {
    socket.on('data', (chunk) => {
      heard += String(chunk);
    });
    socket.on('close', () => resolve(heard));
    socket.write(`GET ${path} HTTP/1.1\r\n${headers}\r\nConnection: close\r\n\r\n`);
  });
}

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

describe('the files of the page', () => {
  test('are answered with their type, under a policy that lets in nothing foreign', async () => {
    const types: [string, string][] = [
      ['/', 'text/html; charset=utf-8'],
      ['/assets/index-4f2a9b1c.js', 'text/javascript; charset=utf-8'],
      ['/assets/style.css', 'text/css; charset=utf-8'],
      ['/favicon.svg', 'image/svg+xml'],
    ];
    for (const [path, type] of types) {
      const answer = await fetch(plain.url + path);
      expect([path, answer.status, answer.headers.get('content-type')]).toEqual([path, 200, type]);
      expect(Object.fromEntries(answer.headers)).toMatchObject({
        ...{ 'content-security-policy': policy, 'x-content-type-options': 'nosniff', 'x-frame-options': 'DENY' },
        ...{ 'referrer-policy': 'no-referrer', 'cross-origin-opener-policy': 'same-origin' },
      });
    }
    expect(await (await fetch(`${plain.url}/?from=mail`)).text()).toBe(index);
    const api = await fetch(`${plain.url}/v1/me`);
    expect(api.headers.get('content-security-policy')).toBe("default-src 'none'; frame-ancestors 'none'");
  });

  test('are kept for ever where their name is that of their content, and asked for again where it is not', async () => {
    const cacheOf = async (path: string) => (await fetch(plain.url + path)).headers.get('cache-control');
    expect(await cacheOf('/assets/index-4f2a9b1c.js')).toBe('public, max-age=31536000, immutable');
    for (const path of ['/', '/assets/style.css', '/apple-touch-icon.svg'])
      expect(await cacheOf(path)).toBe('no-cache');
    const etag = String((await fetch(plain.url)).headers.get('etag'));
    const again = await fetch(plain.url, { headers: { 'if-none-match': etag } });
    expect([again.status, await again.text()]).toEqual([304, '']);
    expect((await fetch(plain.url, { headers: { 'if-none-match': 'W/"other"' } })).status).toBe(200);
  });

  test('come compressed to whoever takes that, and alike', async () => {
    const asked = async (accepted: string): Promise<[string | null, string]> => {
      const answer = await raw('/assets/index-4f2a9b1c.js', `Host: 127.0.0.1\r\nAccept-Encoding: ${accepted}`);
      return [/^content-encoding: (\w+)/im.exec(answer)?.[1] ?? null, answer];
    };
    expect((await asked('gzip, deflate'))[0]).toBe('gzip');
    expect((await asked('gzip, br;q=0.9'))[0]).toBe('br');
    expect((await asked('br;q=0, gzip;q=0.0'))[0]).toBeNull();
    expect((await asked('identity'))[1]).toContain(script);
    // fetch undoes what it knows.
    for (const encoding of ['gzip', 'br'])
      expect(
        await (
          await fetch(`${plain.url}/assets/index-4f2a9b1c.js`, { headers: { 'accept-encoding': encoding } })
        ).text(),
      ).toBe(script);
    const head = await fetch(`${plain.url}/assets/index-4f2a9b1c.js`, { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
    expect(head.headers.get('vary')).toBe('accept-encoding');
  });

  test.each([
    '/../secret.js',
    '/assets/../../secret.js',
    '/assets/..%2f..%2fsecret.js',
    '/assets/%2e%2e/%2e%2e/secret.js',
    '/assets/..%5c..%5csecret.js',
    '/assets/....//....//secret.js',
    '//secret.js',
    '/assets/%00',
    '/assets/link.js',
    '/linked/secret.js',
    '/assets/.env',
    '/assets/.hidden/a.js',
    '/assets/strange%20name%3f.js',
    '/assets/index-4f2a9b1c.js.map',
    '/assets/',
    '/assets',
  ])('are all there is: %s', async (path) => {
    const answer = await raw(path);
    expect(answer).toMatch(/^HTTP\/1\.1 (404|400) /);
    expect(answer).not.toContain('SECRET');
  });

  test('are refused to other names of this machine and to pages of others, as the API is', async () => {
    expect(await raw('/', 'Host: evil.example')).toMatch(/^HTTP\/1\.1 403 /);
    expect(await raw('/', 'Host: 127.0.0.1\r\nOrigin: https://evil.example')).toMatch(/^HTTP\/1\.1 403 /);
    expect(await raw('/assets/style.css', 'Host: rebound.example')).not.toContain('body{}');
    expect((await fetch(plain.url, { method: 'POST' })).status).toBe(404);
  });
});

describe('under a base path and with tokens', () => {
  test('the page needs no token, stands in a folder of its own, and what it asks for does need one', async () => {
    const base = `${guarded.url}/ops/assay`;
    const page = await fetch(base);
    expect([page.url, page.status, page.redirected]).toEqual([`${base}/`, 200, true]);
    expect((await fetch(new URL('./assets/index-4f2a9b1c.js', page.url))).status).toBe(200);
    expect((await fetch(`${guarded.url}/`)).status).toBe(401);
    expect((await call(`${base}/v1/me`)).status).toBe(401);
    expect((await call(`${base}/assets/none.js`)).status).toBe(401);
    expect((await call(`${base}/v1/me`, { token: owner.token })).body).toMatchObject({
      ...{ tenant: 'default', scopes: ['read'], guarded: true, lessons: false, evaluations: false, samples: [] },
      agents: [
        {
          name: 'default',
          solver: 'react',
          layers: [],
          models: [{ role: 'actor', id: 'scripted', source: 'scripted' }],
        },
      ],
    });
  });
});

test('where the page was never built, its address says how', async () => {
  const none = await startServer({ file: join(folder, 'none.db'), page: { folder: join(folder, 'nowhere') } });
  const answer = await fetch(none.url);
  expect([answer.status, answer.headers.get('content-type')]).toEqual([404, 'text/plain; charset=utf-8']);
  expect(await answer.text()).toContain('npm run web:build');
  await none.close();
  const without = await startServer({ file: join(folder, 'none.db') });
  expect((await call(without.url)).body).toMatchObject({ type: 'urn:assay:problem:not-found' });
  await without.close();
});
