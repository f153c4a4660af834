import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { median, printTable } from './measure.ts';
import type { Peers } from './peers.ts';

const runs = 1_000;
const turns = 10;
const delayMs = 50;
const rounds = 3;

/** Many runs at once with a model of 50 ms: the share of what the model's time alone would allow, and the peak memory. */
export function benchConcurrency(peers: Peers): void {
  // The model is asked once more than there are tool calls: for the end.
  const ideal = (turns + 1) * delayMs;
  const rows = ['assay', ...peers.map(({ name }) => name)].map((contender) => {
    const results = Array.from({ length: rounds }, () => inOwnProcess(contender));
    const ms = median(results.map((result) => result.ms));
    return [contender, ms, `${((100 * ideal) / ms).toFixed(0)} %`, median(results.map((result) => result.peakMiB))];
  });
  printTable(`${runs} concurrent runs of ${turns} steps, ${delayMs} ms a model call, warmed up (ideal ${ideal} ms)`, [
    ['', 'ms', 'of the ideal', 'peak MiB'],
    ...rows,
  ]);
}

function inOwnProcess(contender: string): { ms: number; peakMiB: number } {
  const worker = fileURLToPath(new URL('concurrency-worker.ts', import.meta.url));
  const text = execFileSync(process.execPath, [worker, contender, `${runs}`, `${turns}`, `${delayMs}`], {
    encoding: 'utf8',
  });
  // Printed by the worker above.
  return JSON.parse(text) as { ms: number; peakMiB: number };
}
