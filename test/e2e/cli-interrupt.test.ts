import { afterEach, beforeEach, expect, test } from 'vitest';
import { Desk, sumScript } from './cli-process.ts';

let desk: Desk;
const args = ['run', 'six times seven', '--model', 'script:slow.json', '--layers', 'none', '--run-id', 'slow'];
const observed = '← obs-1 ok';

beforeEach(() => {
  desk = new Desk();
  desk.write('slow.json', sumScript(60_000));
});

afterEach(() => desk.remove());

/** The same script at full speed: what a resumed run does not ask again may not be asked at all. */
function speedUp(): void {
  desk.write('slow.json', { rules: sumScript().rules.slice(1) });
}

test.each(['SIGINT', 'SIGTERM'] as const)(
  '%s stops the run where it stands and resume goes on with it',
  async (signal) => {
    const running = desk.start(args);
    await running.says(observed);
    running.child.kill(signal);
    const ended = await running.ended;
    expect(ended).toMatchObject({ code: 130, stdout: '' });
    expect(ended.stderr).toContain('assay resume slow');
    expect((await desk.json(['runs'])).value).toMatchObject([{ id: 'slow', status: 'interrupted' }]);
    speedUp();
    const resumed = await desk.assay(['resume', 'last']);
    expect(resumed.stdout).toMatch(/^It is 42\./);
    expect(resumed.stderr).not.toContain(observed);
    expect(resumed.stderr).toMatch(/turn 2 /);
  },
);

test('a killed process loses nothing that was recorded', async () => {
  const running = desk.start(args);
  await running.says(observed);
  running.child.kill('SIGKILL');
  await running.ended;
  speedUp();
  const { code, value } = await desk.json(['resume', 'slow']);
  expect(value).toMatchObject({ answer: 'It is 42.', usage: { modelCalls: 2, toolCalls: 1 } });
  expect(code).toBe(4);
});

test('two processes cannot execute one run, and the second is told what to do', async () => {
  const running = desk.start(args);
  try {
    await running.says(observed);
    expect((await desk.json(['runs'])).value).toMatchObject([{ status: 'running' }]);
    const second = await desk.assay(['resume', 'slow']);
    expect(second.stderr).toMatch(/being executed by process \d+: wait for it or stop that process/);
    expect(second.code).toBe(1);
  } finally {
    running.child.kill('SIGKILL');
    await running.ended;
  }
});

test('a reader that has seen enough is no error', async () => {
  desk.write('slow.json', sumScript());
  const running = desk.start(args);
  running.child.stdout?.destroy();
  const { code, stderr } = await running.ended;
  expect(stderr).not.toMatch(/EPIPE|Unexpected/);
  expect(code).toBe(4);
});
