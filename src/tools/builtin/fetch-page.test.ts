import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { UsageError } from '../../core/errors.ts';
import type { StepContext } from '../../core/step.ts';
import { type FetchPageOptions, fetchPage } from './fetch-page.ts';
import { getPage, type Resolve } from './net/get-page.ts';

const open: Server[] = [];

afterEach(async () => {
  for (const server of open.splice(0)) {
    server.closeAllConnections();
    await new Promise((settle) => server.close(settle));
  }
});

interface Started {
  host: string;
  port: number;
  /** How many connections were made. */
  connections(): number;
}

async function start(listener: RequestListener): Promise<Started> {
  const server = createServer(listener);
  let connections = 0;
  server.on('connection', () => connections++);
  open.push(server);
  await new Promise<void>((settle) => server.listen(0, '127.0.0.1', settle));
  // A TCP server has an AddressInfo.
  const { port } = server.address() as AddressInfo;
  return { host: `127.0.0.1:${port}`, port, connections: () => connections };
}

function context(signal: AbortSignal = new AbortController().signal): StepContext {
  return { idempotencyKey: 'k', attempt: 1, signal };
}

async function read(url: string, options: FetchPageOptions = {}): Promise<string> {
  return String(await fetchPage(options).run({ url }, context()));
}

/** Starts a server that answers every request alike and reads its root. */
async function answerOf(headers: Record<string, string>, body: string | Uint8Array, options: FetchPageOptions = {}) {
  const { host } = await start((_request, response) => response.writeHead(200, headers).end(body));
  return read(`http://${host}/`, { allow: [host], ...options });
}

describe('fetchPage', () => {
  it('returns the final URL, the title and the readable text of an HTML page', async () => {
    const { host } = await start((_request, response) =>
      response
        .writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
        .end('<title>Ferry</title><nav>no</nav><h1>Fares</h1><p>Adults pay <a href="/eur">12 €</a>.</p>'),
    );
    expect(await read(`http://${host}/fares#adult`, { allow: [host] })).toBe(
      `URL: http://${host}/fares\nTitle: Ferry\n\n# Fares\n\nAdults pay 12 € (http://${host}/eur).`,
    );
  });

  it('returns JSON, XML and text as they are', async () => {
    expect(await answerOf({ 'content-type': 'application/json' }, '{"a": [1]}')).toMatch(
      /\nTitle: \(none\)\n\n{"a": \[1\]}$/,
    );
    expect(await answerOf({ 'content-type': 'application/atom+xml' }, '<feed/>')).toMatch(/\n\n<feed\/>$/);
    expect(await answerOf({ 'content-type': 'text/plain' }, '1 < 2')).toMatch(/\n\n1 < 2$/);
  });

  it('refuses other content and names its type', async () => {
    await expect(answerOf({ 'content-type': 'application/pdf' }, '%PDF')).rejects.toThrow(
      'is application/pdf: only HTML',
    );
    await expect(answerOf({ 'content-type': 'image/svg' }, '<svg/>')).rejects.toThrow('image/svg');
    await expect(answerOf({}, Uint8Array.of(0x50, 0, 1))).rejects.toThrow('binary');
  });

  it('says when a page has no text without scripts', async () => {
    expect(await answerOf({ 'content-type': 'text/html' }, '<div id="app"></div><script>run()</script>')).toContain(
      'scripts',
    );
  });

  it('decodes gzip, brotli and both kinds of deflate', async () => {
    const text = 'compressed '.repeat(50);
    const encoded = { gzip: gzipSync(text), br: brotliCompressSync(text), deflate: deflateSync(text) };
    for (const [encoding, body] of [...Object.entries(encoded), ['deflate', deflateRawSync(text)] as const]) {
      const answer = await answerOf({ 'content-type': 'text/plain', 'content-encoding': encoding }, body);
      expect(answer.endsWith(text), encoding).toBe(true);
    }
    await expect(answerOf({ 'content-type': 'text/plain', 'content-encoding': 'zip' }, 'x')).rejects.toThrow('"zip"');
    await expect(answerOf({ 'content-type': 'text/plain', 'content-encoding': 'gzip' }, 'x')).rejects.toThrow(
      'could not be read',
    );
  });

  it('reads a long page up to its limit and says so', async () => {
    const answer = await answerOf({ 'content-type': 'text/plain' }, 'é'.repeat(5_000), { maxBytes: 1_001 });
    expect(answer).toContain('Truncated: only the first 1001 bytes');
    expect(answer.endsWith(`\n\n${'é'.repeat(500)}`)).toBe(true);
  });

  it('counts the limit after decompression, so that a small bomb stays small', async () => {
    const bomb = gzipSync(Buffer.alloc(200 * 1024 * 1024, 'a'), { level: 1 });
    const before = process.memoryUsage().rss;
    const answer = await answerOf({ 'content-type': 'text/plain', 'content-encoding': 'gzip' }, bomb, {
      maxBytes: 10_000,
    });
    expect(answer.length).toBeLessThan(11_000);
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * 1024 * 1024);
  });

  it('stops an endless page at the time limit', async () => {
    const { host } = await start((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/plain' });
      const timer = setInterval(() => response.write('x'), 20);
      response.on('close', () => clearInterval(timer));
    });
    await expect(read(`http://${host}/`, { allow: [host], timeoutMs: 300 })).rejects.toThrow('within 300 ms');
  });

  it('stops at once when the call is cancelled', async () => {
    const { host } = await start(() => {});
    const controller = new AbortController();
    const call = fetchPage({ allow: [host] }).run({ url: `http://${host}/` }, context(controller.signal));
    setTimeout(() => controller.abort(new Error('cancelled by the user')), 50);
    await expect(call).rejects.toThrow('cancelled by the user');
  });

  it('reports error answers, broken connections and unreachable servers', async () => {
    const { host } = await start((request, response) => {
      if (request.url === '/cut')
        response.writeHead(200, { 'content-length': '100' }).write('x', () => response.destroy());
      else response.writeHead(request.url === '/busy' ? 429 : 404, { 'retry-after': '30' }).end('secret');
    });
    await expect(read(`http://${host}/`, { allow: [host] })).rejects.toThrow(/answered 404/);
    await expect(read(`http://${host}/busy`, { allow: [host] })).rejects.toThrow('try again after 30');
    await expect(read(`http://${host}/cut`, { allow: [host] })).rejects.toThrow('could not be read');
    await expect(read('http://127.0.0.1:1/', { allow: ['127.0.0.1:1'] })).rejects.toThrow('ECONNREFUSED');
  });

  it('follows at most five redirects', async () => {
    const { host } = await start((request, response) => {
      const left = Number(request.url?.slice(1));
      if (left === 0) response.writeHead(200, { 'content-type': 'text/plain' }).end('arrived');
      else response.writeHead(302, { location: `/${left - 1}` }).end();
    });
    expect(await read(`http://${host}/5`, { allow: [host] })).toBe(`URL: http://${host}/0\nTitle: (none)\n\narrived`);
    await expect(read(`http://${host}/6`, { allow: [host] })).rejects.toThrow('more than 5 times');
  });
});

describe('fetchPage keeps to the public internet', () => {
  it('refuses private addresses in every spelling before any connection', async () => {
    const { port, connections } = await start((_request, response) => response.end('no'));
    const hosts = [
      '127.0.0.1',
      '2130706433',
      '0x7f.1',
      '0177.0.0.1',
      '127.1',
      '0',
      'localhost',
      '[::1]',
      '[::ffff:7f00:1]',
    ];
    for (const host of [...hosts, '１２７.0.0.1', '127.0.0.1.', '[::]']) {
      await expect(read(`http://${host}:${port}/`), host).rejects.toThrow(
        'is refused: it is not an address of the public',
      );
    }
    for (const host of ['169.254.169.254', '[fd00:ec2::254]', '10.1.2.3', '100.100.100.200', '[64:ff9b::a9fe:a9fe]']) {
      await expect(read(`http://${host}/`), host).rejects.toThrow('is refused');
    }
    expect(connections()).toBe(0);
  });

  it('checks every redirect', async () => {
    const inner = await start((_request, response) => response.end('no'));
    let location = '';
    const outer = await start((_request, response) => response.writeHead(302, { location }).end());
    for (location of [
      `http://${inner.host}/`,
      'file:///etc/hostname',
      `http://u:p@${outer.host}/`,
      '//[::1]/',
      'http://',
    ]) {
      await expect(read(`http://${outer.host}/`, { allow: [outer.host] }), location).rejects.toThrow(
        /refused|is no URL/,
      );
    }
    expect(inner.connections()).toBe(0);
  });

  it('refuses other protocols, credentials and what is no URL', async () => {
    for (const url of [
      'file:///etc/hostname',
      'ftp://a.example/',
      'data:text/plain,x',
      'https://me:pw@a.example/',
      'https://me@a.example/',
      'example',
    ]) {
      await expect(read(url), url).rejects.toThrow(/refused|is no URL/);
    }
    await expect(read('https://me:pw@a.example/')).rejects.not.toThrow('me:pw');
  });

  it('allows an exact host and port only', async () => {
    const { host, port, connections } = await start((_request, response) => response.end('yes'));
    await expect(read(`http://${host}/`, { allow: [`127.0.0.1:${port + 1}`, `127.0.0.2:${port}`] })).rejects.toThrow(
      'refused',
    );
    await expect(read(`http://localhost:${port}/`, { allow: [host] })).rejects.toThrow('refused');
    expect(connections()).toBe(0);
    expect(await read(`http://2130706433:${port}/`, { allow: [host] })).toContain('yes');
  });

  it('refuses an allow entry without a port when the tool is made', () => {
    for (const entry of ['127.0.0.1', 'http://a.example:80', 'a.example:x', '', 'a:80/b', 'u@a:80', '::1']) {
      expect(() => fetchPage({ allow: [entry] }), entry).toThrow(UsageError);
    }
    expect(() => fetchPage({ allow: ['[::1]:8080', 'Wiki.Example:443'] })).not.toThrow();
  });
});

describe('getPage', () => {
  const options = { timeoutMs: 5_000, maxBytes: 1_000, signal: new AbortController().signal };
  const local = { address: '127.0.0.1', family: 4 };

  it('connects only to the address it has checked, however the name resolves later', async () => {
    const { port, connections } = await start((_request, response) => response.end('no'));
    let calls = 0;
    const rebinding: Resolve = async () => [++calls === 1 ? local : { address: '93.184.216.34', family: 4 }];
    const url = `http://rebind.test:${port}/`;
    await expect(getPage(url, { ...options, allow: new Set(), resolve: rebinding })).rejects.toThrow(
      'rebind.test (127.0.0.1) is refused',
    );
    expect(calls).toBe(1);
    expect(connections()).toBe(0);
  });

  it('resolves a name once for each hop', async () => {
    const { port } = await start((request, response) => {
      if (request.url === '/') response.writeHead(302, { location: '/next' }).end();
      else response.end('yes');
    });
    let calls = 0;
    const resolve: Resolve = async () => (calls++ === 0 ? [local] : [{ address: '10.0.0.1', family: 4 }]);
    const allow = new Set([`wiki.test:${port}`]);
    const first = getPage(`http://wiki.test:${port}/next`, { ...options, allow, resolve });
    expect(Buffer.from((await first).body).toString()).toBe('yes');
    expect(calls).toBe(1);
  });

  it('refuses a name when one of its addresses is private', async () => {
    const { port, connections } = await start((_request, response) => response.end('no'));
    const resolve: Resolve = async () => [{ address: '93.184.216.34', family: 4 }, local];
    await expect(getPage(`http://mixed.test:${port}/`, { ...options, allow: new Set(), resolve })).rejects.toThrow(
      'refused',
    );
    expect(connections()).toBe(0);
  });

  it('says when a name does not exist or has no address', async () => {
    const missing: Resolve = async () => {
      throw new Error('ENOTFOUND');
    };
    const allow = new Set<string>();
    await expect(getPage('http://gone.test/', { ...options, allow, resolve: missing })).rejects.toThrow(
      'gone.test was not found',
    );
    await expect(getPage('http://bare.test/', { ...options, allow, resolve: async () => [] })).rejects.toThrow(
      'has no address',
    );
  });

  it('sends no cookie back and no header of ours but the plain ones', async () => {
    const seen: string[][] = [];
    const { host } = await start((request, response) => {
      seen.push(Object.keys(request.headers).sort());
      const headers = { 'set-cookie': 'id=1', location: '/2' };
      response.writeHead(request.url === '/' ? 302 : 200, headers).end('x');
    });
    await getPage(`http://${host}/`, { ...options, allow: new Set([host]) });
    expect(seen).toHaveLength(2);
    for (const names of seen) expect(names).toEqual(['accept', 'accept-encoding', 'connection', 'host', 'user-agent']);
  });
});
