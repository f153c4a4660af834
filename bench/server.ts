/**
 * The server under load: runs of two model calls and one tool call at a fixed rate, journal and events on disk. Exits 1 when a request fails
 * or when memory keeps growing. `node bench/server.ts [--seconds 60] [--rate 200]`
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { printTable } from './measure.ts';
import { type Load, loadServer } from './server/load.ts';

const mib = 1_048_576;
/** What may be live at the end more than in the middle: requests in flight, not something kept of each run. */
const mostGrowth = 8 * mib;

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '60' }, rate: { type: 'string', default: '200' } },
});
const seconds = Number(values.seconds);
const perSecond = Number(values.rate);

const folder = mkdtempSync(join(tmpdir(), 'assay-bench-server-'));
const worker = spawn(
  process.execPath,
  ['--expose-gc', fileURLToPath(new URL('server/server-worker.ts', import.meta.url)), join(folder, 'assay.db')],
  { stdio: ['ignore', 'pipe', 'inherit'] },
);
try {
  const [url] = await once(createInterface({ input: worker.stdout }), 'line');
  // A service is warm.
  await loadServer(String(url), { perSecond: Math.min(50, perSecond), seconds: 3 });
  process.exitCode = report(await loadServer(String(url), { perSecond, seconds }));
} finally {
  worker.kill('SIGTERM');
  await once(worker, 'exit');
  rmSync(folder, { recursive: true, force: true });
}

function report({ times, errors, start, middle, end }: Load): number {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number): string => `${(sorted[Math.floor(sorted.length * share)] ?? Number.NaN).toFixed(1)} ms`;
  const failed = [...errors.values()].reduce((sum, count) => sum + count, 0);
  const growth = end.heapUsed - middle.heapUsed;
  const states = [start, middle, end];
  const shown = (bytes: number): string => `${(bytes / mib).toFixed(0)} MiB`;
  printTable(`${perSecond} runs a second for ${seconds} s`, [
    ['requests', String(times.length + failed)],
    ['errors', String(failed)],
    ['p50', at(0.5)],
    ['p95', at(0.95)],
    ['p99', at(0.99)],
    ['processor time a run', `${((end.cpuMs - start.cpuMs) / Math.max(1, times.length)).toFixed(2)} ms`],
    ['resident at start, middle, end', states.map(({ rss }) => shown(rss)).join(', ')],
    ['live heap at start, middle, end', states.map(({ heapUsed }) => shown(heapUsed)).join(', ')],
  ]);
  for (const [what, count] of errors) console.log(`${count} x ${what}`);
  if (failed > 0) console.log('FAILED: requests were not answered well');
  if (growth > mostGrowth) console.log(`FAILED: ${shown(growth)} more are live at the end than in the middle`);
  return failed > 0 || growth > mostGrowth ? 1 : 0;
}
