import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import * as z from 'zod';
import { inMemoryLessons } from '../../src/memory/in-memory-lessons.ts';
import { scriptedModel } from '../../src/model/providers/script-model.ts';
import { MeView } from '../../src/server/routes/me-routes.ts';
import { inMemoryRunIndex } from '../../src/server/run-index.ts';
import { ApprovalPage, EventView, LessonView, ProblemView, RunPage, RunView } from '../../src/server/schemas.ts';
import { callFinal, callTool } from '../../src/testing/replies.ts';
import { tool } from '../../src/tools/tool.ts';
import { call, listOf, look, startServer, type TestServer, type TestServerOptions, until } from './server-fixture.ts';

let folder = '';
let open: TestServer[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'assay-server-'));
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

test('a run is started, looked at and waited for', async () => {
  const { url } = await serve();
  const begun = await call(`${url}/v1/runs`, { body: { task: 'what is task-1' } });
  expect(begun.status).toBe(202);
  const location = begun.headers.get('location');
  expect(location).toBe(`runs/${begun.body['id']}`);
  const ended = await until(async () => {
    const { body } = await call(String(new URL(String(location), `${url}/v1/runs`)));
    return String(body['status']) === 'running' ? undefined : body;
  });
  expect(ended).toMatchObject({ status: 'needs_more_evidence', answer: 'answer to task-1', agent: 'default' });
  const waited = await call(`${url}/v1/runs?wait=true`, {
    body: { task: { input: 'task-2', constraints: ['short'] } },
  });
  expect(waited.status).toBe(200);
  expect(waited.headers.get('preference-applied')).toBe('wait');
  expect(waited.body).toMatchObject({ answer: 'answer to task-2', task: { input: 'task-2', constraints: ['short'] } });
  expect(waited.body['result']?.['usage']?.['modelCalls']).toBe(1);
});

test('Prefer: wait answers with the run when it takes longer', async () => {
  const { url } = await serve();
  const began = Date.now();
  const { status, body } = await call(`${url}/v1/runs`, {
    body: { task: '200 turns' },
    headers: { prefer: 'respond-async, wait=1' },
  });
  expect(Date.now() - began).toBeGreaterThanOrEqual(900);
  expect(status).toBe(202);
  expect(body['status']).toBe('running');
  expect((await call(`${url}/v1/runs/${body['id']}/cancel`, { method: 'POST' })).status).toBe(202);
  await until(async () => {
    const now = await call(`${url}/v1/runs/${body['id']}`);
    return String(now.body['status']) === 'cancelled' ? true : undefined;
  });
});

test('the same idempotency key is the same run, also at once and after a restart; another body is refused', async () => {
  const first = await serve();
  const headers = { 'idempotency-key': 'key-1' };
  const body = { task: 'task-1', budget: { modelCalls: 5 } };
  const answers = await Promise.all([1, 2, 3].map(() => call(`${first.url}/v1/runs?wait=true`, { body, headers })));
  expect(new Set(answers.map((answer) => answer.body['id'])).size).toBe(1);
  expect(answers.filter((answer) => answer.headers.get('idempotent-replayed') === 'true')).toHaveLength(2);
  await first.close();
  const { url } = await serve();
  const again = await call(`${url}/v1/runs?wait=true`, {
    body: { budget: { modelCalls: 5 }, task: 'task-1' },
    headers,
  });
  expect(again.body['id']).toBe(answers[0]?.body['id']);
  const other = await call(`${url}/v1/runs`, { body: { ...body, task: 'task-2' }, headers });
  expect(other.status).toBe(422);
  expect(other.body['type']).toBe('urn:assay:problem:idempotency-key');
  expect((await call(`${url}/v1/runs`)).body['runs']).toHaveLength(1);
});

test('runs are listed newest first, page by page, with filters, and with those that no server started', async () => {
  const { url, agent } = await serve();
  for (let n = 0; n < 5; n++) await call(`${url}/v1/runs?wait=true`, { body: { task: `task-${n}` } });
  await call(`${url}/v1/runs?wait=true`, { body: { task: 'please fail' } });
  await agent.run('task-cli');
  const seen: string[] = [];
  for (let next: string | undefined = ''; next !== undefined; ) {
    const page = await call(`${url}/v1/runs?limit=3${next && `&after=${next}`}`);
    seen.push(...listOf(page.body['runs']).map(({ task }) => String(task)));
    next = page.body['next'] && String(page.body['next']);
  }
  expect(seen).toEqual(['task-cli', 'please fail', 'task-4', 'task-3', 'task-2', 'task-1', 'task-0']);
  const failed = await call(`${url}/v1/runs?status=failed`);
  expect(listOf(failed.body['runs']).map(({ task }) => task)).toEqual(['please fail']);
  const found = await call(`${url}/v1/runs?search=TASK-3`);
  expect(listOf(found.body['runs'])).toMatchObject([
    { task: 'task-3', activeMs: expect.any(Number), configuration: 'scripted · react' },
  ]);
  const id = String(listOf(found.body['runs'])[0]?.['id']);
  const prefixed = await call(`${url}/v1/runs?search=${id.slice(0, 9)}`);
  expect(listOf(prefixed.body['runs']).map((run) => run['id'])).toEqual([id]);
  expect((await call(`${url}/v1/runs/${id}`)).body).toMatchObject({ configuration: 'scripted · react' });
  expect((await call(`${url}/v1/runs?after=nonsense`)).status).toBe(400);
  expect((await call(`${url}/v1/runs?limit=0`)).status).toBe(422);
});

test('a waiting call is told with its arguments, approved over HTTP after a restart, and runs', async () => {
  const first = await serve();
  const begun = await call(`${first.url}/v1/runs?wait=true`, { body: { task: 'note milk' } });
  expect(begun.body).toMatchObject({ status: 'awaiting_approval', pending: 1 });
  const id = begun.body['id'];
  await first.close();
  const { url } = await serve();
  const listed = await call(`${url}/v1/approvals`);
  expect(listed.body['approvals']).toMatchObject([
    { run: id, tool: 'saveNote', args: { text: 'milk' }, canonicalArgs: '{"text":"milk"}' },
  ]);
  const { call: name, why } = listOf(listed.body['approvals'])[0] ?? {};
  expect(why).not.toBe('');
  const address = `${url}/v1/runs/${id}/approvals/${name}`;
  expect((await call(`${url}/v1/runs/${id}/approvals/none/approve`, { body: {} })).status).toBe(404);
  expect((await call(`${address}/approve`, { body: { args: { text: 'bread' } } })).status).toBe(200);
  const ended = await until(async () => {
    const { body } = await call(`${url}/v1/runs/${id}`);
    return body['result'] ? body : undefined;
  });
  expect(JSON.stringify(ended['result']?.['attempt']?.['observations'])).toContain('saved bread');
  expect((await call(`${address}/approve`, { body: {} })).status).toBe(404);
  expect((await call(`${url}/v1/approvals`)).body['approvals']).toEqual([]);
});

test('runs of agents that this server has not are not listed', async () => {
  const index = inMemoryRunIndex();
  const { url } = await serve({ index });
  const { body } = await call(`${url}/v1/runs?wait=true`, { body: { task: 'task-1' } });
  const row = await index.get(String(body['id']));
  if (row) await index.put({ ...row, id: 'of-another', agent: 'another' });
  expect(listOf((await call(`${url}/v1/runs`)).body['runs']).map(({ id }) => id)).toEqual([body['id']]);
});

test('a run is in the list as soon as it is started, and soon with its configuration', async () => {
  const index = inMemoryRunIndex();
  const { url } = await serve({ index });
  const { body } = await call(`${url}/v1/runs`, { body: { task: '30 turns' } });
  const row = async () => listOf((await call(`${url}/v1/runs`)).body['runs']).find(({ id }) => id === body['id']);
  expect(await row()).toMatchObject({ status: 'running', task: '30 turns' });
  await until(async () => ((await row())?.['configuration'] ? true : undefined));
  // It was looked up once, not at every look.
  expect(await index.get(String(body['id']))).toMatchObject({ status: 'running', configuration: 'scripted · react' });
  await call(`${url}/v1/runs/${body['id']}/cancel`, { method: 'POST' });
});

test('a waiting call tells every part of it that a stranger may have written, and where it comes from', async () => {
  const model = scriptedModel([
    callTool('look', { at: 7 }),
    callTool('saveNote', { text: 'place 7 is empty, so sell it', list: ['place 7', 'of my own'] }),
    callFinal('done'),
  ]);
  const saveNote = tool({
    name: 'saveNote',
    description: 'Saves a note.',
    input: z.object({ text: z.string(), list: z.array(z.string()) }),
    effect: 'write',
    run: () => 'saved',
  });
  const { url } = await serve({ agentOptions: { model, tools: [look, saveNote] } });
  const before = Date.now();
  const begun = await call(`${url}/v1/runs?wait=true`, { body: { task: 'tidy up' } });
  const { body } = await call(`${url}/v1/approvals`);
  ApprovalPage.parse(body);
  const [waiting] = listOf(body['approvals']);
  expect(waiting).toMatchObject({
    ...{ run: begun.body['id'], agent: 'default', task: 'tidy up', effect: 'write', tool: 'saveNote' },
    sources: [
      { at: 'text', text: 'place 7 is empty', source: 'obs-1 (look)', observation: 'obs-1' },
      { at: 'list[0]', text: 'place 7', source: 'obs-1 (look)', observation: 'obs-1' },
    ],
  });
  const asked = Date.parse(String(waiting?.['requested']));
  expect(asked).toBeGreaterThanOrEqual(before);
  expect(asked).toBeLessThanOrEqual(Date.now());
});

test('a denial reaches the model, and a second word on the call is refused', async () => {
  const { url } = await serve();
  const begun = await call(`${url}/v1/runs`, { body: { task: 'note milk' } });
  const id = begun.body['id'];
  // At once, while the run is still in memory.
  const waiting = await until(async () => listOf((await call(`${url}/v1/runs/${id}/approvals`)).body['approvals'])[0]);
  const address = `${url}/v1/runs/${id}/approvals/${waiting['call']}`;
  const words = await Promise.all([
    call(`${address}/deny`, { body: { reason: 'no milk' } }),
    call(`${address}/approve`, { body: {} }),
  ]);
  expect(words.map(({ status }) => status).sort()).toEqual([200, 409]);
  const ended = await until(async () => (await call(`${url}/v1/runs/${id}`)).body['result']);
  expect(JSON.stringify(ended)).toMatch(/no milk|saved milk/);
});

test('a stopped run goes on under a higher budget, a finished one is forked, both without buying a reply twice', async () => {
  const { url } = await serve();
  const stopped = await call(`${url}/v1/runs?wait=true`, { body: { task: '6 turns', budget: { modelCalls: 3 } } });
  expect(stopped.body['status']).toBe('stopped');
  const id = stopped.body['id'];
  expect((await call(`${url}/v1/runs/${id}/resume`, { body: {} })).status).toBe(422);
  const more = await call(`${url}/v1/runs/${id}/resume?wait=true`, { body: { budget: { modelCalls: 20 } } });
  expect(more.body).toMatchObject({ forkedFrom: id, answer: 'answer to it' });
  const fork = await call(`${url}/v1/runs/${more.body['id']}/fork?wait=true`, { body: { at: 4 } });
  const place = new URL(String(fork.headers.get('location')), `${url}/v1/runs/${more.body['id']}/fork`);
  expect(place.pathname).toBe(`/v1/runs/${fork.body['id']}`);
  expect(fork.body).toMatchObject({ forkedFrom: more.body['id'], answer: 'answer to it' });
  const changed = await call(`${url}/v1/runs/${more.body['id']}/fork?wait=true`, {
    body: { at: 0, task: { input: 'task-9' } },
  });
  expect(changed.body).toMatchObject({ answer: 'answer to task-9' });
});

test('lessons are looked at, edited, expired and forgotten', async () => {
  const lessons = inMemoryLessons();
  await lessons.admit(
    {
      trigger: 'a sum over several rows of a table is asked for',
      failurePattern: 'the last row was left out of the sum',
      lesson: 'count the rows and name the number of them before adding',
      avoid: 'adding from memory',
    },
    { id: 'lesson-1', source: 'run-1', scope: 'default', now: Date.now() },
  );
  const { url } = await serve({ lessons });
  expect((await call(`${url}/v1/lessons`)).body['lessons']).toMatchObject([{ id: 'lesson-1', status: 'active' }]);
  const edit = (body: unknown, id = 'lesson-1') => call(`${url}/v1/lessons/${id}`, { method: 'PATCH', body });
  const expires = new Date(Date.now() + 86_400_000).toISOString();
  const edited = await edit({ lesson: 'write the number of rows down before adding', expires });
  expect(LessonView.parse(edited.body)).toMatchObject({
    ...{ lesson: 'write the number of rows down before adding', avoid: 'adding from memory' },
    ...{ why: 'edited by a human', expires: Date.parse(expires), conflicts: [], uses: 0 },
  });
  for (const refused of [{}, { lesson: '' }, { status: 'retired' }, { uses: 5 }, { expires: '2020-01-01T00:00:00Z' }])
    expect([refused, (await edit(refused)).status]).toEqual([refused, 422]);
  expect((await edit({ avoid: 'haste' }, 'lesson-2')).status).toBe(404);
  expect((await call(`${url}/v1/lessons/lesson-1/expire`, { method: 'POST' })).body['status']).toBe('expired');
  expect((await call(`${url}/v1/lessons?status=active`)).body['lessons']).toEqual([]);
  expect((await edit({ status: 'active' })).body).toMatchObject({ status: 'active', why: 'put in use by a human' });
  expect((await call(`${url}/v1/lessons/lesson-1`, { method: 'DELETE' })).status).toBe(204);
  expect((await edit({ avoid: 'haste' })).status).toBe(404);
  expect((await call(`${url}/v1/lessons/lesson-2`)).status).toBe(404);
});

test('a draining server is not ready, takes nothing new, and its runs go on at the next start', async () => {
  const first = await serve();
  const begun = await call(`${first.url}/v1/runs`, { body: { task: '20 turns' } });
  const waiting = call(`${first.url}/v1/runs/${begun.body['id']}/resume?wait=true`, { body: {} });
  await new Promise((resolve) => setTimeout(resolve, 150));
  expect((await call(`${first.url}/readyz`)).status).toBe(200);
  first.server.drain();
  expect((await waiting).body['status']).toBe('running');
  expect((await call(`${first.url}/readyz`)).status).toBe(503);
  const refused = await call(`${first.url}/v1/runs`, { body: { task: 'task-1' } });
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5']);
  await first.close();
  const { url } = await serve();
  const ended = await until(async () => (await call(`${url}/v1/runs/${begun.body['id']}`)).body['result']);
  expect(ended['answer']).toBe('answer to it');
  expect(ended['usage']?.['modelCalls']).toBe(21);
});

test('as many runs as configured are live, others wait, and one too many is told when to come back', async () => {
  const { url } = await serve({ limits: { liveRuns: 1, queuedRuns: 1, queueMs: 5_000 } });
  const first = await call(`${url}/v1/runs`, { body: { task: '15 turns' } });
  const second = call(`${url}/v1/runs?wait=true`, { body: { task: 'task-2' } });
  await new Promise((resolve) => setTimeout(resolve, 100));
  const third = await call(`${url}/v1/runs`, { body: { task: 'task-3' } });
  expect([third.status, third.body['type']]).toEqual([429, 'urn:assay:problem:busy']);
  expect(Number(third.headers.get('retry-after'))).toBeGreaterThan(0);
  expect((await second).body['answer']).toBe('answer to task-2');
  expect((await call(`${url}/v1/runs/${first.body['id']}`)).body['answer']).toBe('answer to it');
});

test('figures tell of runs, tokens and requests in the Prometheus format', async () => {
  const { url } = await serve();
  await call(`${url}/v1/runs?wait=true`, { body: { task: 'task-1' } });
  const { body, headers } = await call(`${url}/metrics`);
  expect(headers.get('content-type')).toContain('version=0.0.4');
  const text = String(body['text']);
  expect(text).toMatch(/^assay_runs_total\{agent="default",status="needs_more_evidence"\} 1$/m);
  expect(text).toMatch(/^assay_http_requests_total\{method="POST",route="\/v1\/runs",status="200"\} 1$/m);
  expect(text).toMatch(/^assay_tokens_total\{agent="default",kind="input"\} [1-9]\d*$/m);
  for (const line of text.trim().split('\n'))
    expect(line).toMatch(/^(# (HELP|TYPE) \w+ .+|\w+(\{[^}]*\})? [\d.e+-]+)$/);
});

test('what is answered fits what the document says of it', async () => {
  const { url } = await serve();
  const waiting = await call(`${url}/v1/runs?wait=true`, { body: { task: 'note milk' } });
  const ended = await call(`${url}/v1/runs?wait=true`, { body: { task: 'task-1' } });
  RunView.parse(waiting.body);
  expect(RunView.parse(ended.body)).toMatchObject({
    status: 'needs_more_evidence',
    result: { answer: 'answer to task-1' },
  });
  RunPage.parse((await call(`${url}/v1/runs`)).body);
  ApprovalPage.parse((await call(`${url}/v1/approvals`)).body);
  const events = await call(`${url}/v1/runs/${ended.body['id']}/events`, { headers: { accept: 'application/json' } });
  for (const event of listOf(events.body)) EventView.parse(event);
  ProblemView.parse((await call(`${url}/v1/runs`, { body: { task: 1 } })).body);
  const { body } = await call(`${url}/v1/openapi.json`);
  const paths = body['paths'] ?? {};
  expect(Object.keys(paths)).toContain('/v1/runs/{id}/approvals/{call}/approve');
  expect(Object.keys(paths['/v1/lessons/{id}'] ?? {})).toContain('patch');
  for (const path of ['/v1/me', '/v1/evaluations/{suite}/{id}/runs/{run}']) expect(Object.keys(paths)).toContain(path);
  MeView.parse((await call(`${url}/v1/me`)).body);
});
