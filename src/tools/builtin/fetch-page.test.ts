import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { UsageError } from '../../core/errors.ts';
import type { StepContext } from '../../core/step.ts';
import { type FetchPageOptions, fetchPage } from './fetch-page.ts';

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
    await expect(answerOf({ 'content-type': 'application/zip' }, 'PK')).rejects.toThrow(
      'is application/zip: only HTML',
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

describe('fetchPage and hosts', () => {
  it('shows a host with a look-alike letter in punycode, and lists compare that form', async () => {
    const lookAlike = 'http://exаmple.test/pay';
    const message = await read(lookAlike, { hosts: ['example.test', '*.example.test'] }).catch(String);
    expect(message).toContain('xn--exmple-4nf.test is refused: only these hosts are read: example.test');
    expect(message).not.toContain('а');
    expect(fetchPage().touches?.({ url: lookAlike })).toEqual({ hosts: ['xn--exmple-4nf.test'] });
  });

  it('keeps to its list of hosts also when a page redirects', async () => {
    const inner = await start((_request, response) => response.end('no'));
    const outer = await start((_request, response) =>
      response.writeHead(302, { location: `http://localhost:${inner.port}/` }).end(),
    );
    const options = { allow: [outer.host, `localhost:${inner.port}`], robots: false };
    await expect(read(`http://${outer.host}/`, { ...options, hosts: ['127.0.0.1'] })).rejects.toThrow(
      `localhost:${inner.port} is refused: only these hosts`,
    );
    expect(inner.connections()).toBe(0);
    expect(await read(`http://${outer.host}/`, { ...options, hosts: ['127.0.0.1', 'LocalHost.'] })).toContain('no');
  });

  it('refuses a list entry that is no host when the tool is made', () => {
    for (const entry of ['https://a.example', 'a.example/x', '', '*.', 'a.*', 'u@a.example', 'a.example:80']) {
      expect(() => fetchPage({ hosts: [entry] }), entry).toThrow(UsageError);
    }
  });

  it('tells the host of a call, also of one with a dot at its end', () => {
    const tool = fetchPage();
    expect(tool.touches?.({ url: 'https://WIKI.example.:8443/a?u=http://other.example/' })).toEqual({
      hosts: ['wiki.example'],
    });
    expect(tool.touches?.({ url: 'no url' })).toEqual({ hosts: [] });
  });
});

describe('fetchPage and robots.txt', () => {
  /** A site whose robots.txt is answered as given; counts what was asked for. */
  async function site(robots: string | number, asked: string[] = []): Promise<string> {
    const { host } = await start((request, response) => {
      asked.push(request.url ?? '');
      const isRobots = request.url === '/robots.txt';
      const status = isRobots && typeof robots === 'number' ? robots : 200;
      response.writeHead(status, { 'content-type': 'text/plain', 'cache-control': 'no-store' });
      response.end(isRobots ? String(robots) : 'page');
    });
    return host;
  }

  it('keeps to the rules for its own name, else to those for all', async () => {
    const all = 'User-agent: *\nDisallow: /private\n\nUser-Agent: Assay/2\nAllow: /private/ok\nDisallow: /private\n';
    const host = await site(all);
    expect(await read(`http://${host}/private/ok`, { allow: [host] })).toContain('page');
    await expect(read(`http://${host}/private/x`, { allow: [host] })).rejects.toThrow(
      `${host}/robots.txt does not allow robots to read it`,
    );
    await expect(read(`http://${host}/private/ok`, { allow: [host], userAgent: 'Other/1.0' })).rejects.toThrow(
      'robots: false',
    );
    expect(await read(`http://${host}/private/x`, { allow: [host], robots: false })).toContain('page');
  });

  it('asks once per site and not for a site it must not reach', async () => {
    const asked: string[] = [];
    const host = await site('User-agent: *\nDisallow: /no', asked);
    const tool = fetchPage({ allow: [host] });
    for (const path of ['/a', '/b']) await tool.run({ url: `http://${host}${path}` }, context());
    expect(asked).toEqual(['/robots.txt', '/a', '/b']);
  });

  it('takes a missing file as leave and an unreachable one as a refusal', async () => {
    const missing = await site(404);
    expect(await read(`http://${missing}/`, { allow: [missing] })).toContain('page');
    const broken = await site(503);
    await expect(read(`http://${broken}/`, { allow: [broken] })).rejects.toThrow(
      /robots.txt answered 503.*counts as closed/,
    );
  });

  it('judges each hop of a redirect by the rules of its own site, and guards the address of robots.txt itself', async () => {
    const closed = await site('User-agent: *\nDisallow: /');
    const { host } = await start((request, response) => {
      if (request.url === '/robots.txt') response.writeHead(404).end();
      else response.writeHead(302, { location: `http://${closed}/` }).end();
    });
    await expect(read(`http://${host}/`, { allow: [host, closed] })).rejects.toThrow('does not allow robots');
    const inner = await start((_request, response) => response.end('User-agent: *'));
    const sly = await start((_request, response) =>
      response.writeHead(301, { location: `http://${inner.host}/latest/meta-data` }).end(),
    );
    await expect(read(`http://${sly.host}/`, { allow: [sly.host] })).rejects.toThrow(`${inner.host} is refused`);
    expect(inner.connections()).toBe(0);
  });

  it('says who is asking, or what the user wants to be said', async () => {
    const seen: (string | undefined)[] = [];
    const { host } = await start((request, response) => {
      seen.push(request.headers['user-agent']);
      response.end('x');
    });
    await read(`http://${host}/`, { allow: [host], robots: false });
    await read(`http://${host}/`, {
      allow: [host],
      robots: false,
      userAgent: 'Example-Bot/1.0 (+mailto:web@example.com)',
    });
    expect(seen).toEqual([
      expect.stringMatching(/^Assay\/\d+\.\d+\.\d+ \(/),
      'Example-Bot/1.0 (+mailto:web@example.com)',
    ]);
    for (const userAgent of ['', 'a\r\nx: y', 'ä'])
      expect(() => fetchPage({ userAgent }), userAgent).toThrow(UsageError);
  });
});

describe('fetchPage and its cache', () => {
  async function counting(headers: Record<string, string>): Promise<{ host: string; asked: string[] }> {
    const asked: string[] = [];
    const { host } = await start((request, response) => {
      asked.push(request.url ?? '');
      if (request.url === '/old') response.writeHead(302, { location: '/new' }).end();
      else response.writeHead(200, { 'content-type': 'text/plain', ...headers }).end(`answer ${asked.length}`);
    });
    return { host, asked };
  }

  it('reads a page once and says when an answer comes from memory, also after a redirect to it', async () => {
    const { host, asked } = await counting({});
    const tool = fetchPage({ allow: [host], robots: false });
    const first = await tool.run({ url: `http://${host}/new#a` }, context());
    const again = [
      await tool.run({ url: `http://${host}/new` }, context()),
      await tool.run({ url: `http://${host}/old` }, context()),
    ];
    expect(first).not.toContain('From the cache');
    expect(again[0]).toMatch(/\nFrom the cache: read at 20\d\d-.*Z\n\nanswer 1$/);
    // The same each time: a repeated call has a repeated outcome.
    expect(again[1]).toBe(again[0]);
    expect(asked).toEqual(['/new', '/old']);
    expect(await read(`http://${host}/new`, { allow: [host], robots: false })).toContain('answer 3');
  });

  it('asks again when the server or the user wants that', async () => {
    for (const control of ['no-store', 'max-age=0', 'private, no-cache', 'max-age=60']) {
      const { host, asked } = await counting({ 'cache-control': control, age: control === 'max-age=60' ? '60' : '0' });
      const tool = fetchPage({ allow: [host], robots: false });
      for (let call = 0; call < 2; call++) await tool.run({ url: `http://${host}/` }, context());
      expect(asked, control).toHaveLength(2);
    }
    const { host, asked } = await counting({ 'cache-control': 'max-age=600' });
    const tool = fetchPage({ allow: [host], robots: false, cacheMs: 0 });
    for (let call = 0; call < 2; call++) await tool.run({ url: `http://${host}/` }, context());
    expect(asked).toHaveLength(2);
  });
});
