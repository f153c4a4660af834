/** The official MCP client against the agent as a server: on stdio in a process of its own, and on streamable HTTP. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ServerType, serve } from '@hono/node-server';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import {
  type CallToolResult,
  type ElicitRequest,
  ElicitRequestSchema,
  type ElicitResult,
} from '@modelcontextprotocol/sdk/types.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { mcpHttpHandler } from '../../src/server/mcp/http.ts';
import type { RunReport } from '../../src/server/mcp/run-report.ts';
import { mcpTestAgent } from './mcp-server-agent.ts';

/** On a machine that does much else. */
const patient = { timeout: 10_000 };

const worker = fileURLToPath(new URL('./mcp-server-worker.ts', import.meta.url));

let folder = '';
const closing: (() => Promise<unknown>)[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'assay-mcp-'));
});
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
  rmSync(folder, { recursive: true, force: true });
});

interface Connected {
  client: Client;
  /** Ends the server as a crash or a restart does. */
  end(): Promise<void>;
  /** What it wrote to standard error so far. */
  noise(): string;
}

type Elicit = (request: ElicitRequest) => ElicitResult | Promise<ElicitResult>;

async function clientOn(transport: Transport, elicit: Elicit | undefined): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, { capabilities: elicit ? { elicitation: {} } : {} });
  if (elicit) client.setRequestHandler(ElicitRequestSchema, elicit);
  await client.connect(transport);
  closing.push(() => client.close());
  return client;
}

async function onStdio(elicit?: Elicit): Promise<Connected> {
  const args = ['--no-warnings', worker, folder];
  const transport = new StdioClientTransport({ command: process.execPath, args, stderr: 'pipe' });
  let noise = '';
  transport.stderr?.on('data', (chunk: Buffer) => {
    noise += chunk.toString();
  });
  const client = await clientOn(transport, elicit);
  return {
    client,
    noise: () => noise,
    end: async () => {
      process.kill(transport.pid!, 'SIGKILL');
      await expect.poll(() => transport.pid, patient).toBeNull();
    },
  };
}

async function onHttp(elicit?: Elicit): Promise<Connected> {
  const agent = mcpTestAgent(folder);
  const handler = mcpHttpHandler({ agent });
  const server = await new Promise<ServerType>((resolve) => {
    const fetch = (request: Request): Promise<Response> => handler(request);
    const listening = serve({ fetch, port: 0, hostname: '127.0.0.1' }, () => resolve(listening));
  });
  let isUp = true;
  const end = async (): Promise<void> => {
    if (!isUp) return;
    isUp = false;
    // The agent first: what is live stops where it stands, as in a crash.
    await agent.close();
    await handler.close();
    await new Promise((resolve) => {
      server.close(resolve);
      if ('closeAllConnections' in server) server.closeAllConnections();
    });
  };
  closing.push(end);
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`);
  return { client: await clientOn(new StreamableHTTPClientTransport(url), elicit), end, noise: () => '' };
}

interface Called {
  result: CallToolResult;
  report: RunReport;
  text: string;
}

async function call(client: Client, name: string, args: Record<string, unknown>, options = {}): Promise<Called> {
  const result = (await client.callTool({ name, arguments: args }, undefined, options)) as CallToolResult;
  const text = result.content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
  return { result, report: result.structuredContent as RunReport, text };
}

const paid = (): string[] =>
  existsSync(`${folder}/paid.txt`) ? readFileSync(`${folder}/paid.txt`, 'utf8').trim().split('\n') : [];
const approving =
  (asked: string[] = []): Elicit =>
  ({ params }) => {
    asked.push(params.message);
    return { action: 'accept', content: { decision: 'approve' } };
  };

describe.each([
  ['stdio', onStdio],
  ['streamable HTTP', onHttp],
])('the agent on %s', (_, connect) => {
  it('solves a task, with its evidence as data and the words for people', async () => {
    const { client } = await connect();
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['solve', 'resume', 'approve']);
    const { report, text, result } = await call(client, 'solve', { task: 'What does a mug cost?' });
    expect(report).toMatchObject({
      status: 'needs_more_evidence',
      answer: 'A mug costs 12.50 EUR.',
      claims: [{ supported: true, evidence: [{ observation: 'obs-1', tool: 'price', quote: 'mug: 12.50 EUR' }] }],
      waiting: [],
    });
    expect(text).toContain(`run_id: ${report.run_id}`);
    expect(result.isError).toBeUndefined();
  });

  it('keeps to a schema, and refuses one that cannot be used', async () => {
    const { client } = await connect();
    const schema = { type: 'object', required: ['count'] };
    expect((await call(client, 'solve', { task: 'Count.', schema })).report.answer).toBe('{"count":3}');
    const wrong = await call(client, 'solve', { task: 'Count.', schema: { $ref: '#/nowhere' } });
    expect(wrong.result.isError).toBe(true);
    expect(wrong.text).toContain('nowhere');
  });

  it('tells its progress in numbers that rise', async () => {
    const { client } = await connect();
    const told: { progress: number; message?: string }[] = [];
    const onprogress = (progress: { progress: number; message?: string }): void => void told.push(progress);
    await call(client, 'solve', { task: 'What does a mug cost?' }, { onprogress });
    expect(told.map(({ message }) => message).join('\n')).toMatch(/price.*mug/);
    expect(told.map(({ progress }) => progress)).toEqual(told.map((__, index) => index + 1));
  });

  it('cancels the run when the client cancels the call', async () => {
    const { client, end } = await connect();
    const controller = new AbortController();
    const started = new Promise<void>((resolve) => {
      const options = { signal: controller.signal, onprogress: () => resolve() };
      call(client, 'solve', { task: 'Wait.' }, options).catch(() => {});
    });
    await started;
    controller.abort('no longer wanted');
    // Its own process has the file open, too; a second host only reads.
    const agent = mcpTestAgent(folder);
    closing.push(() => agent.close());
    await expect.poll(async () => (await agent.host.list()).map((run) => run.state), patient).toEqual(['cancelled']);
    await end();
  });

  it('cancels the run also while its user is asked', async () => {
    const controller = new AbortController();
    const { client, end } = await connect(async () => {
      controller.abort('no longer wanted');
      return { action: 'cancel' };
    });
    await expect(call(client, 'solve', { task: 'Pay 5.' }, { signal: controller.signal })).rejects.toThrow();
    const agent = mcpTestAgent(folder);
    closing.push(() => agent.close());
    await expect.poll(async () => (await agent.host.list()).map((run) => run.state), patient).toEqual(['cancelled']);
    await end();
  });

  it('asks its user about each call where the client can, and goes on', async () => {
    const asked: string[] = [];
    const { client } = await connect(approving(asked));
    const { report } = await call(client, 'solve', { task: 'Pay 5 and 6.' });
    expect(report).toMatchObject({ answer: 'The payments are done.', waiting: [] });
    expect(asked).toEqual([expect.stringContaining('pay {"sum":5}'), expect.stringContaining('pay {"sum":6}')]);
    expect(paid()).toEqual(['5', '6']);
  });

  it('takes a refusal of the user as a no, and a closed window as no word', async () => {
    const declining = await connect(() => ({ action: 'decline', content: { decision: 'approve' } }));
    const declined = await call(declining.client, 'solve', { task: 'Pay 5.' });
    expect(declined.report.answer).toBe('The payments are done.');
    const denying = await connect(() => ({ action: 'accept', content: { decision: 'deny', reason: 'too dear' } }));
    expect((await call(denying.client, 'solve', { task: 'Pay 5.' })).report.answer).toBe('The payments are done.');
    const leaving = await connect(() => ({ action: 'cancel' }));
    const { report } = await call(leaving.client, 'solve', { task: 'Pay 5.' });
    expect(report).toMatchObject({ status: 'awaiting_approval', waiting: [{ tool: 'pay', arguments: '{"sum":5}' }] });
    expect(paid()).toEqual([]);
  });

  it('says what waits and how where the client cannot ask; a decision after a restart is carried out once', async () => {
    const first = await connect();
    const { report, text } = await call(first.client, 'solve', { task: 'Pay 5.' });
    expect(report).toMatchObject({ status: 'awaiting_approval', waiting: [{ tool: 'pay', arguments: '{"sum":5}' }] });
    expect(text).toContain('approve');
    const { run_id } = report;
    await first.end();
    const second = await connect();
    const listed = await call(second.client, 'approve', { run_id });
    expect(listed.report.waiting).toEqual(report.waiting);
    const [waiting] = report.waiting;
    const decided = await call(second.client, 'approve', { run_id, call: waiting!.call, decision: 'approve' });
    expect(decided.report).toMatchObject({ status: 'running', waiting: [] });
    expect((await call(second.client, 'resume', { run_id })).report.answer).toBe('The payments are done.');
    await second.end();
    const third = await connect();
    expect((await call(third.client, 'resume', { run_id })).report.answer).toBe('The payments are done.');
    expect((await call(third.client, 'approve', { run_id })).report).toMatchObject({
      waiting: [],
      status: 'needs_more_evidence',
    });
    expect(paid()).toEqual(['5']);
  });

  it('lets no model approve where its user can be asked', async () => {
    const asked: string[] = [];
    const word: { action: ElicitResult['action'] } = { action: 'cancel' };
    const { client } = await connect(({ params }) => {
      asked.push(params.message);
      return { action: word.action };
    });
    const { report } = await call(client, 'solve', { task: 'Pay 5.' });
    const args = { run_id: report.run_id, decision: 'approve' };
    expect((await call(client, 'approve', args)).report.status).toBe('awaiting_approval');
    word.action = 'decline';
    expect((await call(client, 'approve', args)).text).toContain('denied');
    expect(asked).toHaveLength(3);
    expect((await call(client, 'resume', { run_id: report.run_id })).report.answer).toBe('The payments are done.');
    expect(paid()).toEqual([]);
  });

  it('goes on with a run whose server died in the middle of it', async () => {
    const first = await connect();
    const started = new Promise<void>((resolve) => {
      call(first.client, 'solve', { task: 'Wait.' }, { onprogress: () => resolve() }).catch(() => {});
    });
    await started;
    await first.end();
    const agent = mcpTestAgent(folder);
    const [run] = await agent.host.list();
    await agent.close();
    expect(run?.state).toBe('running');
    const second = await connect();
    const controller = new AbortController();
    const resumed = new Promise<void>((resolve, reject) => {
      const options = { signal: controller.signal, onprogress: () => resolve() };
      // The model waits again: that it is asked again is what resuming is.
      call(second.client, 'resume', { run_id: run!.id }, options).then(reject, () => {});
    });
    await resumed;
    controller.abort();
  });

  it('answers a wrong call in words', async () => {
    const { client } = await connect();
    const unknown = await call(client, 'resume', { run_id: 'nowhere' });
    expect([unknown.result.isError, unknown.text]).toEqual([
      true,
      expect.stringContaining("There is no run 'nowhere'"),
    ]);
    const failed = await call(client, 'solve', { task: 'Fail.' });
    expect(failed.result.isError).toBe(true);
    expect(failed.report.status).toBe('failed');
    const { report } = await call(client, 'solve', { task: 'Pay 5.' });
    const wrong = await call(client, 'approve', { run_id: report.run_id, call: 'another', decision: 'approve' });
    expect(wrong.text).toContain(report.waiting[0]!.call);
  });
});

describe('the agent on stdio alone', () => {
  it('writes nothing but messages to standard output, whatever its tools print', async () => {
    const { client, noise } = await onStdio();
    const errors: Error[] = [];
    client.onerror = (error) => errors.push(error);
    const nonsense: unknown[] = [];
    client.fallbackNotificationHandler = async (notification) => void nonsense.push(notification);
    await call(client, 'solve', { task: 'What does a mug cost?' });
    expect([errors, nonsense]).toEqual([[], []]);
    expect(noise()).toContain('looking up mug');
  });

  it('ends by itself when the client hangs up, and leaves what is live to be resumed', async () => {
    const { client, noise } = await onStdio();
    const started = new Promise<void>((resolve) => {
      call(client, 'solve', { task: 'Wait.' }, { onprogress: () => resolve() }).catch(() => {});
    });
    await started;
    await client.close();
    expect(noise()).toContain('hung up');
    const agent = mcpTestAgent(folder);
    closing.push(() => agent.close());
    expect((await agent.host.list()).map((run) => run.state)).toEqual(['running']);
  });
});
