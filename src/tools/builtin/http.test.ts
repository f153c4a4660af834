import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { UsageError } from '../../core/errors.ts';
import type { StepContext } from '../../core/step.ts';
import { allowedPlaces, allowedUrl } from './http/allow-list.ts';
import { sendRequest } from './http/request.ts';
import { type HttpOptions, http } from './http.ts';

const open: Server[] = [];

afterEach(async () => {
  for (const server of open.splice(0)) {
    server.closeAllConnections();
    await new Promise((settle) => server.close(settle));
  }
});

interface Started {
  url: string;
  requests: IncomingMessage[];
}

async function start(listener: RequestListener): Promise<Started> {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    listener(request, response);
  });
  open.push(server);
  await new Promise<void>((settle) => server.listen(0, '127.0.0.1', settle));
  // A TCP server has an AddressInfo.
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

const json = { 'content-type': 'application/json' };
const token = 'Bearer tok/3n-of-ours';

function context(signal = new AbortController().signal): StepContext {
  return { idempotencyKey: 'key-17', attempt: 1, signal };
}

async function call(name: string, args: object, options: HttpOptions): Promise<string> {
  const found = http(options).find((tool) => tool.name === name);
  return String(await found!.run(found!.input.parse(args), context()));
}

const get = (url: string, options: HttpOptions): Promise<string> => call('httpGet', { url }, options);
const local = (server: Started, more = {}): HttpOptions['allow'][number] => ({
  url: server.url,
  private: true,
  ...more,
});

describe('httpGet', () => {
  it('returns status, telling headers and body, and sends the headers of the user', async () => {
    const server = await start((_request, response) =>
      response.writeHead(200, { ...json, etag: '"7"', 'set-cookie': 'session=1', server: 'x' }).end('{"stock": 4}'),
    );
    const answer = await get(`${server.url}/items?id=1#part`, {
      allow: [local(server, { headers: { Authorization: token } })],
    });
    expect(answer).toBe('200 OK\ncontent-type: application/json\netag: "7"\n\n{"stock": 4}');
    expect(server.requests[0]!.url).toBe('/items?id=1');
    expect(server.requests[0]!.headers).toMatchObject({
      authorization: token,
      accept: expect.stringContaining('json'),
    });
  });

  it('shows no secret header that a server sends back, also not in an error', async () => {
    const server = await start((request, response) => {
      const echo = { all: token, bare: 'tok/3n-of-ours', pair: 'anna:pass-word' };
      response
        .writeHead(request.url === '/bad' ? 400 : 200, { ...json, link: `<${token}>` })
        .end(`${JSON.stringify(echo)} tok\\/3n-of-ours`);
    });
    const basic = `Basic ${Buffer.from('anna:pass-word').toString('base64')}`;
    const options = { allow: [local(server, { headers: { authorization: token, 'x-proxy': basic } })] };
    const failure = await get(`${server.url}/bad`, options).catch(String);
    for (const shown of [await get(server.url, options), failure]) {
      expect(shown).toContain('[secret]');
      expect(shown).not.toMatch(/3n-of-ours|pass-word|YW5uY/);
    }
  });

  it('lets the model set no header that is a credential or changes what the request is', () => {
    const { input } = http({ allow: ['https://api.example.com'] })[0]!;
    const accepts = (headers: object): boolean => input.safeParse({ url: 'https://api.example.com/', headers }).success;
    expect(accepts({ accept: 'text/csv', 'if-none-match': '"7"' })).toBe(true);
    for (const name of [
      'authorization',
      'cookie',
      'host',
      'connection',
      'transfer-encoding',
      'x-http-method-override',
    ]) {
      expect(accepts({ [name]: 'x' }), name).toBe(false);
    }
  });

  it('turns any other status into an error with the body and a remedy', async () => {
    const server = await start((request, response) => {
      const [, status, after] = request.url!.split('/');
      response
        .writeHead(Number(status), { ...json, ...(after && { 'retry-after': after }) })
        .end(`{"why": "${'x'.repeat(9_000)}"}`);
    });
    const options = { allow: [local(server)] };
    const missing = String(await get(`${server.url}/404`, options).catch(String));
    expect(missing).toContain(
      'there is nothing at this address\n404 Not Found\ncontent-type: application/json\n\n{"why"',
    );
    expect(missing.length).toBeLessThan(5_000);
    await expect(get(`${server.url}/429/30`, options)).rejects.toThrow('try again after 30 seconds');
    await expect(get(`${server.url}/503`, options)).rejects.toThrow('which may pass');
    expect(await call('httpGet', { url: `${server.url}/304`, headers: { 'if-none-match': '"7"' } }, options)).toContain(
      '304',
    );
  });

  it('reads a long body up to its limit, counted after decompression, and names what is no text', async () => {
    const server = await start((request, response) => {
      if (request.url === '/image') return response.writeHead(200, { 'content-type': 'image/png' }).end('1234');
      const bomb = gzipSync(Buffer.alloc(50 * 1024 * 1024, 'a'), { level: 1 });
      return response.writeHead(200, { ...json, 'content-encoding': 'gzip' }).end(bomb);
    });
    const options = { allow: [local(server)], maxBytes: 1_000 };
    expect(await get(server.url, options)).toMatch(/\n\na{1000}\n\n\[Truncated after 1000 bytes/);
    expect(await get(`${server.url}/image`, options)).toContain('[a body of 4 bytes that is no text]');
  });

  it('stops at the time limit, and at once when the run is aborted', async () => {
    const server = await start((_request, response) => {
      const timer = setInterval(() => response.write(' '), 10);
      response.on('close', () => clearInterval(timer));
    });
    await expect(get(server.url, { allow: [local(server)], timeoutMs: 150 })).rejects.toThrow('within 150 ms');
    const controller = new AbortController();
    const running = http({ allow: [local(server)] })[0]!.run(
      { url: server.url, method: 'GET', headers: {} },
      context(controller.signal),
    );
    setTimeout(() => controller.abort(new Error('enough')), 50);
    await expect(running).rejects.toThrow('enough');
  });
});

describe('redirects', () => {
  const to =
    (place: () => string): RequestListener =>
    (request, response) =>
      request.url!.startsWith('/old')
        ? response.writeHead(302, { location: place() }).end()
        : response.writeHead(200, json).end('{}');

  it('keep the secret headers on one origin, and drop them for another that is allowed', async () => {
    const second = await start((_request, response) => response.writeHead(200, json).end('{}'));
    const first = await start((request, response) => {
      const places: Record<string, string> = {
        '/old': '/new',
        '/away': `${second.url}/x`,
        '/back': `${second.url}/back`,
      };
      const location = places[request.url!];
      response.writeHead(location ? 307 : 200, { ...json, ...(location && { location }) }).end('{}');
    });
    const headers = { authorization: token };
    const options = { allow: [local(first, { headers }), local(second, { headers: { 'x-key': 'second-secret' } })] };
    await get(`${first.url}/old`, options);
    expect(first.requests.map(({ url, headers: sent }) => [url, sent.authorization])).toEqual([
      ['/old', token],
      ['/new', token],
    ]);
    await get(`${first.url}/away`, options);
    expect(second.requests[0]!.url).toBe('/x');
    expect(second.requests[0]!.headers).not.toHaveProperty('authorization');
    expect(second.requests[0]!.headers).not.toHaveProperty('x-key');
  });

  it('are followed to no place outside the allow list', async () => {
    const outside = await start((_request, response) => response.end('secret'));
    for (const location of [
      () => `${outside.url}/x`,
      () => '/other/x',
      () => '/v1/../other',
      () => 'file:///etc/hosts',
      () => '//127.0.0.1:1/',
    ]) {
      const server = await start(to(location));
      const options = { allow: [{ url: `${server.url}/old`, private: true }] };
      await expect(get(`${server.url}/old`, options), location()).rejects.toThrow(/not allowed|no http/);
      expect(server.requests).toHaveLength(1);
    }
    expect(outside.requests).toHaveLength(0);
  });

  it('end after five', async () => {
    const server = await start(to(() => '/old'));
    await expect(get(`${server.url}/old`, { allow: [local(server)] })).rejects.toThrow('more than 5 times');
    expect(server.requests).toHaveLength(6);
  });

  it('are not followed by a request with an effect', async () => {
    const server = await start(to(() => '/new'));
    const sent = call('httpSend', { url: `${server.url}/old`, method: 'POST', body: 1 }, { allow: [local(server)] });
    await expect(sent).rejects.toThrow(/only GET and HEAD follow redirects[\s\S]*location: \/new/);
    expect(server.requests).toHaveLength(1);
  });
});

describe('httpSend', () => {
  it('sends a JSON body with the idempotency key of the call', async () => {
    let body = '';
    const server = await start(async (request, response) => {
      body = await text(request);
      response.writeHead(201, { ...json, location: '/items/9' }).end('{"id":9}');
    });
    const args = { url: `${server.url}/items`, method: 'POST', body: { name: 'Øl', count: 2 } };
    expect(await call('httpSend', args, { allow: [local(server)] })).toContain(
      '201 Created\ncontent-type: application/json\nlocation: /items/9',
    );
    expect(JSON.parse(body)).toEqual(args.body);
    expect(server.requests[0]!.headers).toMatchObject({
      'content-type': 'application/json',
      'idempotency-key': 'key-17',
    });
    await call('httpSend', { url: server.url, method: 'DELETE' }, { allow: [local(server)] });
    expect(server.requests[1]!.headers).toMatchObject({ 'content-length': '0' });
    expect(server.requests[1]!.headers).not.toHaveProperty('content-type');
  });

  it('has the effect that each method was given, and offers none that was taken away', () => {
    const tools = http({ allow: ['https://api.example.com'], methods: { DELETE: 'irreversible', PATCH: false } });
    expect(tools.map(({ name, effect }) => [name, effect])).toEqual([
      ['httpGet', 'read'],
      ['httpSend', 'write'],
      ['httpSendIrreversible', 'irreversible'],
    ]);
    const accepts = (tool: number, method: string): boolean =>
      tools[tool]!.input.safeParse({ url: 'https://api.example.com/', method }).success;
    expect(['POST', 'PUT', 'PATCH', 'DELETE', 'GET'].map((method) => accepts(1, method))).toEqual([
      true,
      true,
      false,
      false,
      false,
    ]);
    expect(accepts(2, 'DELETE')).toBe(true);
  });
});

describe('the allow list', () => {
  const places = allowedPlaces(['https://api.example.com/v1/', 'https://bücher.example']);

  it('takes what lies below an entry, in whatever spelling', () => {
    const good = [
      'https://api.example.com/v1',
      'HTTPS://API.example.com:443/v1/a?b=//c/../d',
      'https://api.example.com/x/../v1/a',
      'https://xn--bcher-kva.example/%2Ftmp',
      'https://api.example.com/v1/group%2Fproject',
    ];
    for (const url of good) expect(allowedUrl(url, places).place, url).toBeDefined();
  });

  it('refuses look-alikes and ways out of the path', () => {
    const bad = [
      'http://api.example.com/v1/a',
      'https://api.example.com:8443/v1/a',
      'https://api.example.com/v10',
      'https://api.example.com/V1/a',
      'https://api.example.com.evil.example/v1/a',
      'https://api.example.com@evil.example/v1/a',
      'https://user:pw@api.example.com/v1/a',
      'https://evil.example/https://api.example.com/v1/',
      'https://evil.example#@api.example.com/v1/',
      'https://evil.example\\@api.example.com/v1/',
      'https://api.example.com./v1/a',
      'https://api。example。com.evil.example/v1/',
      'https://аpi.example.com/v1/a',
      'https://api.example.com/v1/../admin',
      'https://api.example.com/v1/%2e%2e/admin',
      'https://api.example.com/v1/..%2fadmin',
      'https://api.example.com/v1/%252e%252e%252fadmin',
      'https://api.example.com/v1/..\\admin',
      'https://api.example.com/v1/..%5cadmin',
      'https://api.example.com/v1/..;/admin',
      'https://api.example.com/v1/..%3bx/admin',
      'https://api.example.com/v1//admin',
      'https://api.example.com//v1/a',
      'https://api.example.com/v1/a%00',
      'file:///v1/a',
      'javascript:alert(1)',
      '/v1/a',
      '',
    ];
    for (const url of bad) expect(() => allowedUrl(url, places), url).toThrow(/allowed|URL/);
  });

  it('refuses private addresses unless the entry says so, also when a name turns into one', async () => {
    const server = await start((_request, response) => response.end('secret'));
    const { port } = new URL(server.url);
    expect(() => http({ allow: [server.url] })).toThrow('private: true');
    for (const url of [
      'http://localhost',
      'http://0x7f.1',
      'http://[::1]',
      'http://169.254.169.254',
      'http://[::ffff:10.0.0.1]',
    ]) {
      expect(() => allowedPlaces([url]), url).toThrow('private: true');
    }
    const request = { method: 'GET', url: `http://rebind.example:${port}/`, headers: {} } as const;
    const options = { timeoutMs: 2_000, maxBytes: 100 };
    for (const addresses of [['127.0.0.1'], ['93.184.216.34', '127.0.0.1']]) {
      const resolve = async () => addresses.map((address) => ({ address, family: 4 }));
      const sent = sendRequest(
        request,
        { ...options, places: allowedPlaces([`http://rebind.example:${port}`]), resolve },
        context().signal,
      );
      await expect(sent).rejects.toThrow('not an address of the public internet');
    }
    expect(server.requests).toHaveLength(0);
    const resolve = async () => [{ address: '127.0.0.1', family: 4 }];
    const meant = allowedPlaces([{ url: `http://rebind.example:${port}`, private: true }]);
    expect((await sendRequest(request, { ...options, places: meant, resolve }, context().signal)).status).toBe(200);
  });

  it('refuses entries that cannot be meant, without showing what may be secret', () => {
    for (const url of [
      'api.example.com',
      'ftp://x.example',
      'https://u:geheim@x.example',
      'https://x.example/?key=geheim',
      'https://x.example/a//b',
    ]) {
      expect(() => allowedPlaces([url]), url).toThrow(/^(?!.*geheim)allow: /);
    }
    expect(() => allowedPlaces([])).toThrow(UsageError);
    expect(() => allowedPlaces([{ url: 'https://x.example', headers: { authorization: 'geheim\nx: y' } }])).toThrow(
      /^(?!.*geheim)allow: /,
    );
  });

  it('tells rules the host', () => {
    const { touches } = http({ allow: ['https://api.example.com'] })[0]!;
    expect(touches!({ url: 'https://API.Example.com:8443/x' })).toEqual({ hosts: ['api.example.com'] });
    expect(touches!({ url: 'none' })).toEqual({});
  });
});
