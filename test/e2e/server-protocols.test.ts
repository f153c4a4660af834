import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import OpenAI from 'openai';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createToken, tokenList } from '../../src/server/tokens.ts';
import { call, listOf, startServer, type TestServer } from './server-fixture.ts';

let folder = '';
let one: TestServer;
const ann = createToken({ tenant: 'a', scopes: ['run', 'read'], budget: { modelCalls: 4 } });
const bob = createToken({ tenant: 'b', scopes: ['run', 'read', 'approve'] });
const eve = createToken({ tenant: 'a', scopes: ['read'] });

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'assay-protocols-'));
  const tokens = tokenList([ann, bob, eve].map(({ stored }) => stored));
  one = await startServer({ file: join(folder, 'runs.db'), auth: { tokens }, mcp: true });
});

afterAll(async () => {
  await one?.close();
  rmSync(folder, { recursive: true, force: true });
});

async function mcpClient(token: string): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  const headers = { authorization: `Bearer ${token}` };
  const transport = new StreamableHTTPClientTransport(new URL(`${one.url}/mcp`), { requestInit: { headers } });
  // The SDK's own types do not agree on optional properties under `exactOptionalPropertyTypes`.
  await client.connect(transport as Parameters<typeof client.connect>[0]);
  return client;
}

test('a chat client gets its answer as a run of its tenant, under the budget of its token', async () => {
  const client = new OpenAI({ apiKey: ann.token, baseURL: `${one.url}/v1`, maxRetries: 0 });
  const messages = [{ role: 'user' as const, content: 'what is task-1' }];
  const completion = await client.chat.completions.create({ model: 'assay', messages });
  expect(completion.choices[0]?.message.content).toContain('answer to task-1');
  expect((await client.models.list()).data.map(({ id }) => id)).toEqual(['assay', 'default']);
  const [run] = listOf((await call(`${one.url}/v1/runs?limit=1`, { token: ann.token })).body['runs']);
  const whole = await call(`${one.url}/v1/runs/${run?.['id']}`, { token: ann.token });
  expect(whole.body).toMatchObject({ budget: { modelCalls: 4 } });
  expect((await call(`${one.url}/v1/runs/${run?.['id']}`, { token: bob.token })).status).toBe(404);
  const reader = new OpenAI({ apiKey: eve.token, baseURL: `${one.url}/v1`, maxRetries: 0 });
  await expect(reader.chat.completions.create({ model: 'assay', messages })).rejects.toMatchObject({ status: 403 });
});

test('an MCP client works with the runs of its tenant, and only within the scopes of its token', async () => {
  const [mine, other] = [await mcpClient(ann.token), await mcpClient(bob.token)];
  const solved = await mine.callTool({ name: 'solve', arguments: { task: 'what is task-7' } });
  expect(JSON.stringify(solved.content)).toContain('answer to task-7');
  const waiting = await mine.callTool({ name: 'solve', arguments: { task: 'note milk' } });
  const run = String(Reflect.get(Object(waiting.structuredContent), 'run_id'));
  const word = { name: 'approve', arguments: { run_id: run, decision: 'approve' } };
  const foreign = await other.callTool(word);
  expect(foreign.isError).toBe(true);
  expect(JSON.stringify(foreign.content)).toMatch(/no run/);
  const unscoped = await mine.callTool(word);
  expect(unscoped.isError).toBe(true);
  expect(JSON.stringify(unscoped.content)).toMatch(/scope 'approve'/);
  expect((await call(`${one.url}/v1/approvals`, { token: ann.token })).body['approvals']).toMatchObject([{ run }]);
  await mine.close();
  await other.close();
  expect(one.errors).toEqual([]);
});
