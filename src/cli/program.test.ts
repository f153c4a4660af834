import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { UsageError } from '../core/errors.ts';
import { commands } from './commands.ts';
import { runProgram } from './program.ts';

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'assay-program-'));
  writeFileSync(join(folder, 'a-file.md'), 'text');
});

afterAll(() => rmSync(folder, { recursive: true }));

const usage: [name: string, args: string[], told: RegExp][] = [
  ['no task', ['run'], /Missing required argument 'task'\. See .* run --help/i],
  ['an empty task', ['run', '  '], /task is empty\. Say what/],
  ['a task without quotes', ['run', 'two', 'words'], /Put the task in quotes/],
  ['an unknown command', ['rnu', 'x'], /Did you mean run\?/],
  ['an unknown option', ['run', 'x', '--modle', 'y'], /Did you mean --model\?.*run --help/],
  ['an unknown option of a command that is not the first word', ['--json', 'run', 'x', '--modle', 'y'], /--model\?/],
  ['a number that is none', ['run', 'x', '--max-steps', 'many'], /Give a number above 0/],
  ['a fraction of a step', ['run', 'x', '--max-steps', '1.5'], /Give a whole number/],
  ['a wrong choice', ['run', 'x', '--solver', 'tree'], /Allowed choices are react, direct/],
  ['an unknown layer', ['run', 'x', '--layers', 'verfy'], /no layer 'verfy'\. Choose from lessons, verify/],
  ['an unknown action', ['lessons', 'lst'], /Allowed choices are list, show/],
  ['an unknown lesson', ['lessons', 'show', 'nothing'], /no lesson 'nothing'/],
  ['a lesson without a name', ['lessons', 'forget'], /Name the lesson by its id/],
  ['a missing config', ['run', 'x', '--config', 'none.ts'], /none\.ts does not exist.*assay init/],
  ['a look where nothing is', ['show', 'last'], /no runs in .* yet\. Start one/],
  ['a resume where nothing is', ['resume', 'last'], /no runs in .* yet/],
];

test.each(usage)('%s is wrong usage', async (_name, args, told) => {
  const outcome = runProgram([...args, '--home', join(folder, 'none')]);
  await expect(outcome).rejects.toThrow(UsageError);
  await expect(outcome).rejects.toThrow(told);
});

test('every command is loaded by its name', async () => {
  for (const spec of commands) expect(await spec.load(), spec.name).toBeTypeOf('function');
});
