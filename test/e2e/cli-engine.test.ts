/** The command line over a real Restate server: workers and commands are processes of their own. */
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { noPostgres, startPostgres } from '../../src/testing/postgres-server.ts';
import { freePorts, noRestate, type RestateServer, startRestate } from '../../src/testing/restate-server.ts';
import { Desk, type Ended, fieldOf, noteConfig, noteScript, type Running, sumScript } from './cli-process.ts';
import { call } from './server-fixture.ts';

const sample = fileURLToPath(new URL('../../examples/price-desk/', import.meta.url));
const question = 'SKU-42, 37 units at ten percent off: what is the total?';
const clerk = ['--model', `script:${sample}script.json`, '--docs', `${sample}docs/en`];

/** Each look is a process of its own. */
const slowly = { timeout: 10_000, interval: 50 };

const reason = noRestate();
const noDatabase = noPostgres();
const told = (why: string | undefined): string => (why === undefined ? '' : ` (skipped: ${why})`);

describe.skipIf(reason !== undefined)(`with --engine restate${told(reason)}`, () => {
  let server: RestateServer;
  let desk: Desk;
  let workers: Running[] = [];
  let env: Record<string, string>;
  let engine: string[];

  beforeEach(async () => {
    desk = new Desk();
    server = await startRestate();
    env = { ASSAY_ENGINE_ADMIN: server.admin };
    engine = ['--engine', 'restate', '--at', server.ingress];
  });
  afterEach(async () => {
    for (const worker of workers) await killed(worker);
    workers = [];
    await server.close();
    desk.remove();
  });

  const killed = async ({ child, ended }: Running): Promise<void> => {
    child.kill('SIGKILL');
    await ended;
  };
  const assay = (...args: string[]): Promise<Ended> => desk.assay([...args, ...engine], { env });
  const json = async (...args: string[]): Promise<unknown> => JSON.parse((await assay(...args, '--json')).stdout);

  /** A worker that listens, on a port that it has again after a restart. */
  async function work(
    args: readonly string[],
    at: { port?: number; env?: Record<string, string> } = {},
  ): Promise<Running> {
    const [free = 0] = at.port === undefined ? await freePorts(1) : [at.port];
    const listen = ['--listen', `127.0.0.1:${free}`];
    const worker = desk.start(['worker', ...engine, ...listen, ...args], { env: { ...env, ...at.env } });
    workers.push(worker);
    await worker.says('Working for');
    return worker;
  }

  test('a run is shown live to its end, and comes out as it does on SQLite', async () => {
    await work(clerk);
    const there = await assay('run', question, '--run-id', 'there', '--events', 'there.jsonl', '--budget-usd', '1');
    const here = await desk.assay([
      'run',
      question,
      ...clerk,
      '--run-id',
      'here',
      '--home',
      join(desk.folder, 'sqlite'),
    ]);
    expect(there.code).toBe(0);
    expect(there.code).toBe(here.code);
    expect(comparable(there.stdout)).toBe(comparable(here.stdout));
    expect(comparable(withoutModel(here.stderr))).toBe(comparable(there.stderr));
    const lines = readFileSync(join(desk.folder, 'there.jsonl'), 'utf8').trim().split('\n');
    expect(
      fieldOf(
        lines.map((line) => JSON.parse(line)),
        'type',
      ),
    ).toEqual(expect.arrayContaining(['run.start', 'run.end']));
    const shown = await assay('show', 'there');
    expect(shown.stdout).toMatch(/began .*, completed\n[\s\S]*4,386\.00/);
    expect(await json('runs')).toMatchObject([{ id: 'there', status: 'revised' }]);
    expect(await json('resume', 'last')).toMatchObject({ runId: 'there', status: 'revised' });
    expect((await assay('show', 'last', '--events')).stdout).toMatch(/verify +pass/);
    expect(await json('run', question)).toMatchObject({
      status: 'completed',
      answer: expect.stringContaining('4,386.00'),
    });
  });

  test('an approval is answered after worker and engine were both restarted', async () => {
    desk.write('assay.config.ts', noteConfig);
    desk.write('notes.json', noteScript);
    const [port = 0] = await freePorts(1);
    const before = await work(['--config', 'assay.config.ts'], { port });
    const waiting = await assay('run', 'note two things', '--run-id', 'notes');
    expect(waiting.code).toBe(5);
    expect(waiting.stdout).toContain(`approve notes ${engine.join(' ')}`);
    await killed(before);
    await server.killAndRestart();
    await work(['--config', 'assay.config.ts'], { port });
    // Whoever decides may do it where the agent is not known.
    rmSync(join(desk.folder, 'assay.config.ts'));
    expect(await json('runs')).toMatchObject([{ id: 'notes', status: 'awaiting_approval' }]);
    const one = await assay('approve', 'notes', '1', '--no-resume');
    expect(one).toMatchObject({ code: 0, stdout: expect.stringContaining(`resume notes ${engine.join(' ')}`) });
    // The worker has gone on with the first one; the second is still called by its number.
    await expect.poll(async () => fieldOf([await json('show', 'notes')], 'pending'), slowly).toMatchObject([[{}]]);
    const two = await assay('approve', 'notes', '2');
    expect(two).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Noted\./) });
    expect(readFileSync(join(desk.folder, 'notes.txt'), 'utf8')).toBe('buy rope\nsell lamps\n');
    await assay('run', 'note two things', '--run-id', 'denied');
    const denied = await json('deny', 'denied', '--all', '--reason', 'not on a Monday');
    expect(denied).toMatchObject({ answer: 'It was refused.' });
  }, 40_000);

  test('cancel ends a run, and an interrupt of the command that follows it does not', async () => {
    desk.write('slow.json', sumScript(60_000));
    await work(['--model', 'script:slow.json', '--layers', 'none']);
    const follower = desk.start(['run', 'six times seven', '--run-id', 'slow', ...engine], { env });
    await follower.says('obs-1 ok');
    follower.child.kill('SIGINT');
    const left = await follower.ended;
    expect(left.code).toBe(130);
    expect(left.stderr).toContain(`The run goes on without you. Follow it: assay resume slow ${engine.join(' ')}`);
    expect(await json('runs')).toMatchObject([{ id: 'slow', status: 'running' }]);
    const again = desk.start(['resume', 'slow', '--json', ...engine], { env });
    expect(await assay('cancel', 'slow')).toMatchObject({ code: 0, stdout: 'Cancelled slow.\n' });
    const { code, stdout } = await again.ended;
    expect(code).toBe(130);
    expect(JSON.parse(stdout)).toMatchObject({ status: 'cancelled', attempt: { observations: [{ status: 'ok' }] } });
  });

  test('where no worker is, it says what to do, and the run waits for one', async () => {
    const none = await assay('run', 'six times seven');
    expect(none).toMatchObject({ code: 1, stderr: expect.stringMatching(/start a worker/) });
    desk.write('sum.json', sumScript());
    const [port = 0] = await freePorts(1);
    const agent = ['--model', 'script:sum.json', '--layers', 'none'];
    const gone = await work(agent, { port });
    gone.child.kill('SIGTERM');
    expect((await gone.ended).code).toBe(0);
    const waits = desk.start(['run', 'six times seven', ...engine], { env });
    await waits.says(`start one: assay worker ${engine.join(' ')}`);
    await work(agent, { port });
    const { code, stdout } = await waits.ended;
    expect(code).toBe(4);
    expect(stdout).toMatch(/^It is 42\./);
  }, 30_000);

  test('the server acknowledges a run at once, tells its progress and its end, and survives its worker', async () => {
    desk.write('slow.json', sumScript(1_500));
    const worker = await work(['--model', 'script:slow.json', '--layers', 'none']);
    const [free = 0, port = 0] = await freePorts(2);
    const serving = desk.start(['serve', '--port', String(free), ...engine], { env });
    workers.push(serving);
    await serving.says('Serving on');
    const url = `http://127.0.0.1:${free}/v1`;
    const begun = await call(`${url}/runs`, { body: { task: 'six times seven' } });
    expect([begun.status, begun.body['status']]).toEqual([202, 'running']);
    const messages = [{ role: 'user', content: 'six times seven' }];
    const chat = await call(`${url}/chat/completions`, { body: { model: 'default', stream: true, messages } });
    expect(String(chat.body['text'])).toMatch(/^: .*calculator[\s\S]*It is 42\./m);
    await killed(worker);
    const left = await call(`${url}/runs`, { body: { task: 'six times seven' } });
    await work(['--model', 'script:slow.json', '--layers', 'none'], { port });
    const ended = async (id: unknown): Promise<unknown> => (await call(`${url}/runs/${id}`)).body['answer'];
    await expect.poll(() => ended(begun.body['id']), slowly).toBe('It is 42.');
    await expect.poll(() => ended(left.body['id']), { timeout: 20_000, interval: 100 }).toBe('It is 42.');
  }, 40_000);

  test('a fork repeats what is recorded', async () => {
    desk.write('sum.json', sumScript());
    await work(['--model', 'script:sum.json', '--layers', 'none']);
    await assay('run', 'six times seven', '--run-id', 'whole');
    desk.write('sum.json', { rules: sumScript().rules.slice(1) });
    // --at is a step here, so the engine is named with its address.
    const named = ['--engine', `restate@${server.ingress}`, '--json'];
    const { stdout } = await desk.assay(['fork', 'whole', '--at', 'turn', '--run-id', 'branch', ...named], { env });
    expect(JSON.parse(stdout)).toMatchObject({ runId: 'branch', answer: 'It is 42.', usage: { modelCalls: 2 } });
    expect(await json('show', 'branch')).toMatchObject({ forkedFrom: 'whole' });
  });

  test.each([
    ['--docs', ['run', 'x', '--docs', '.']],
    ['--model', ['run', 'x', '--model', 'script:sum.json']],
    ['--layers', ['run', 'x', '--layers', 'none']],
    ['--solver', ['run', 'x', '--solver', 'direct']],
    ['--config', ['run', 'x', '--config', 'some.config.ts']],
    ['--max-steps', ['resume', 'x', '--max-steps', '3']],
    ['--model', ['serve', '--model', 'script:sum.json']],
  ])('%s is the word of a worker: given to "%s" it is refused', async (flag, args) => {
    const { code, stderr } = await assay(...args);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(flag) });
    expect(stderr).toContain('assay worker');
  });

  test('an address without an engine, an engine there is not, and a worker without one are wrong usage', async () => {
    const alone = await desk.assay(['run', 'x', '--at', server.ingress]);
    expect(alone).toMatchObject({ code: 2, stderr: expect.stringContaining('--engine restate') });
    const unknown = await desk.assay(['runs', '--engine', 'steam']);
    expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining('sqlite or restate') });
    const idle = await desk.assay(['worker']);
    expect(idle).toMatchObject({ code: 2, stderr: expect.stringContaining('--engine restate') });
  });

  test.skipIf(noDatabase !== undefined)(
    `worker and client in different homes share events and lessons through PostgreSQL${told(noDatabase)}`,
    async () => {
      const database = await startPostgres();
      try {
        const shared = { ASSAY_POSTGRES: database.url };
        const [far, near] = ['far', 'near'].map((name) => join(desk.folder, name)) as [string, string];
        for (const folder of [far, near]) mkdirSync(folder, { recursive: true });
        await work(clerk, { env: { ...shared, ASSAY_HOME: far } });
        const client = (...args: string[]): Promise<Ended> =>
          desk.assay(args, { env: { ...env, ...shared, ASSAY_HOME: near, ASSAY_ENGINE: `restate@${server.ingress}` } });
        const first = await client('run', question, '--run-id', 'first');
        expect(first).toMatchObject({ code: 0, stderr: expect.stringMatching(/lesson +kept:/) });
        expect((await client('show', 'first', '--events')).stdout).toMatch(/→ obs-1 searchDocs/);
        expect(JSON.parse((await client('lessons', '--json')).stdout)).toMatchObject([{ scope: 'default' }]);
        const second = await client('run', question);
        expect(second).toMatchObject({ code: 0, stderr: expect.stringMatching(/lessons +1 recalled/) });
      } finally {
        for (const worker of workers) await killed(worker);
        workers = [];
        await database.close();
      }
    },
    60_000,
  );
});

/** Without names and times, which differ from run to run. */
function comparable(text: string): string {
  return (
    text
      .replace(/\b(there|here)\b/g, 'RUN')
      .replace(/[\d.,]+ m?s\b/g, 'TIME')
      .replace(/TIME: .*$/gm, 'TIME')
      // Estimated from prompts that hold the boundary of the run, and the digits of two boundaries differ.
      .replace(/about [\d,]+( [+] [\d,]+)? tokens/g, 'about N tokens')
      .trim()
  );
}

/** The command that executes a run itself tells of its model first. */
function withoutModel(text: string): string {
  return text.replace(/^model +script:.*\n(?: +.*\n)*?(?=run )/, '');
}
