import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { attemptWith } from '../../testing/attempt.ts';
import { offlineContext } from '../offline.ts';
import { type CommandPassesOptions, commandPasses } from './command-passes.ts';

let cwd = '';
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'assay-command-'));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

const task = { input: 'x', constraints: [], checks: [] };
const judged = (command: string, options: CommandPassesOptions = {}) =>
  commandPasses(command, { cwd, ...options }).evaluate(attemptWith({ answer: 'done' }), task, offlineContext());
const node = `"${process.execPath}"`;

describe('commandPasses', () => {
  it('judges the folder by the tests in it', async () => {
    const file = (sum: number): void =>
      writeFileSync(
        join(cwd, 'sum.test.mjs'),
        `import test from 'node:test';\nimport assert from 'node:assert';\ntest('sum', () => assert.equal(1 + 1, ${sum}));\ntest('zero', () => {});`,
      );
    file(2);
    expect(await judged(`${node} --test`)).toMatchObject({
      pass: true,
      score: 1,
      feedback: expect.stringContaining('2 tests passed'),
    });
    file(3);
    const failed = await judged(`${node} --test`);
    expect(failed).toMatchObject({ pass: false, score: 0.5 });
    expect(failed.feedback).toContain('2 == 3');
  });

  it.each([
    ['zero tests', 'echo "=== no tests ran in 0.01s ==="', '0 tests were run'],
    ['skipped tests only', 'echo "3 skipped in 0.01s"', '0 tests were run'],
    ['a hidden exit code', 'echo "1 failed, 2 passed in 0.1s"; exit 0', '1 tests failed'],
    ['a failing exit code', 'echo "2 passed in 0.1s"; exit 3', 'exit code 3'],
    ['no program', 'no-such-program-anywhere', 'exit code 127'],
  ])('passes no command with %s', async (_what, command, why) => {
    expect(await judged(command)).toMatchObject({ pass: false, feedback: expect.stringContaining(why) });
  });

  it('goes by the exit code where no number of tests is stated, unless one is asked for', async () => {
    expect(await judged('echo compiled')).toMatchObject({ pass: true });
    expect(await judged('echo compiled', { minTests: 1 })).toMatchObject({
      pass: false,
      feedback: expect.stringContaining('states no number of tests'),
    });
    expect(await judged('echo "2 passed in 0.1s"', { minTests: 3 })).toMatchObject({ pass: false });
  });

  it('ends a command that takes too long', async () => {
    expect(await judged('sleep 20', { timeoutMs: 200 })).toMatchObject({
      pass: false,
      feedback: expect.stringContaining('timeout'),
    });
  });

  it('keeps keys of this process from what runs, and gives it what is named', async () => {
    process.env['ASSAY_TEST_API_KEY'] = 'hunter2-hunter2';
    try {
      const { feedback } = await judged('echo "[$ASSAY_TEST_API_KEY] [$GIVEN]"; exit 1', { env: { GIVEN: 'given' } });
      expect(feedback).toContain('[] [given]');
    } finally {
      delete process.env['ASSAY_TEST_API_KEY'];
    }
  });

  it('refuses an empty command and a folder that is none', () => {
    expect(() => commandPasses(' ')).toThrow(/empty/);
    expect(() => commandPasses('true', { cwd: join(cwd, 'gone') })).toThrow(/not a folder/);
  });
});
