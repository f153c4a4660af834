import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server as TcpServer } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { getPage } from './get-page.ts';
import type { Resolve } from './guarded-lookup.ts';

const open: (Server | TcpServer)[] = [];

afterEach(async () => {
  for (const server of open.splice(0)) {
    if ('closeAllConnections' in server) server.closeAllConnections();
    await new Promise((settle) => server.close(settle));
  }
});

async function listening<S extends Server | TcpServer>(
  server: S,
): Promise<{ host: string; port: number; connections(): number }> {
  let connections = 0;
  server.on('connection', () => connections++);
  open.push(server);
  await new Promise<void>((settle) => server.listen(0, '127.0.0.1', settle));
  // A TCP server has an AddressInfo.
  const { port } = server.address() as AddressInfo;
  return { host: `127.0.0.1:${port}`, port, connections: () => connections };
}

async function start(listener: RequestListener) {
  return listening(createServer(listener));
}

/** A server that sends these bytes to whoever asks, and what it is given until the connection ends. */
async function startRaw(head: string, more?: () => Uint8Array) {
  return listening(
    createTcpServer((socket) => {
      socket.on('error', () => undefined);
      const pump = (): void => {
        while (more && !socket.destroyed && socket.write(more()));
      };
      socket.on('drain', pump);
      socket.once('data', () => {
        socket.write(head);
        pump();
      });
    }),
  );
}

describe('getPage', () => {
  const options = {
    timeoutMs: 5_000,
    bytesOf: () => 1_000,
    signal: new AbortController().signal,
    userAgent: 'test',
  };
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

  it('compares the allow list with the punycode of a host, not with what it looks like', async () => {
    const { port, connections } = await start((_request, response) => response.end('no'));
    const allow = new Set([`example.test:${port}`]);
    await expect(
      getPage(`http://exаmple.test:${port}/`, { ...options, allow, resolve: async () => [local] }),
    ).rejects.toThrow('xn--exmple-4nf.test (127.0.0.1) is refused');
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

  it('believes the bytes it gets and not the length that was promised', async () => {
    const short = await startRaw(
      `HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n0123456789`,
      () => new Uint8Array(65_536),
    );
    const { body } = await getPage(`http://${short.host}/`, { ...options, allow: new Set([short.host]) });
    expect(Buffer.from(body).toString()).toBe('0123456789');
    const long = await startRaw(`HTTP/1.1 200 OK\r\ncontent-length: 99999999999\r\n\r\n`, () =>
      Buffer.alloc(65_536, 'a'),
    );
    const before = process.memoryUsage().rss;
    const cut = await getPage(`http://${long.host}/`, { ...options, allow: new Set([long.host]) });
    expect([cut.body.length, cut.truncated]).toEqual([1_000, true]);
    expect(process.memoryUsage().rss - before).toBeLessThan(50 * 1024 * 1024);
  });

  it('stops a header without end and one that compresses over and over', async () => {
    const endless = await startRaw('HTTP/1.1 200 OK\r\n', () => Buffer.from(`x-${'y'.repeat(1_000)}: z\r\n`));
    await expect(getPage(`http://${endless.host}/`, { ...options, allow: new Set([endless.host]) })).rejects.toThrow(
      'could not be read',
    );
    const layers = 'gzip, '.repeat(1_000);
    const { host } = await start((_request, response) =>
      response.writeHead(200, { 'content-encoding': layers }).end(gzipSync('x')),
    );
    await expect(getPage(`http://${host}/`, { ...options, allow: new Set([host]) })).rejects.toThrow('1000 times over');
  });

  it('names the system error when every address of a host fails', async () => {
    const resolve: Resolve = async () => [local, { address: '127.0.0.2', family: 4 }];
    await expect(
      getPage('http://two.test:1/', { ...options, allow: new Set(['two.test:1']), resolve }),
    ).rejects.toThrow('could not be read: ECONNREFUSED');
  });

  it('ends with what `before` knows and with what it throws, at each hop', async () => {
    const { host, connections } = await start((_request, response) =>
      response.writeHead(302, { location: '/known' }).end(),
    );
    const before = async (url: URL): Promise<string | undefined> => {
      if (url.pathname === '/no') throw new Error('not that one');
      return url.pathname === '/known' ? 'from memory' : undefined;
    };
    expect(await getPage(`http://${host}/`, { ...options, allow: new Set([host]), before })).toBe('from memory');
    await expect(getPage(`http://${host}/no`, { ...options, allow: new Set([host]), before })).rejects.toThrow(
      'not that one',
    );
    expect(connections()).toBe(1);
  });
});
