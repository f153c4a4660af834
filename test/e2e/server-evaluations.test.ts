/** Stored evaluations over HTTP: the list, the report as data, and the way down to a run. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Evaluation } from '../../src/evals/evaluation.ts';
import { evaluationShelf } from '../../src/evals/evaluation-shelf.ts';
import { exact } from '../../src/evals/graders/exact.ts';
import { evaluate } from '../../src/evals/runner/evaluate.ts';
import { defineSuite } from '../../src/evals/suite.ts';
import { functionModel } from '../../src/model/providers/function-model.ts';
import { scriptedModel } from '../../src/model/providers/script-model.ts';
import { EvaluatedRunView, EvaluationPage, EvaluationView } from '../../src/server/routes/evaluation-routes.ts';
import { createToken, tokenList } from '../../src/server/tokens.ts';
import { direct } from '../../src/solver/direct.ts';
import { call, type Data, listOf, startServer, type TestServer } from './server-fixture.ts';

const owner = createToken({ tenant: 'default', scopes: ['read'] });
const other = createToken({ tenant: 'other', scopes: ['read'] });

let folder = '';
let server: TestServer;
let evaluation: Evaluation;

const answering = (answer: string): string => JSON.stringify({ answer, claims: [] });

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'assay-evaluations-'));
  const evals = join(folder, 'evals');
  const suite = defineSuite({
    name: 'towns',
    tasks: ['Ashby', 'Cold Ford'].map((town) => ({ id: town, input: `Name ${town}`, expected: town })),
    grade: exact(),
    criteria: { minSuccess: 0.9 },
    solvers: {
      wrong: { model: scriptedModel([answering('no idea')], { strict: false }), solver: direct() },
      right: {
        model: functionModel((_, user) => answering(/Name ([\w ]+)/.exec(user)?.[1] ?? '')),
        solver: direct(),
      },
    },
  });
  evaluation = await evaluate(suite, { folder: evals });
  mkdirSync(join(evals, 'towns', '9-damaged'));
  writeFileSync(join(evals, 'towns', '9-damaged', 'evaluation.json'), '{');
  server = await startServer({
    file: join(folder, 'runs.db'),
    evaluations: evaluationShelf({ folder: evals }),
    auth: { tokens: tokenList([owner.stored, other.stored]) },
  });
});

afterAll(async () => {
  await server?.close();
  rmSync(folder, { recursive: true, force: true });
});

const get = (path: string, token = owner.token) => call(`${server.url}/v1/evaluations${path}`, { token });

test('evaluations are listed with what they came to, and a damaged one does not hide the others', async () => {
  const { body } = await get('');
  EvaluationPage.parse(body);
  expect(body['evaluations']).toMatchObject([
    {
      ...{ suite: 'towns', id: evaluation.header.id, tasks: 2, repeats: 1, configurations: 2, subject: 'right' },
      success: { count: 2, of: 2, rate: 1 },
      ended: expect.any(Number),
    },
  ]);
  const damaged = await get('/towns/9-damaged');
  expect([damaged.status, JSON.stringify(damaged.body)]).toEqual([409, expect.not.stringContaining(folder)]);
  expect(server.errors).toMatchObject([{ message: expect.stringContaining('9-damaged') }]);
});

test('the report is answered as data: figures that nobody knows are null, failures have their layer', async () => {
  const { body } = await get(`/towns/${evaluation.header.id}`);
  EvaluationView.parse(body);
  expect(body).toMatchObject({
    header: { suite: 'towns', baseline: 'wrong' },
    planned: 4,
    models: [
      { id: 'scripted', source: 'scripted', configurations: ['wrong'] },
      { source: 'function', configurations: ['right'] },
    ],
    metrics: [
      { configuration: 'wrong', success: { count: 0, of: 2 }, usdPerSuccess: null },
      { configuration: 'right', success: { rate: 1 }, lessonDifference: null },
    ],
    comparisons: [{ a: 'wrong', b: 'right', onlyB: 2 }],
    costs: { points: [{ configuration: 'wrong' }, { configuration: 'right', frontier: true }] },
    criteria: [{ label: 'Success', wanted: 'at least 90 %', found: '100 %', met: true }],
  });
  expect(body['ablation']).toBeUndefined();
  const failed = listOf(body['failed']);
  expect(failed).toMatchObject([
    { configuration: 'wrong', task: 'Ashby', outcome: 'failure', why: expect.stringContaining('Ashby') },
    { configuration: 'wrong', task: 'Cold Ford' },
  ]);
  const counted = listOf(body['layers']).reduce((sum, row) => sum + Number(row['count']), 0);
  expect(counted).toBe(failed.length);
  expect(listOf(body['layers'])[0]?.['byConfiguration']).toEqual({ wrong: 2 });
});

test('a run of it is answered with its events, as one of the server is', async () => {
  const [failed] = listOf((await get(`/towns/${evaluation.header.id}`)).body['failed']) as [Data];
  const { body } = await get(`/towns/${evaluation.header.id}/runs/${encodeURIComponent(String(failed['runId']))}`);
  EvaluatedRunView.parse(body);
  expect(body).toMatchObject({
    run: { id: failed['runId'], answer: 'no idea', configuration: 'scripted · direct', task: { input: 'Name Ashby' } },
  });
  expect(listOf(body['events']).map(({ type }) => type)).toEqual(expect.arrayContaining(['run.start', 'run.end']));
});

test('an evaluation that goes on is answered as far as it got', async () => {
  const file = join(evaluation.folder, 'records.jsonl');
  const records = readFileSync(file, 'utf8');
  const [first = ''] = records.split('\n');
  writeFileSync(file, `${first}\n`);
  const failedNow = async () => listOf((await get(`/towns/${evaluation.header.id}`)).body['failed']).length;
  const before = await failedNow();
  writeFileSync(file, records);
  expect([before, await failedNow()]).toEqual([records.indexOf('"wrong"') < first.length ? 1 : 0, 2]);
});

test('what is not there and what is not theirs is answered alike', async () => {
  const { id } = evaluation.header;
  const missing = [
    '/towns/none',
    `/none/${id}`,
    `/towns/${id}/runs/none`,
    `/..%2fevals%2ftowns/${id}`,
    '/%2e%2e/evals',
  ];
  for (const path of missing) expect([path, (await get(path)).status]).toEqual([path, 404]);
  expect((await get('', other.token)).body).toEqual({ evaluations: [] });
  expect((await get(`/towns/${id}`, other.token)).status).toBe(404);
  expect((await get(`/towns/${id}/runs/${evaluation.records[0]?.runId}`, other.token)).status).toBe(404);
  const me = async (token: string) => (await call(`${server.url}/v1/me`, { token })).body['evaluations'];
  expect([await me(owner.token), await me(other.token)]).toEqual([true, false]);
});
