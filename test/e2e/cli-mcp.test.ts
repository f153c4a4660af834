/** `assay mcp` as a process of its own, with the official client. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { freePorts, noRestate, startRestate } from '../../src/testing/restate-server.ts';
import { Desk, fieldOf, noteConfig, noteScript, sumScript } from './cli-process.ts';

const entry = fileURLToPath(new URL('../../bin/assay.js', import.meta.url));

let desk: Desk;
const closing: (() => Promise<unknown>)[] = [];

beforeEach(() => {
  desk = new Desk();
  desk.write('sum.json', sumScript());
});

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
  desk.remove();
});

const quick = ['--model', 'script:sum.json', '--layers', 'none'];

async function connected(args: readonly string[], env: Record<string, string> = {}): Promise<Client> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [entry, 'mcp', ...args],
    cwd: desk.folder,
    env: { PATH: process.env['PATH'] ?? '', HOME: desk.folder, ASSAY_TEST: '1', ...env },
    stderr: 'ignore',
  });
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(transport);
  closing.push(() => client.close());
  return client;
}

test('a client finds the tools and has a task solved, which is a run like any other', async () => {
  const client = await connected(quick);
  expect(client.getServerVersion()).toMatchObject({ name: 'assay', version: expect.stringMatching(/^\d+\.\d+\.\d+/) });
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name).sort()).toEqual(['approve', 'resume', 'solve']);
  const solved = await client.callTool({ name: 'solve', arguments: { task: 'six times seven' } });
  expect(solved.structuredContent).toMatchObject({ answer: 'It is 42.' });
  const runId = Reflect.get(Object(solved.structuredContent), 'run_id');
  expect(fieldOf((await desk.json(['runs'])).value, 'id')).toEqual([runId]);
});

test('an effect waits for a word, which may come from the command line', async () => {
  desk.write('assay.config.ts', noteConfig);
  desk.write('notes.json', noteScript);
  const client = await connected([]);
  const waiting = await client.callTool({ name: 'solve', arguments: { task: 'note two things' } });
  expect(waiting.structuredContent).toMatchObject({ status: 'awaiting_approval', waiting: [{}, {}] });
  const run_id = Reflect.get(Object(waiting.structuredContent), 'run_id');
  expect(await desk.assay(['approve', String(run_id), '--all', '--no-resume'])).toMatchObject({ code: 0 });
  const done = await client.callTool({ name: 'resume', arguments: { run_id } });
  expect(done.structuredContent).toMatchObject({ status: 'completed', answer: 'Noted.' });
  expect(readFileSync(join(desk.folder, 'notes.txt'), 'utf8')).toBe('buy rope\nsell lamps\n');
});

test('nothing but the protocol is on standard output, whatever the agent prints, and it ends when the client hangs up', async () => {
  desk.write('assay.config.ts', `console.log('loaded');\n${noteConfig}`);
  desk.write('notes.json', noteScript);
  const messages = [
    {
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
    },
    { method: 'notifications/initialized' },
    { id: 2, method: 'tools/list' },
  ];
  const input = messages.map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`).join('');
  const { code, stdout, stderr } = await desk.assay(['mcp'], { input });
  expect(code).toBe(0);
  const lines = stdout.trim().split('\n');
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { jsonrpc: '2.0', id: 1 },
    { jsonrpc: '2.0', id: 2 },
  ]);
  expect(stderr).toContain('loaded');
});

test('a model there is not is told on standard error', async () => {
  const { code, stdout, stderr } = await desk.assay(['mcp', '--model', 'nobody:home']);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain('nobody');
});

test('with --json as well the answer is alone on standard output', async () => {
  const printing = noteConfig.replace('appendFileSync(', "console.log('writing');\n        appendFileSync(");
  desk.write('assay.config.ts', `console.log('loaded');\n${printing}`);
  desk.write('notes.json', noteScript);
  const { code, value, stderr } = await desk.json(['run', 'note two things', '--yes', 'write']);
  expect({ code, value }).toMatchObject({ code: 0, value: { answer: 'Noted.' } });
  expect(stderr).toMatch(/loaded[\s\S]*writing/);
});

const reason = noRestate();

test.skipIf(reason !== undefined)(
  `a worker of an engine does what the client asks, and its progress is heard${reason === undefined ? '' : ` (skipped: ${reason})`}`,
  async () => {
    // The official client drops progress that comes together with the answer.
    desk.write('sum.json', sumScript(800));
    const server = await startRestate();
    closing.push(() => server.close());
    const engine = ['--engine', 'restate', '--at', server.ingress];
    const env = { ASSAY_ENGINE_ADMIN: server.admin };
    const [port] = await freePorts(1);
    const worker = desk.start(['worker', ...engine, '--listen', `127.0.0.1:${port}`, ...quick], { env });
    closing.unshift(() => {
      worker.child.kill('SIGKILL');
      return worker.ended;
    });
    await worker.says('Working for');
    const client = await connected(engine, env);
    const progress: (string | undefined)[] = [];
    const asked = { name: 'solve', arguments: { task: 'six times seven' } };
    const onprogress = ({ message }: { message?: string | undefined }): number => progress.push(message);
    const solved = await client.callTool(asked, undefined, { onprogress });
    expect(solved.structuredContent).toMatchObject({ answer: 'It is 42.' });
    expect(progress).toContainEqual(expect.stringContaining('calculator'));
  },
  30_000,
);
