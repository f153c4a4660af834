import { type ChildProcess, spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { callTool, entry, reference } from '../../../testing/mcp-server/connect.ts';
import { type HttpCall, type HttpMcpServer, startHttpMcpServer } from '../../../testing/mcp-server/http-server.ts';
import type { Tool } from '../../tool.ts';
import { type McpHttpOptions, mcp, memoryPins } from '../mcp.ts';

const cleanup: (() => Promise<unknown> | unknown)[] = [];

afterEach(async () => {
  for (const end of cleanup.splice(0).reverse()) await end();
});

async function serve(
  call: (call: HttpCall) => void,
  more: Partial<Parameters<typeof startHttpMcpServer>[0]> = {},
): Promise<HttpMcpServer> {
  const server = await startHttpMcpServer({ tools: [entry('go', { inputSchema: { type: 'object' } })], call, ...more });
  cleanup.push(() => server.close());
  return server;
}

async function connect(options: Partial<McpHttpOptions> & { url: string }): Promise<Tool[]> {
  const tools = await mcp({
    name: 'web',
    pins: memoryPins(),
    onEnrolment: () => undefined,
    onWarning: () => undefined,
    ...options,
  });
  cleanup.push(() => tools[0]?.close?.());
  return tools;
}

function hello({ answer }: HttpCall): void {
  answer({ content: [{ type: 'text', text: 'hello' }] });
}

function event(call: HttpCall, data: string, id?: string): void {
  call.response.write(`${id === undefined ? '' : `id: ${id}\n`}data: ${data}\n\n`);
}

function resultEvent({ message }: HttpCall, text: string): string {
  return JSON.stringify({ jsonrpc: '2.0', id: message.id, result: { content: [{ type: 'text', text }] } });
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address ? address.port : 0;
}

async function startEverything(port: number): Promise<ChildProcess> {
  const { command, args } = reference('everything', 'streamableHttp');
  const child = spawn(command, args, {
    env: { ...process.env, PORT: String(port) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  cleanup.push(() => child.kill('SIGKILL'));
  await new Promise<void>((resolve) =>
    child.stderr?.on('data', (text) => String(text).includes('listening') && resolve()),
  );
  return child;
}

describe('mcp over HTTP', () => {
  it('calls the everything server, and begins a new session when it was restarted', async () => {
    const port = await freePort();
    const first = await startEverything(port);
    const tools = await connect({ url: `http://127.0.0.1:${port}/mcp` });
    expect(await callTool(tools, 'web_echo', { message: '你好' })).toBe('Echo: 你好');
    const aborted = new AbortController();
    setTimeout(() => aborted.abort(new Error('enough')), 200);
    const long = callTool(tools, 'web_trigger-long-running-operation', { duration: 5, steps: 5 }, aborted.signal);
    await expect(long).rejects.toThrow('enough');
    const broken = callTool(tools, 'web_trigger-long-running-operation', { duration: 8, steps: 2 });
    const rejected = expect(broken).rejects.toThrow(/connection broke|could not be resumed|cannot be reached/);
    setTimeout(() => first.kill('SIGKILL'), 300);
    await rejected;
    await expect(callTool(tools, 'web_echo', { message: 'a' })).rejects.toThrow('cannot be reached');
    await startEverything(port);
    expect(await callTool(tools, 'web_echo', { message: 'again' })).toBe('Echo: again');
  }, 20_000);

  it('sends the headers of the user with every request, and ends its session', async () => {
    const server = await serve(hello);
    const tools = await connect({ url: server.url, headers: { authorization: 'Bearer t-1' } });
    expect(await callTool(tools, 'web_go')).toBe('hello');
    await tools[0]?.close?.();
    expect(server.requests.every(({ headers }) => headers.authorization === 'Bearer t-1')).toBe(true);
    expect(server.requests.at(-1)?.method).toBe('DELETE');
    await expect(callTool(tools, 'web_go')).rejects.toThrow('was closed');
  });

  it('follows no redirect to another host, and shows no credential there', async () => {
    const other = await serve(hello);
    const server = await serve(hello, {
      before: (request, response) => {
        if (request.method !== 'POST') return false;
        response.writeHead(307, { location: other.url }).end();
        return true;
      },
    });
    await expect(connect({ url: server.url, headers: { authorization: 'Bearer t-1' } })).rejects.toThrow(
      /Redirect to .* not followed/,
    );
    expect(other.requests).toEqual([]);
  });

  it('says what to do when credentials are refused', async () => {
    const server = await serve(hello, {
      before: (_request, response) => Boolean(response.writeHead(401).end('who are you?')),
    });
    await expect(connect({ url: server.url })).rejects.toThrow(/who are you\?; check the credentials in `headers`/);
  });

  it.each([
    ['http://mcp.example/mcp', 'use https, or allowInsecure'],
    ['http://127.0.0.1.evil.example/mcp', 'use https'],
    ['ftp://127.0.0.1/', 'no http or https URL'],
    ['https://user:word@mcp.example/', 'give credentials in `headers`'],
  ])('refuses %s', async (url, why) => {
    await expect(connect({ url })).rejects.toThrow(why);
  });
});

describe('a session that the server forgot', () => {
  it('is begun again once, and the call is made once', async () => {
    const calls: unknown[] = [];
    const server = await serve((call) => {
      calls.push(call.message.params?.arguments);
      hello(call);
    });
    const tools = await connect({ url: server.url });
    server.forget();
    expect(await callTool(tools, 'web_go', { n: 1 })).toBe('hello');
    expect(calls).toEqual([{ n: 1 }]);
    expect(server.requests.filter(({ message }) => message?.method === 'initialize')).toHaveLength(2);
  });

  it('is not begun again and again', async () => {
    const server = await serve((call) => call.response.writeHead(404).end('no such session'));
    const tools = await connect({ url: server.url });
    await expect(callTool(tools, 'web_go')).rejects.toThrow('no such session');
    expect(server.requests.filter(({ message }) => message?.method === 'initialize')).toHaveLength(2);
  });
});

describe('an event stream', () => {
  it('may carry the answer among other events, with bare NaN in it', async () => {
    const server = await serve((call) => {
      call.events();
      call.response.write(': a comment\nretry: 1\n\n');
      event(call, '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":0,"progress":1}}');
      event(call, 'no JSON at all');
      event(call, `{"jsonrpc":"2.0","id":${call.message.id},"result":{"structuredContent":{"mean":NaN}}}`);
      call.response.end();
    });
    expect(await callTool(await connect({ url: server.url }), 'web_go')).toEqual({ mean: 'NaN' });
  });

  it('that ends or breaks before the answer ends the call at once', async () => {
    let breaks = false;
    const server = await serve((call) => {
      call.events();
      event(call, '{"jsonrpc":"2.0","method":"notifications/message","params":{}}');
      setTimeout(() => (breaks ? call.response.destroy() : call.response.end()), 50);
    });
    const tools = await connect({ url: server.url });
    await expect(callTool(tools, 'web_go')).rejects.toThrow('the connection ended before the answer came');
    breaks = true;
    await expect(callTool(tools, 'web_go')).rejects.toThrow('the connection broke before the answer came');
  });

  it('is resumed where the server gave a place for it', async () => {
    let begun: HttpCall | undefined;
    const server = await serve(
      (call) => {
        begun = call;
        call.events();
        event(call, '', 'place-1');
        setTimeout(() => call.response.end(), 20);
      },
      {
        before: (request, response) => {
          if (request.headers['last-event-id'] !== 'place-1' || !begun) return false;
          response.writeHead(200, { 'content-type': 'text/event-stream' });
          response.end(`data: ${resultEvent(begun, 'the rest')}\n\n`);
          return true;
        },
      },
    );
    expect(await callTool(await connect({ url: server.url }), 'web_go')).toBe('the rest');
  });

  it('is closed when the call is given up, and the server is told', async () => {
    let closed = false;
    const server = await serve((call) => {
      call.events();
      event(call, '', 'place-1');
      call.response.on('close', () => {
        closed = true;
      });
    });
    const tools = await connect({ url: server.url, timeoutMs: 300 });
    await expect(callTool(tools, 'web_go')).rejects.toThrow('"web" did not answer tools/call within 300 ms');
    await expect.poll(() => closed).toBe(true);
    await expect
      .poll(() => server.requests.some(({ message }) => message?.method === 'notifications/cancelled'))
      .toBe(true);
    await new Promise((resolve) => setTimeout(resolve, 1_200));
    expect(server.requests.filter(({ headers }) => headers['last-event-id'] !== undefined)).toEqual([]);
  });

  it('and a plain answer are bounded', async () => {
    const part = 'x'.repeat(1024 * 1024);
    const server = await serve((call) => {
      const asEvents = call.message.params?.arguments?.['events'] === true;
      if (asEvents) call.events();
      else call.response.writeHead(200, { 'content-type': 'application/json' });
      call.response.write(asEvents ? 'data: "' : '"');
      const more = (): unknown => call.response.write(part, (error) => !error && !call.response.destroyed && more());
      more();
    });
    const tools = await connect({ url: server.url });
    await expect(callTool(tools, 'web_go', { events: true })).rejects.toThrow('more than 20971520 bytes: ask for less');
    await expect(callTool(tools, 'web_go', { events: false })).rejects.toThrow(
      'more than 20971520 bytes: ask for less',
    );
  });
});
