import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'eval-kill-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const callsFile = (): string => join(folder, 'calls');
const calls = (): string[] =>
  existsSync(callsFile())
    ? readFileSync(callsFile(), 'utf8')
        .split('\n')
        .filter((line) => line !== '')
    : [];

/** One process at work on the evaluation, killed once so many replies were paid for; its output when it reached the end. */
function work(killAfter: number): Promise<string | undefined> {
  const worker = spawn(
    process.execPath,
    [join(import.meta.dirname, 'eval-worker.ts'), join(folder, 'evals'), callsFile()],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const before = calls().length;
  const watch = setInterval(() => {
    if (calls().length - before >= killAfter) worker.kill('SIGKILL');
  }, 1);
  let output = '';
  worker.stdout.on('data', (chunk) => {
    output += String(chunk);
  });
  return new Promise((resolve) => {
    worker.once('close', (code) => {
      clearInterval(watch);
      resolve(code === 0 ? output : undefined);
    });
  });
}

const concurrency = 4;

it('goes on after each kill, buys no recorded reply twice, and ends with the records of an evaluation that was left alone', async () => {
  let kills = 0;
  let ended: string | undefined;
  for (const killAfter of [7, 25, 31, Number.POSITIVE_INFINITY]) {
    ended = await work(killAfter);
    if (ended === undefined) kills += 1;
  }
  expect(kills).toBe(3);
  expect(JSON.parse(ended ?? '{}')).toMatchObject({ records: 80, right: 80 });
  // 40 direct answers, and 40 times a look and an answer. What was on its way at a kill was paid and is asked again.
  const distinct = new Set(calls());
  expect(distinct.size).toBe(120);
  expect(calls().length - distinct.size).toBeLessThanOrEqual(kills * concurrency);
}, 60_000);
