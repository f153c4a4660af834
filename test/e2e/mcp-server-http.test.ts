/** What holds for the MCP endpoint whatever its clients do: foreign pages, sessions, other people's runs, and the protocol's own suite. */
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type ServerType, serve } from '@hono/node-server';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Agent } from '../../src/agent.ts';
import {
  type McpContext,
  type McpHttpHandler,
  type McpHttpOptions,
  mcpHttpHandler,
} from '../../src/server/mcp/http.ts';
import { allRuns, type McpRuns } from '../../src/server/mcp/runs.ts';
import { mcpTestAgent } from './mcp-server-agent.ts';

/** On a machine that does much else. */
const patient = { timeout: 10_000 };

const endpoint = 'http://127.0.0.1:8000/mcp';
const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};

let folder = '';
let agent: Agent;
const handlers: McpHttpHandler[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'assay-mcp-'));
  agent = mcpTestAgent(folder);
});
afterEach(async () => {
  for (const handler of handlers.splice(0)) await handler.close();
  await agent.close();
  rmSync(folder, { recursive: true, force: true });
});

function handling(options: Partial<McpHttpOptions> = {}): McpHttpHandler {
  const handler = mcpHttpHandler({ agent, ...options });
  handlers.push(handler);
  return handler;
}

const message = (body: unknown, headers: Record<string, string> = {}): Request =>
  new Request(endpoint, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

async function begin(handler: McpHttpHandler, context?: McpContext): Promise<string> {
  const response = await handler(message(initialize), context);
  expect(response.status).toBe(200);
  await response.text();
  return response.headers.get('mcp-session-id') ?? '';
}

const inSession = (id: string, method: string, params: object = {}): Request =>
  message({ jsonrpc: '2.0', id: 2, method, params }, { 'mcp-session-id': id });

/** The text of a tool's result out of the response's one event. */
async function said(response: Response): Promise<string> {
  const data = /^data: (.*)$/m.exec(await response.text())?.[1] ?? '{}';
  return JSON.parse(data).result.content[0].text;
}

describe('a request from elsewhere', () => {
  it.each([
    ['another host', { host: 'evil.test' }, {}, 403],
    ['a host that only begins like this machine', { host: 'localhost.evil.test' }, {}, 403],
    ['a page of another site', { host: '127.0.0.1:8000', origin: 'https://evil.test' }, {}, 403],
    ['a page without an origin of its own', { host: '127.0.0.1:8000', origin: 'null' }, {}, 403],
    ['a page on this machine', { host: 'localhost:8000', origin: 'http://localhost:3000' }, {}, 200],
    ['a host that was named', { host: 'agent.example' }, { allowedHosts: ['agent.example'] }, 200],
    [
      'an origin that was named',
      { host: '[::1]:8000', origin: 'https://app.example' },
      { allowedOrigins: ['https://app.example'] },
      200,
    ],
  ])('under %s', async (_, headers, options, status) => {
    const response = await handling(options)(message(initialize, headers));
    expect(response.status).toBe(status);
    await response.text();
  });

  it.each([
    ['no JSON', message('{"jsonrpc":'), 400],
    ['too much', message({ ...initialize, padding: 'x'.repeat(3_000) }), 413],
    ['a call without a session', message({ jsonrpc: '2.0', id: 1, method: 'tools/list' }), 400],
    ['an unknown session', message(initialize, { 'mcp-session-id': 'made-up' }), 404],
    ['no session on a stream', new Request(endpoint, { headers: { accept: 'text/event-stream' } }), 400],
    ['another method', new Request(endpoint, { method: 'PUT', body: '{}' }), 400],
  ])('with %s is refused and leaves nothing behind', async (_, request, status) => {
    const handler = handling({ maxBodyBytes: 2_000, maxSessions: 1 });
    const id = await begin(handler);
    const response = await handler(request);
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ jsonrpc: '2.0', error: { message: expect.any(String) } });
    if (!request.headers.has('mcp-session-id')) return;
    expect((await handler(inSession(id, 'tools/list'))).status).toBe(200);
  });
});

describe('sessions', () => {
  it('end when their client says so, and are unknown then', async () => {
    const handler = handling();
    const id = await begin(handler);
    const over = await handler(new Request(endpoint, { method: 'DELETE', headers: { 'mcp-session-id': id } }));
    expect(over.status).toBe(200);
    expect((await handler(inSession(id, 'tools/list'))).status).toBe(404);
  });

  it('cancel nothing by ending: the run goes on', async () => {
    const handler = handling();
    const id = await begin(handler);
    await handler(inSession(id, 'tools/call', { name: 'solve', arguments: { task: 'Wait.' } }));
    await expect.poll(async () => (await agent.host.list()).length, patient).toBe(1);
    await handler(new Request(endpoint, { method: 'DELETE', headers: { 'mcp-session-id': id } }));
    // Time enough for a cancellation to be carried out, however busy the machine is.
    for (let run = 0; run < 3; run++) await agent.run('Count.');
    expect((await agent.host.list()).map((run) => run.state).at(-1)).toBe('running');
  });

  it('are bounded: the one that was silent for longest goes, one with a call at work does not', async () => {
    const handler = handling({ maxSessions: 2 });
    const busy = await begin(handler);
    const working = await handler(inSession(busy, 'tools/call', { name: 'solve', arguments: { task: 'Wait.' } }));
    await expect.poll(async () => (await agent.host.list()).length, patient).toBe(1);
    const silent = await begin(handler);
    const third = await begin(handler);
    expect((await handler(inSession(silent, 'ping'))).status).toBe(404);
    expect((await handler(inSession(third, 'ping'))).status).toBe(200);
    expect((await handler(inSession(busy, 'ping'))).status).toBe(200);
    await working.body?.cancel();
  });

  it('are refused with a time to wait when every one has a call at work', async () => {
    const handler = handling({ maxSessions: 1 });
    const id = await begin(handler);
    const working = await handler(inSession(id, 'tools/call', { name: 'solve', arguments: { task: 'Wait.' } }));
    await expect.poll(async () => (await agent.host.list()).length, patient).toBe(1);
    const refused = await handler(message(initialize));
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '30']);
    await working.body?.cancel();
  });

  it('end after a time of silence', async () => {
    const handler = handling({ idleMs: 20 });
    const id = await begin(handler);
    await new Promise((resolve) => setTimeout(resolve, 40));
    expect((await handler(inSession(id, 'ping'))).status).toBe(404);
  });

  it('answer to nobody but whoever began them', async () => {
    const handler = handling();
    const id = await begin(handler, { owner: 'ann' });
    expect((await handler(inSession(id, 'ping'), { owner: 'bob' })).status).toBe(404);
    expect((await handler(inSession(id, 'ping'))).status).toBe(404);
    expect((await handler(inSession(id, 'ping'), { owner: 'ann' })).status).toBe(200);
  });

  it('reach the runs they were given, and what is another one is as if it were not there', async () => {
    const handler = handling();
    const all = allRuns(agent);
    const none: McpRuns = { ...all, info: () => Promise.resolve(undefined) };
    const { runId } = await agent.run('Pay 5.');
    const approve = async (context: McpContext): Promise<string> => {
      const id = await begin(handler, context);
      const args = { name: 'approve', arguments: { run_id: runId } };
      return said(await handler(inSession(id, 'tools/call', args), context));
    };
    expect(await approve({ runs: all })).toContain('pay {"sum":5}');
    expect(await approve({ runs: none })).toContain(`There is no run '${runId}'`);
  });
});

describe('errors inside', () => {
  it('reach who runs the server and not the client', async () => {
    const errors: unknown[] = [];
    const broken: McpRuns = {
      ...allRuns(agent),
      info: () => Promise.reject(new Error('connect ECONNREFUSED secret.internal')),
    };
    const handler = handling({ runs: broken, onError: (error) => errors.push(error) });
    const id = await begin(handler);
    const args = { name: 'resume', arguments: { run_id: 'x' } };
    const text = await said(await handler(inSession(id, 'tools/call', args)));
    expect(text).not.toContain('secret');
    expect(String(errors[0])).toContain('secret.internal');
  });
});

/** What an agent's server has; the others ask for resources, prompts, sampling, or tools made for the suite. */
const scenarios = [
  'server-initialize',
  'ping',
  'tools-list',
  'server-sse-multiple-streams',
  'dns-rebinding-protection',
];
const suite =
  process.env['MCP_CONFORMANCE'] ??
  fileURLToPath(new URL('../../node_modules/@modelcontextprotocol/conformance/dist/index.js', import.meta.url));
const hasSuite = existsSync(suite);
if (!hasSuite) console.log(`skipped: MCP conformance, since ${suite} is not there (npm install installs it)`);

describe.skipIf(!hasSuite)('the conformance suite of the protocol', () => {
  it.each(scenarios)('%s', async (scenario) => {
    const handler = handling();
    const fetch = (request: Request): Promise<Response> => handler(request);
    const server = await new Promise<ServerType>((resolve) => {
      const listening = serve({ fetch, port: 0, hostname: '127.0.0.1' }, () => resolve(listening));
    });
    try {
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
      const args = [suite, 'server', '--url', url, '--scenario', scenario];
      // Rejects when a check failed, with what the suite says about it.
      const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 15_000, cwd: folder });
      expect(stdout).toMatch(/Passed: ([1-9]\d*)\/\1, 0 failed/);
    } finally {
      await new Promise((resolve) => {
        server.close(resolve);
        if ('closeAllConnections' in server) server.closeAllConnections();
      });
    }
  });
});
