/** `assay serve` and `assay tokens` as processes of their own. */
import { readFileSync, statSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { freePorts } from '../../src/testing/restate-server.ts';
import { Desk, fieldOf, type Running, sumScript } from './cli-process.ts';
import { call, type Data, framesOf, listOf, until } from './server-fixture.ts';

const sample = fileURLToPath(new URL('../../examples/price-desk/', import.meta.url));
const question = 'SKU-42, 37 units at ten percent off: what is the total?';
const quick = ['--model', 'script:sum.json', '--layers', 'none'];

let desk: Desk;
let running: Running[] = [];

beforeEach(() => {
  desk = new Desk();
  desk.write('sum.json', sumScript());
});

afterEach(async () => {
  for (const { child, ended } of running) {
    child.kill('SIGKILL');
    await ended;
  }
  running = [];
  desk.remove();
});

interface Served extends Running {
  url: string;
  stop(): ReturnType<Desk['assay']>;
}

async function serve(args: readonly string[], port?: number): Promise<Served> {
  const [free = 0] = port === undefined ? await freePorts(1) : [port];
  const process = desk.start(['serve', '--port', String(free), ...args]);
  running.push(process);
  await process.says('Serving on');
  const stop = () => {
    process.child.kill('SIGTERM');
    return process.ended;
  };
  return { ...process, url: `http://127.0.0.1:${free}`, stop };
}

/** The run when it stands still. */
async function ended(url: string, runId: string, token?: string): Promise<Data> {
  return until(async () => {
    const { body } = await call(`${url}/v1/runs/${runId}`, token === undefined ? {} : { token });
    return String(body['status']) === 'running' ? undefined : body;
  });
}

async function started(url: string, task: string, token?: string): Promise<string> {
  const { status, body } = await call(`${url}/v1/runs`, { body: { task }, ...(token !== undefined && { token }) });
  expect(status).toBe(202);
  return String(body['id']);
}

async function tokenFor(tenant: string): Promise<string> {
  const { code, stdout } = await desk.assay(['tokens', 'create', '--tenant', tenant]);
  expect(code).toBe(0);
  return stdout.trim();
}

describe('with other models too', () => {
  test('runs are forked to one of them, and the command line goes on with those', async () => {
    const reply = { calls: [{ tool: 'final', input: { answer: 'The other says 42.', claims: [] } }] };
    desk.write('other.json', { rules: [{ when: { role: 'actor' }, reply }] });
    const { url, stop } = await serve([...quick, '--also', 'script:other.json']);
    const { body: me } = await call(`${url}/v1/me`);
    const [, other] = listOf(me['agents']).map(({ name }) => String(name));
    expect(other).toMatch(/^script:.*other\.json$/);
    const runId = await started(url, 'six times seven');
    await ended(url, runId);
    const fork = await call(`${url}/v1/runs/${runId}/fork?wait=true`, { body: { at: 2, agent: other } });
    expect(fork.body).toMatchObject({ agent: other, answer: 'The other says 42.', forkedFrom: runId });
    expect(await stop()).toMatchObject({ code: 0, stderr: expect.not.stringContaining('warning') });
    const again = await desk.json(['resume', String(fork.body['id'])]);
    expect(again.value).toMatchObject({ answer: 'The other says 42.' });
    const unknown = await desk.assay(['serve', ...quick, '--also', 'nobody:home']);
    expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining('nobody')]);
  });
});

describe('without tokens', () => {
  test('it answers runs, event streams and chat on this machine, and ends well when it is told to', async () => {
    const { url, stop } = await serve(quick);
    const runId = await started(url, 'six times seven');
    const events: unknown[] = [];
    for await (const { data, event } of framesOf(`${url}/v1/runs/${runId}/events`)) {
      events.push(data['type']);
      if (event === 'run.end') break;
    }
    expect(events).toEqual(expect.arrayContaining(['run.start', 'tool.result', 'run.end']));
    expect(await ended(url, runId)).toMatchObject({ answer: 'It is 42.' });
    const chat = await call(`${url}/v1/chat/completions`, {
      body: { model: 'default', messages: [{ role: 'user', content: 'six times seven' }] },
    });
    expect(chat.body).toMatchObject({ choices: [{ message: { content: expect.stringContaining('It is 42.') } }] });
    expect(await stop()).toMatchObject({ code: 0, stderr: expect.not.stringContaining('warning') });
    expect(fieldOf((await desk.json(['runs'])).value, 'status')).toEqual([
      'needs_more_evidence',
      'needs_more_evidence',
    ]);
  });

  test('a name that somebody pointed at this machine is refused', async () => {
    const { url } = await serve(quick);
    const status = await new Promise((resolve, reject) => {
      const asked = request(`${url}/v1/runs`, { headers: { host: 'evil.example' } }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      });
      asked.on('error', reject).end();
    });
    expect(status).toBe(403);
  });

  test('an address that strangers reach is refused with the remedy', async () => {
    const { code, stderr } = await desk.assay(['serve', '--host', '0.0.0.0', ...quick]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/loopback only.*assay tokens create/);
  });

  test('where the port is taken no run is taken up', async () => {
    desk.write('sum.json', sumScript(60_000));
    const cut = desk.start(['run', 'six times seven', ...quick, '--run-id', 'cut']);
    await cut.says('obs-1 ok');
    cut.child.kill('SIGKILL');
    await cut.ended;
    desk.write('sum.json', sumScript());
    const other = ['--home', join(desk.folder, 'other')];
    const { url } = await serve([...quick, ...other]);
    const late = await desk.assay(['serve', '--port', new URL(url).port, ...quick]);
    expect(late).toMatchObject({ code: 1, stderr: expect.stringContaining('Choose another port') });
    expect((await desk.json(['runs'])).value).toMatchObject([{ id: 'cut', status: 'interrupted' }]);
  });
});

test('a run that was live at a stop goes on at the next start, and an open stream ends with the stop', async () => {
  desk.write('sum.json', sumScript(60_000));
  const first = await serve(quick);
  const runId = await started(first.url, 'six times seven');
  const seen: string[] = [];
  const stream = (async () => {
    for await (const { data } of framesOf(`${first.url}/v1/runs/${runId}/events`)) seen.push(String(data['type']));
  })();
  await until(() => (seen.includes('tool.result') ? true : undefined));
  expect((await first.stop()).code).toBe(0);
  await stream;
  expect((await desk.json(['runs'])).value).toMatchObject([{ id: runId, status: 'interrupted' }]);
  // What was recorded is not asked again: the script has no answer to it any more.
  desk.write('sum.json', { rules: sumScript().rules.slice(1) });
  const second = await serve(quick);
  expect(await ended(second.url, runId)).toMatchObject({ answer: 'It is 42.', result: { usage: { modelCalls: 2 } } });
  expect((await second.stop()).stderr).toContain('Going on with 1 run');
});

describe('with tokens', () => {
  test('who has none is kept out, and tenants see nothing of each other', async () => {
    const [alpha, beta] = [await tokenFor('alpha'), await tokenFor('beta')];
    const { url } = await serve([...quick, '--tokens', 'assay.tokens.json']);
    expect((await call(`${url}/v1/runs`)).status).toBe(401);
    const runId = await started(url, 'six times seven', alpha);
    expect(await ended(url, runId, alpha)).toMatchObject({ answer: 'It is 42.' });
    const get = (path: string, token: string) => call(`${url}/v1/runs${path}`, { token });
    expect(listOf((await get('', alpha)).body['runs'])).toHaveLength(1);
    expect(listOf((await get('', beta)).body['runs'])).toEqual([]);
    for (const path of [`/${runId}`, `/${runId}/events`]) expect((await get(path, beta)).status).toBe(404);
    const cancel = await call(`${url}/v1/runs/${runId}/cancel`, { method: 'POST', token: beta });
    expect(cancel.status).toBe(404);
  });

  test('what a run of one tenant taught helps that tenant only', async () => {
    const [alpha, beta, own] = [await tokenFor('alpha'), await tokenFor('beta'), await tokenFor('default')];
    const agent = ['--model', `script:${sample}script.json`, '--docs', `${sample}docs/en`];
    const also = `script:${sample}script.json`;
    const { url } = await serve([...agent, '--also', also, '--tokens', 'assay.tokens.json']);
    const lessons = async (token: string) => listOf((await call(`${url}/v1/lessons`, { token })).body['lessons']);
    const calls = async (token: string): Promise<number> => {
      const run = await ended(url, await started(url, question, token), token);
      expect(run).toMatchObject({ answer: expect.stringContaining('4,386.00') });
      return Number(run['result']?.['usage']?.['modelCalls']);
    };
    const unaided = await calls(alpha);
    expect(await Promise.all([alpha, beta, own].map(lessons))).toMatchObject([[{ scope: 'alpha' }], [], []]);
    expect(await calls(beta)).toBe(unaided);
    expect(await calls(own)).toBe(unaided);
    expect(await calls(alpha)).toBeLessThan(unaided);
    expect((await lessons(own)).map(({ scope }) => String(scope))).toEqual(['default']);
    // With another model it is still the agent of its tenant.
    const body = { task: question, agent: also };
    const { body: other } = await call(`${url}/v1/runs?wait=true`, { token: beta, body });
    expect(Number(other['result']?.['usage']?.['modelCalls'])).toBeLessThan(unaided);
    // A tenant that came later would learn from the others.
    const late = await tokenFor('late');
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    expect((await call(`${url}/v1/runs`, { token: late })).status).toBe(401);
    expect((await call(`${url}/v1/runs`, { token: alpha })).status).toBe(200);
  });

  test('a revoked token is kept out while the server runs', async () => {
    const [kept, gone] = [await tokenFor('default'), await tokenFor('default')];
    const { url, stop } = await serve([...quick, '--tokens', 'assay.tokens.json']);
    expect((await call(`${url}/v1/runs`, { token: gone })).status).toBe(200);
    const revoked = await desk.json(['tokens', 'revoke', gone.split('_')[1] ?? '']);
    expect(revoked).toMatchObject({ code: 0, value: { revoked: gone.split('_')[1] } });
    await until(async () => ((await call(`${url}/v1/runs`, { token: gone })).status === 401 ? true : undefined), 3_000);
    expect((await call(`${url}/v1/runs`, { token: kept })).status).toBe(200);
    expect((await stop()).code).toBe(0);
  });
});

describe('the token file', () => {
  test('is for its owner alone, and neither it nor a list has a token or a hash to show', async () => {
    const token = await tokenFor('alpha');
    const file = join(desk.folder, 'assay.tokens.json');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const stored = readFileSync(file, 'utf8');
    expect(stored).not.toContain(token.split('_')[2]);
    const { hash } = JSON.parse(stored).tokens[0];
    const [text, json] = [await desk.assay(['tokens']), await desk.assay(['tokens', 'list', '--json'])];
    expect(text.stdout).toMatch(/alpha +run,approve,read/);
    expect(JSON.parse(json.stdout)).toMatchObject([{ tenant: 'alpha', id: token.split('_')[1] }]);
    for (const { stdout } of [text, json]) expect(stdout).not.toContain(hash);
  });

  test.each([
    ['a scope there is not', ['create', '--scope', 'root'], 'Choose from run, approve, read, metrics'],
    ['a tenant that is no name', ['create', '--tenant', '../etc'], 'Correct --tenant'],
    ['a file that is not there', ['list'], 'assay tokens create'],
    ['a token that is not there', ['revoke', 'abcdef', '--tokens', 'some.json'], "no token with the id 'abcdef'"],
  ])('%s is wrong usage, with the remedy', async (_, args, remedy) => {
    desk.write('some.json', { tokens: [] });
    const { code, stderr } = await desk.assay(['tokens', ...args]);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(remedy) });
  });
});
