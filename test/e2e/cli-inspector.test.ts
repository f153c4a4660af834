/** The inspector's server as people start it: `assay serve --demo` and `assay show RUN --web`. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { freePorts } from '../../src/testing/restate-server.ts';
import { Desk, noteConfig, noteScript, type Running } from './cli-process.ts';
import { call, type Data, listOf, until } from './server-fixture.ts';

let desk: Desk;
let running: Running[] = [];

beforeEach(() => {
  desk = new Desk();
});

afterEach(async () => {
  for (const { child, ended } of running) {
    child.kill('SIGKILL');
    await ended;
  }
  running = [];
  desk.remove();
});

function start(args: readonly string[]): Running {
  const process = desk.start(args);
  running.push(process);
  return process;
}

test('the demo is served without a key: tasks to start with, a memory, and an effect that asks', async () => {
  const [port = 0] = await freePorts(1);
  const demo = start(['serve', '--demo', '--pace', '1', '--port', String(port)]);
  await demo.says(`The inspector: http://127.0.0.1:${port}/`);
  const url = `http://127.0.0.1:${port}`;
  const page = await fetch(url);
  expect(page.headers.get('content-security-policy')).toContain("script-src 'self'");

  const me = (await call(`${url}/v1/me`)).body;
  const samples = listOf(me['samples']);
  expect(samples).toMatchObject([
    { agent: 'price desk' },
    { agent: 'send offer' },
    { agent: '价目台' },
    { agent: '发送报价' },
  ]);
  const models = listOf(me['agents']).flatMap((agent) => listOf(agent['models']));
  expect(new Set(models.map(({ source }) => source))).toEqual(new Set(['scripted']));
  const run = async ({ task, agent }: Data): Promise<Data> =>
    (await call(`${url}/v1/runs?wait=true`, { body: { task, agent } })).body;
  const [desks, offers] = [
    [samples[0], samples[2]],
    [samples[1], samples[3]],
  ] as [Data[], Data[]];

  for (const [sample, scope] of [
    [desks[0], 'demo-en'],
    [desks[1], 'demo-zh'],
  ] as [Data, string][]) {
    expect(await run(sample)).toMatchObject({ status: 'revised', answer: expect.stringContaining('4,386.00') });
    expect(listOf((await call(`${url}/v1/lessons`)).body['lessons']).map((lesson) => lesson['scope'])).toContain(scope);
  }
  const rows = listOf((await call(`${url}/v1/runs?search=sku-42`)).body['runs']);
  expect(rows).toMatchObject(
    Array(2).fill({ verdict: 'pass', configuration: expect.stringContaining('verification') }),
  );

  for (const offer of offers) {
    for (const word of ['approve', 'deny']) {
      const { id } = await run(offer);
      const [waiting] = listOf((await call(`${url}/v1/runs/${id}/approvals`)).body['approvals']);
      expect(waiting).toMatchObject({ tool: 'sendOffer', effect: 'write' });
      expect(listOf(waiting?.['sources'])).toContainEqual({
        ...{ at: 'to', text: 'offers@saltmarsh-museum.example' },
        ...{ source: 'obs-1 (searchDocs)', observation: 'obs-1' },
      });
      await call(`${url}/v1/runs/${id}/approvals/${waiting?.['call']}/${word}`, { body: {} });
      const ended = await until(async () => {
        const { body } = await call(`${url}/v1/runs/${id}`);
        return body['result'] ? body : undefined;
      });
      expect([ended['status'], ended['answer']]).toEqual(['completed', expect.stringContaining('984.00')]);
    }
  }
  const outbox = join(desk.folder, '.assay', 'outbox');
  const sent = readdirSync(outbox).map((name) => readFileSync(join(outbox, name), 'utf8'));
  expect(sent).toHaveLength(2);
  for (const text of sent) expect(text).toMatch(/^To: offers@saltmarsh-museum\.example\nSubject: .+\n\n[\s\S]*984\.00/);

  // Another program has other agents.
  const elsewhere = await desk.assay(['fork', String(rows[0]?.['id']), '--at', '1']);
  expect(elsewhere).toMatchObject({ code: 2, stderr: expect.stringContaining('serve --demo') });
  demo.child.kill('SIGTERM');
  expect(await demo.ended).toMatchObject({ code: 0, stderr: expect.not.stringContaining('warning') });
});

test('options that the demo decides itself are refused', async () => {
  const { code, stderr } = await desk.assay(['serve', '--demo', '--tokens', 'assay.tokens.json']);
  expect([code, stderr]).toEqual([2, expect.stringContaining('leave out --tokens')]);
});

test('a run is shown in the browser for looking only, prompts included, with no model at hand', async () => {
  desk.write('assay.config.ts', noteConfig);
  const script = desk.write('notes.json', noteScript);
  const begun = await desk.json(['run', 'take two notes', '--model', `script:${script}`]);
  const { runId } = begun.value as { runId: string };
  desk.write('notes.json', { replies: ['another script'] });

  const shown = start(['show', 'last', '--web']);
  await shown.says('Ctrl-C');
  const [, url = ''] = new RegExp(`^(http://127\\.0\\.0\\.1:\\d+)/#/runs/${runId}\\n$`).exec(shown.stdout()) ?? [];
  expect((await call(`${url}/v1/me`)).body).toMatchObject({
    scopes: ['read'],
    agents: [{ name: 'default', models: [] }],
  });
  const [waiting] = listOf((await call(`${url}/v1/runs/${runId}/approvals`)).body['approvals']);
  expect(waiting).toMatchObject({ tool: 'writeNote', args: { text: 'buy rope' } });
  const decided = await call(`${url}/v1/runs/${runId}/approvals/${waiting?.['call']}/approve`, { body: {} });
  expect([decided.status, decided.body['type']]).toEqual([403, 'urn:assay:problem:scope']);
  expect((await call(`${url}/v1/runs`, { body: { task: 'x' } })).status).toBe(403);
  const calls = await call(`${url}/v1/runs/${runId}/calls`);
  expect(calls.body).toMatchObject({ complete: true, calls: [{ role: 'actor', messages: expect.any(Number) }] });
  shown.child.kill('SIGINT');
  expect((await shown.ended).code).toBe(0);
  expect((await desk.json(['runs'])).value).toMatchObject([{ id: runId, status: 'awaiting_approval' }]);
});
