/** `assay fork` and `assay cancel`: steering runs that are recorded, or that another process executes. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Desk, fieldOf, finalCall, sumScript } from './cli-process.ts';

let desk: Desk;

/** An agent whose model writes a line for every reply it was asked for. */
const countedConfig = `
import { appendFileSync } from 'node:fs';
import { calculator, defineAgent } from 'assay';

export default defineAgent({
  model: (_system, user) => {
    appendFileSync('asked.txt', '.');
    if (!user.includes('obs-1')) return '{"type":"tool","tool":"calculator","args":{"expression":"6 * 7"}}';
    return '{"type":"final","answer":"It is 42.","claims":[{"text":"42","evidence":[{"observation":"obs-1","quote":"6 * 7 = 42"}]}]}';
  },
  tools: [calculator()],
});
`;

const asked = (): number => readFileSync(join(desk.folder, 'asked.txt'), 'utf8').length;

describe('fork', () => {
  beforeAll(async () => {
    desk = new Desk();
    desk.write('counted.ts', countedConfig);
    desk.write('sum.json', sumScript());
    await desk.assay(['run', 'six times seven', '--config', 'counted.ts', '--run-id', 'counted']);
    const script = ['--model', 'script:sum.json', '--layers', 'none'];
    await desk.assay(['run', 'six times seven', ...script, '--run-id', 'scripted']);
  });
  afterAll(() => desk.remove());

  test('what is recorded up to the step is repeated and not bought again', async () => {
    expect(asked()).toBe(2);
    const { code, value } = await desk.json(['fork', 'counted', '--at', '1', '--run-id', 'branch']);
    expect(value).toMatchObject({ runId: 'branch', answer: 'It is 42.', usage: { modelCalls: 2, toolCalls: 1 } });
    expect(code).toBe(4);
    expect(asked()).toBe(3);
    expect((await desk.json(['show', 'branch'])).value).toMatchObject({ forkedFrom: 'counted', state: 'completed' });
  });

  test('a step is named by its key as well, and the last one buys nothing', async () => {
    const before = asked();
    const { stdout, stderr } = await desk.assay(['fork', 'counted', '--at', 'turn#2']);
    expect(stdout).toMatch(/^It is 42\./);
    expect(stderr).toMatch(/forks +counted after step 3, turn#2/);
    expect(asked()).toBe(before);
  });

  test('another model goes on from the step, on what the first one found', async () => {
    const reply = finalCall('The other says 42.', 'obs-1', '6 * 7 = 42');
    desk.write('other.json', { rules: [{ when: { role: 'actor' }, reply }] });
    const { value } = await desk.json(['fork', 'scripted', '--at', 'tool.calculator', '--model', 'script:other.json']);
    expect(value).toMatchObject({ answer: 'The other says 42.', usage: { modelCalls: 2 } });
    const [newest] = fieldOf((await desk.json(['runs', '--limit', '1'])).value, 'id');
    const again = await desk.json(['fork', String(newest), '--at', 'turn']);
    expect(again.value).toMatchObject({ answer: 'The other says 42.' });
  });

  test('an edited observation takes the place of what the tool returned, and the run is marked', async () => {
    desk.write('edited.txt', '6 * 7 = 42, says the file');
    const args = ['fork', 'scripted', '--observation', 'edited.txt', '--run-id', 'edited'];
    const { value } = await desk.json([...args, '--at', 'tool.calculator']);
    expect(value).toMatchObject({ attempt: { observations: [{ id: 'obs-1', content: '6 * 7 = 42, says the file' }] } });
    for (const how of [[], ['--events']]) {
      const { stdout } = await desk.assay(['show', 'edited', ...how]);
      expect(stdout).toMatch(/edited +obs-1 was written by hand/);
    }
    for (const [at, file, said] of [
      ['turn', 'edited.txt', 'made no observation'],
      ['tool.calculator', 'none.txt', 'cannot be read'],
    ] as const) {
      const refused = await desk.assay(['fork', 'scripted', '--at', at, '--observation', file]);
      expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining(said)]);
    }
  });

  test.each([
    ['no step', ['fork', 'counted'], 'Say where to branch off with --at'],
    ['a step there is not', ['fork', 'counted', '--at', '9'], "has no step '9'"],
  ])('with %s the steps are listed', async (_, args, said) => {
    const { code, stderr, stdout } = await desk.assay(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(said);
    expect(stderr).toMatch(/\n {2}1 turn\n {2}2 tool\.calculator\n {2}3 turn#2/);
  });
});

describe('cancel', () => {
  beforeAll(() => {
    desk = new Desk();
    desk.write('slow.json', sumScript(60_000));
  });
  afterAll(() => desk.remove());

  /** With `--json` the running command says nothing before its end. */
  const foundIn = (runId: string): Promise<void> =>
    expect
      .poll(async () => (await desk.assay(['show', runId, '--events'])).stdout, { timeout: 10_000 })
      .toContain('= 42');

  const slow = ['run', 'six times seven', '--model', 'script:slow.json', '--layers', 'none', '--run-id'];

  test('ends a run that another process executes, and keeps what it found', async () => {
    const running = desk.start([...slow, 'live', '--json']);
    try {
      await foundIn('live');
      const said = await desk.assay(['cancel', 'live']);
      expect(said).toMatchObject({ code: 0, stdout: 'Cancelled live.\n' });
      const { code, stdout } = await running.ended;
      expect(code).toBe(130);
      expect(JSON.parse(stdout)).toMatchObject({
        status: 'cancelled',
        attempt: { observations: [{ content: expect.stringContaining('6 * 7 = 42') }] },
      });
    } finally {
      running.child.kill('SIGKILL');
      await running.ended;
    }
    const again = await desk.assay(['cancel', 'live']);
    expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining('ended already') });
  });

  test('ends a run whose process is gone', async () => {
    const running = desk.start([...slow, 'gone']);
    await running.says('obs-1 ok');
    running.child.kill('SIGKILL');
    await running.ended;
    expect((await desk.json(['cancel', 'gone'])).value).toEqual({ run: 'gone', cancelled: true });
    expect((await desk.json(['runs', '--limit', '1'])).value).toMatchObject([{ id: 'gone', status: 'cancelled' }]);
    expect(await desk.assay(['resume', 'gone'])).toMatchObject({
      code: 130,
      stdout: expect.stringMatching(/^cancelled/m),
    });
  });
});
