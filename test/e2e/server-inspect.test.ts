/** What the inspector is told of a recorded run, and what it forks. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import * as z from 'zod';
import type { AgentOptions } from '../../src/agent.ts';
import { type ScriptedModel, scriptedModel } from '../../src/model/providers/script-model.ts';
import { inMemoryHost } from '../../src/runtime/in-memory.ts';
import { CallsView, CallView, ObservationsView, StepsView } from '../../src/server/inspect/inspect-schemas.ts';
import { RunView } from '../../src/server/schemas.ts';
import { createToken, tokenList } from '../../src/server/tokens.ts';
import { planAndSolve } from '../../src/solver/plan-and-solve/plan-and-solve.ts';
import { selfConsistency } from '../../src/solver/self-consistency/self-consistency.ts';
import { verification } from '../../src/solver/verification/verification.ts';
import { callFinal, callTool } from '../../src/testing/replies.ts';
import { tool } from '../../src/tools/tool.ts';
import {
  call,
  type Data,
  listOf,
  plainAgent,
  startServer,
  type TestServer,
  type TestServerOptions,
  until,
} from './server-fixture.ts';

let folder = '';
let open: TestServer[] = [];
/** Everything that was asked of a model or a tool. */
let done = 0;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'assay-inspect-'));
  done = 0;
});

afterEach(async () => {
  for (const one of open) await one.close();
  open = [];
  rmSync(folder, { recursive: true, force: true });
});

async function serve(options: Partial<TestServerOptions> = {}): Promise<TestServer> {
  const one = await startServer({ file: join(folder, 'runs.db'), ...options });
  open.push(one);
  return one;
}

const seven = 'Seven ropes are in stock.';
const nine = 'Nine ropes are in stock.';

/** Looks once and quotes what it was shown. */
function quoting(modelId = 'first'): ScriptedModel {
  const model = scriptedModel(({ prompt }) => {
    done++;
    const text = JSON.stringify(prompt);
    if (!text.includes('"tool-result"')) return callTool('stock');
    const quote = text.includes(nine) ? nine : seven;
    return callFinal(quote, [{ text: quote, evidence: [{ observation: 'obs-1', quote }] }]);
  });
  return { ...model, modelId };
}

const stock = (content = seven) =>
  tool({
    name: 'stock',
    description: 'The stock list.',
    input: z.object({}),
    effect: 'read',
    run: () => {
      done++;
      return content;
    },
  });

const checked = [verification({ verifier: false })];
const quotingAgent = (): Partial<AgentOptions> => ({ model: quoting(), tools: [stock()], layers: checked });

async function run(url: string, task = 'how many ropes'): Promise<string> {
  const { body, status } = await call(`${url}/v1/runs?wait=true`, { body: { task } });
  expect(status).toBe(200);
  return `${url}/v1/runs/${body['id']}`;
}

const nameOf = ({ path, name }: Data): string => [path, name].filter(String).join('/');

test('the steps, the observations and the prompts of a run with several attempts are shown, and nothing is done', async () => {
  const layers = [selfConsistency({ samples: 2, stopEarly: false }), ...checked];
  const { url } = await serve({ agentOptions: { ...quotingAgent(), layers } });
  const one = await run(url);
  const before = done;
  const steps = (await call(`${one}/steps`)).body;
  expect(StepsView.parse(steps)).toEqual(steps);
  const rows = listOf(steps['steps']);
  expect(rows.map(({ seq }) => seq)).toEqual(rows.map((_, at) => at + 1));
  expect(rows.filter(({ kind }) => String(kind) === 'model').map(nameOf)).toHaveLength(4);
  const observed = rows.filter(({ kind }) => String(kind) === 'tool');
  expect(observed.map((row) => [nameOf(row), row['observation']]).toSorted()).toEqual([
    ['samples/0/tool.stock', 'obs-1'],
    ['samples/1/tool.stock', 'obs-1'],
  ]);
  const { body } = await call(`${one}/observations`);
  expect(ObservationsView.parse(body)).toEqual(body);
  const expected = { id: 'obs-1', tool: 'stock', args: {}, status: 'ok', trust: 'untrusted', content: seven };
  expect(listOf(body['observations']).toSorted((a, b) => String(a['path']).localeCompare(String(b['path'])))).toEqual([
    { ...expected, path: 'samples/0' },
    { ...expected, path: 'samples/1' },
  ]);
  const calls = (await call(`${one}/calls`)).body;
  expect(CallsView.parse(calls)).toEqual(calls);
  expect(calls['complete']).toBe(true);
  const events = await call(`${one}/events`, { headers: { accept: 'application/json' } });
  const told = listOf(events.body).filter(({ type }) => String(type) === 'model.call');
  const key = ({ path, step, fingerprint, prompt }: Data) =>
    [path, step, fingerprint ?? prompt?.['fingerprint']].join();
  expect(listOf(calls['calls']).map(key).toSorted()).toEqual(told.map(key).toSorted());
  const last = listOf(calls['calls']).at(-1);
  const shown = (await call(`${one}/calls/${last?.['index']}`)).body;
  expect(CallView.parse(shown)).toEqual(shown);
  expect(shown).toMatchObject({ ...last, messages: 4, shared: 2, model: 'first', role: 'actor', outcome: 'reply' });
  expect(listOf(shown['prompt']).map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool']);
  expect(JSON.stringify(shown['prompt'])).toContain(seven);
  expect(listOf(shown['tools']).map(({ name }) => name)).toContain('stock');
  expect(listOf(shown['reply'])).toMatchObject([{ type: 'tool-call', toolName: 'final' }]);
  for (const index of [99, -1, 'x']) expect((await call(`${one}/calls/${index}`)).status).toBe(404);
  expect(done).toBe(before);
});

test('a run that goes on or waits is shown as far as it is recorded', async () => {
  const { url } = await serve();
  const { body } = await call(`${url}/v1/runs`, { body: { task: '400 turns' } });
  const one = `${url}/v1/runs/${body['id']}`;
  const some = await until(async () => {
    const { body: now } = await call(`${one}/observations`);
    return listOf(now['observations']).length > 1 ? now : undefined;
  });
  expect(listOf(some['observations'])[1]).toMatchObject({ id: 'obs-2', content: 'place 1 is empty' });
  expect((await call(`${one}/calls`)).body).toMatchObject({ complete: true });
  await call(`${one}/cancel`, { method: 'POST' });
  const asking = await run(url, 'note milk');
  const [waiting] = listOf((await call(`${asking}/approvals`)).body['approvals']);
  expect(listOf((await call(`${asking}/calls`)).body['calls'])).toHaveLength(1);
  await call(`${asking}/approvals/${waiting?.['call']}/approve`, { body: {} });
  const rows = await until(async () => {
    const steps = listOf((await call(`${asking}/steps`)).body['steps']);
    return steps.length > 4 ? steps : undefined;
  });
  expect(rows.map(({ kind }) => kind)).toEqual(['model', 'approval', 'other', 'tool', 'model']);
});

test('where the code has changed the prompts before that are given, and observations are still whole', async () => {
  const first = await serve({ agentOptions: { ...quotingAgent(), tools: [stock('x'.repeat(1_000))] } });
  const id = (await run(first.url)).split('/').at(-1);
  await first.close();
  open = [];
  const { url } = await serve({ agentOptions: { ...quotingAgent(), layers: [planAndSolve()] } });
  const one = `${url}/v1/runs/${id}`;
  expect((await call(`${one}/calls`)).body).toEqual({
    calls: [],
    complete: false,
    why: expect.stringContaining('The code has changed'),
  });
  const [observation] = listOf((await call(`${one}/observations`)).body['observations']);
  expect(observation).toMatchObject({ id: 'obs-1', tool: 'stock', status: 'ok', content: 'x'.repeat(1_000) });
  const rows = listOf((await call(`${one}/steps`)).body['steps']);
  expect(rows.slice(0, 2).map(({ kind, observation: made }) => [kind, made])).toEqual([
    ['model', undefined],
    ['tool', 'obs-1'],
  ]);
});

test('a large observation comes in pieces', async () => {
  // A character of two units stands across the end of the first piece.
  const content = `${'a'.repeat(2 * 2 ** 20 - 1)}😀${'b'.repeat(1_000)}`;
  const { url } = await serve({ agentOptions: { ...quotingAgent(), tools: [stock(content)], layers: [] } });
  const one = await run(url);
  let whole = '';
  for (let from: Data | number | undefined = 0; from !== undefined; ) {
    const { body } = await call(`${one}/observations?id=obs-1&path=&from=${from}`);
    expect(ObservationsView.parse(body)).toEqual(body);
    const [piece] = listOf(body['observations']);
    expect(piece?.['chars']).toBe(content.length);
    expect(String(piece?.['content'])).toSatisfy((text: string) => text.isWellFormed());
    expect(piece?.['truncated'] !== undefined).toBe(piece?.['next'] !== undefined);
    whole += piece?.['content'];
    from = piece?.['next'];
  }
  expect(whole === content).toBe(true);
  expect(listOf((await call(`${one}/observations?id=obs-2`)).body['observations'])).toEqual([]);
});

test('a fork goes on with another agent of the server, which repeats the recorded replies', async () => {
  const { url, errors } = await serve({
    agentOptions: quotingAgent(),
    settings: { model: 'script:first' },
    agentSettings: { second: { model: 'script:second' } },
    others: ({ host, events }) => ({
      second: plainAgent({ host, events, ...quotingAgent(), model: quoting('second'), name: 'second' }),
      elsewhere: plainAgent({ host: inMemoryHost(), events, ...quotingAgent() }),
    }),
  });
  const one = await run(url);
  const before = done;
  const fork = await call(`${one}/fork?wait=true`, { body: { at: 2, agent: 'second' } });
  expect(fork.body).toMatchObject({ agent: 'second', status: 'completed', forkedFrom: one.split('/').at(-1) });
  expect(done).toBe(before + 1);
  const forked = `${url}/v1/runs/${fork.body['id']}`;
  const models = listOf((await call(`${forked}/calls`)).body['calls']).map(({ model }) => model);
  expect(models).toEqual(['first', 'second']);
  const listed = listOf((await call(`${url}/v1/runs?agent=second`)).body['runs']).map(({ id }) => id);
  expect(listed).toEqual([fork.body['id']]);
  expect((await call(forked)).body['agent']).toBe('second');
  const settingsOf = async (id: Data | undefined) => (await open[0]?.agent.host.info(String(id)))?.input;
  expect(await settingsOf(fork.body['id'])).toMatchObject({ settings: { model: 'script:second' } });
  for (const agent of ['nobody', 'elsewhere']) {
    const refused = await call(`${one}/fork`, { body: { at: 2, agent } });
    expect([refused.status, refused.body['remedy']]).toEqual([422, expect.stringMatching(/Name one of|same host/)]);
  }
  expect(errors).toEqual([]);
});

test('a fork with an edited observation is marked, and its answer is held against what was edited', async () => {
  const { url } = await serve({ agentOptions: quotingAgent() });
  const one = await run(url);
  const [step] = listOf((await call(`${one}/steps`)).body['steps']).filter(({ observation }) => observation);
  const edit = { at: step?.['seq'], observation: { content: nine } };
  const fork = await call(`${one}/fork?wait=true`, { body: edit });
  expect(RunView.parse(fork.body)).toEqual(fork.body);
  const edited = [{ seq: 2, observation: 'obs-1' }];
  expect(fork.body).toMatchObject({ status: 'completed', answer: nine, edited });
  const forked = `${url}/v1/runs/${fork.body['id']}`;
  expect(listOf((await call(`${forked}/observations`)).body['observations'])).toMatchObject([{ content: nine }]);
  expect((await call(`${forked}/calls`)).body).toMatchObject({ complete: true });
  const [begin] = listOf((await call(`${forked}/events`, { headers: { accept: 'application/json' } })).body);
  expect(begin).toMatchObject({ type: 'run.start', edited });
  expect((await call(one)).body).toMatchObject({ answer: seven });
  expect((await call(one)).body['edited']).toBeUndefined();
  for (const at of [0, 1, 3, 99]) {
    const refused = await call(`${one}/fork`, { body: { ...edit, at } });
    expect([refused.status, refused.body['remedy']]).toEqual([422, expect.stringContaining('GET /v1/runs/')]);
  }
});

test('looking needs the scope read and forking the scope run', async () => {
  const made = {
    read: createToken({ tenant: 'a', scopes: ['read'] }),
    run: createToken({ tenant: 'a', scopes: ['run'] }),
  };
  const auth = { tokens: tokenList([made.read.stored, made.run.stored]) };
  const { url } = await serve({ agentOptions: quotingAgent(), auth });
  const { body } = await call(`${url}/v1/runs?wait=true`, { body: { task: 'ropes' }, token: made.run.token });
  const one = `${url}/v1/runs/${body['id']}`;
  for (const what of ['steps', 'observations', 'calls', 'calls/0']) {
    const asked = await Promise.all([made.read, made.run].map(({ token }) => call(`${one}/${what}`, { token })));
    expect([what, ...asked.map(({ status }) => status)]).toEqual([what, 200, 403]);
  }
  const forked = await call(`${one}/fork`, { body: { at: 2 }, token: made.read.token });
  expect(forked.status).toBe(403);
  const { body: document } = await call(`${url}/v1/openapi.json`, { token: made.read.token });
  expect(Object.keys(document['paths'] ?? {})).toEqual(
    expect.arrayContaining(['/v1/runs/{id}/steps', '/v1/runs/{id}/observations', '/v1/runs/{id}/calls/{index}']),
  );
});
