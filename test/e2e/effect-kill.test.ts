import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

let folder = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'assay-effect-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** When a process is killed: so long after it said that. */
interface Kill {
  at: 'ready' | 'paid';
  afterMs: number;
}

interface Life {
  killed: boolean;
  output: string;
}

/** One process at work on the run, until it ends or is killed. */
function live(runId: string, repeatable: boolean, kill?: Kill): Promise<Life> {
  const variables = {
    EFFECT_STORE: join(folder, 'runs.db'),
    EFFECT_LOG: join(folder, 'paid'),
    EFFECT_RUN: runId,
    EFFECT_REPEATABLE: repeatable ? '1' : '0',
  };
  const worker = spawn(process.execPath, [join(import.meta.dirname, 'effect-worker.ts')], {
    env: { ...process.env, ...variables },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  let left = kill;
  worker.stdout.on('data', (chunk) => {
    output += String(chunk);
    if (!(left && output.includes(left.at))) return;
    setTimeout(() => worker.kill('SIGKILL'), left.afterMs);
    left = undefined;
  });
  return new Promise((resolve) => {
    worker.once('close', (_code, signal) => resolve({ killed: signal === 'SIGKILL', output }));
  });
}

/** One run through its crashes to its end: how many there were, and the status of the payment. */
async function through(
  runId: string,
  kills: readonly Kill[],
  repeatable = false,
): Promise<{ crashes: number; ended: string }> {
  let crashes = 0;
  for (const kill of [...kills, undefined]) {
    const { killed, output } = await live(runId, repeatable, kill);
    if (!killed) return { crashes, ended: /ended (\S+)/.exec(output)?.[1] ?? output };
    crashes++;
  }
  throw new Error('a process that nobody kills came to no end');
}

/** Right after the effect, before its result is recorded; then in the middle of finding out. */
const inWindow = (): Kill[] => [
  { at: 'paid', afterMs: 5 },
  { at: 'ready', afterMs: Math.random() * 20 },
];
/** At any moment. */
const anywhere = (): Kill[] => Array.from({ length: 4 }, () => ({ at: 'ready', afterMs: Math.random() * 50 }));

/** How often each run paid. */
function payments(): number[] {
  const counts = new Map<string, number>();
  const file = join(folder, 'paid');
  const lines = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
  for (const line of lines) counts.set(line.split(' ')[0] ?? '', (counts.get(line.split(' ')[0] ?? '') ?? 0) + 1);
  return [...counts.values()];
}

test('an approved irreversible effect happens at most once over 50 crashes', async () => {
  // One that nobody kills shows that the payment is made at all.
  const endings = [(await through('calm', [])).ended];
  expect(endings).toEqual(['ok']);
  let crashes = 0;
  for (let run = 0; crashes < 50; run++) {
    const result = await through(`r${run}`, run % 3 === 2 ? anywhere() : inWindow());
    crashes += result.crashes;
    endings.push(result.ended);
  }
  expect(Math.max(...payments())).toBe(1);
  expect(endings.filter((ended) => ended === 'unknown-outcome').length).toBeGreaterThan(10);
}, 150_000);

test('the same crashes repeat an effect that says it is idempotent, so the test above can fail', async () => {
  for (const run of ['a', 'b']) await through(run, inWindow(), true);
  expect(Math.max(...payments())).toBeGreaterThan(1);
}, 60_000);
