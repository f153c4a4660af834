import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { inMemoryLessons } from '../../src/memory/in-memory-lessons.ts';
import { inMemoryHost } from '../../src/runtime/in-memory.ts';
import { createServer } from '../../src/server/server.ts';
import { createToken, tokenList } from '../../src/server/tokens.ts';
import { lessons } from '../../src/solver/lessons/lessons.ts';
import { sqliteEvents } from '../../src/trace/event-store.ts';
import { call, listOf, plainAgent, startServer, type TestServer } from './server-fixture.ts';

const tenants = ['a', 'b'] as const;
type Tenant = (typeof tenants)[number];
const scopes = ['run', 'approve', 'read'] as const;
const tokens = {
  a: createToken({ tenant: 'a', scopes: [...scopes] }),
  b: createToken({ tenant: 'b', scopes: [...scopes] }),
};

let folder = '';
let one: TestServer;
let cliRun = '';

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'assay-tenants-'));
  const lessonsOfA = inMemoryLessons();
  await lessonsOfA.restore([lesson('lesson-a')]);
  one = await startServer({
    file: join(folder, 'runs.db'),
    auth: { tokens: tokenList([tokens.a.stored, tokens.b.stored]) },
    tenants: { a: { lessons: { store: lessonsOfA } } },
    limits: { requestsPerMinute: 1_000_000 },
  });
  cliRun = (await one.agent.run('task-cli')).runId;
});

afterAll(async () => {
  await one?.close();
  rmSync(folder, { recursive: true, force: true });
});

function lesson(id: string) {
  const texts = { trigger: 'a sum', failurePattern: 'a row is lost', lesson: 'count the rows', avoid: '' };
  const counts = { created: 1, expires: 9e15, checked: 1, uses: 0, wins: 0, losses: 0 };
  return {
    id,
    source: 'r',
    scope: 'default',
    applies: {},
    evidence: [],
    conflicts: [],
    why: 'new',
    status: 'active' as const,
    ...texts,
    ...counts,
  };
}

const looks = ['steps', 'observations', 'calls', 'calls/0', 'evidence'] as const;
const ways = ['look', 'events', 'cancel', 'resume', 'fork', 'approvals', 'approve', 'deny', ...looks] as const;

type Step =
  | { type: 'start'; by: Tenant; task: string; key: number | undefined }
  | {
      type: (typeof ways)[number];
      by: Tenant;
      run: number;
    };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    type: fc.constant('start' as const),
    by: fc.constantFrom(...tenants),
    task: fc.constantFrom('task-1', 'note milk', '2 turns'),
    key: fc.option(fc.nat(2), { nil: undefined }),
  }),
  fc.record({
    type: fc.constantFrom(...ways),
    by: fc.constantFrom(...tenants),
    run: fc.nat(6),
  }),
);

interface Known {
  id: string;
  tenant: Tenant;
}

async function start(runs: Known[], { by, task, key }: Extract<Step, { type: 'start' }>, salt: string): Promise<void> {
  const headers = key === undefined ? {} : { 'idempotency-key': `${salt}-${key}-${task.length}` };
  const { status, body } = await call(`${one.url}/v1/runs`, { token: tokens[by].token, headers, body: { task } });
  expect(status).toBe(202);
  const id = String(body['id']);
  const known = runs.find((run) => run.id === id);
  // The same key of two tenants is two runs.
  if (known) expect(known.tenant).toBe(by);
  else runs.push({ id, tenant: by });
}

async function reach({ id, tenant }: Known, kind: Exclude<Step['type'], 'start'>, token: string): Promise<number> {
  const url = `${one.url}/v1/runs/${id}`;
  switch (kind) {
    case 'look':
      return (await call(url, { token })).status;
    case 'events':
      return (await call(`${url}/events`, { token, headers: { accept: 'application/json' } })).status;
    case 'approvals':
    case 'steps':
    case 'observations':
    case 'calls':
    case 'calls/0':
    case 'evidence':
      return (await call(`${url}/${kind}`, { token })).status;
    case 'approve':
    case 'deny': {
      const [waiting] = listOf((await call(`${url}/approvals`, { token: tokens[tenant].token })).body['approvals']);
      return (await call(`${url}/approvals/${waiting?.['call'] ?? 'none'}/${kind}`, { token, body: {} })).status;
    }
    default:
      return (await call(`${url}/${kind}`, { token, body: kind === 'fork' ? { at: 0 } : {} })).status;
  }
}

async function listsAreOwn(runs: readonly Known[], tenant: Tenant): Promise<void> {
  const { token } = tokens[tenant];
  const listed = listOf((await call(`${one.url}/v1/runs?limit=200`, { token })).body['runs']).map(({ id }) => id);
  const waiting = listOf((await call(`${one.url}/v1/approvals`, { token })).body['approvals']).map(({ run }) => run);
  const seen = new Set([...listed, ...waiting].map(String));
  for (const run of runs) if (run.tenant !== tenant) expect(seen).not.toContain(run.id);
  expect(runs.filter((run) => run.tenant === tenant && !seen.has(run.id))).toEqual([]);
}

test('no order of requests shows one tenant a run of the other', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), fc.uuid(), async (steps, salt) => {
      const runs: Known[] = [];
      for (const taken of steps) {
        if (taken.type === 'start') await start(runs, taken, salt);
        const run = taken.type === 'start' ? undefined : runs[taken.run];
        if (taken.type === 'start' || !run || run.tenant === taken.by) continue;
        expect([taken.type, await reach(run, taken.type, tokens[taken.by].token)]).toEqual([taken.type, 404]);
      }
      for (const tenant of tenants) await listsAreOwn(runs, tenant);
    }),
    { numRuns: 25 },
  );
  expect(one.errors).toEqual([]);
}, 120_000);

test('what is not there and what belongs to another tenant are answered alike, and so is what no server started', async () => {
  const { body } = await call(`${one.url}/v1/runs?wait=true`, { token: tokens.a.token, body: { task: 'task-1' } });
  const ask = (id: string) => call(`${one.url}/v1/runs/${id}`, { token: tokens.b.token });
  const [foreign, missing, cli] = [await ask(String(body['id'])), await ask('no-such-run'), await ask(cliRun)];
  expect(foreign.status).toBe(404);
  expect(foreign.body).toEqual(missing.body);
  expect(cli.body).toEqual(missing.body);
});

test('lessons are of the tenant they were given to', async () => {
  const ids = async (token: string) =>
    listOf((await call(`${one.url}/v1/lessons`, { token })).body['lessons']).map(({ id }) => id);
  expect(await ids(tokens.a.token)).toEqual(['lesson-a']);
  expect(await ids(tokens.b.token)).toEqual([]);
  expect((await call(`${one.url}/v1/lessons/lesson-a`, { token: tokens.b.token })).status).toBe(404);
  expect((await call(`${one.url}/v1/lessons/lesson-a`, { method: 'DELETE', token: tokens.b.token })).status).toBe(404);
  expect(await ids(tokens.a.token)).toEqual(['lesson-a']);
});

test('an agent that remembers is not shared by tenants', async () => {
  const events = sqliteEvents({ file: join(folder, 'memory.db') });
  const layers = [lessons({ store: inMemoryLessons() })];
  const make = (name: string) => plainAgent({ host: inMemoryHost(), events, layers, name });
  const auth = { tokens: tokenList([tokens.a.stored, tokens.b.stored]) };
  expect(() => createServer({ agent: make('x'), events, auth })).toThrow(/remembers lessons.*a, b/);
  const own = { a: { agents: { x: make('xa') } }, b: { agents: { x: make('xb') } } };
  const server = createServer({ events, auth, tenants: own });
  await server.close();
  events.close();
});
