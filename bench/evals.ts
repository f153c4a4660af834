/**
 * `npm run bench:evals`: the ablation of the example suite (SIMULATED models), as `assay eval examples/suites/price-desk --ablate` runs it,
 * in a folder of its own: how long it takes, what it says, and that every kind of report can be written. Exits with 1 when it takes longer
 * than a minute, when a run broke, or when a report is missing.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const mostSeconds = 60;
const root = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'bench-evals-'));
const reports = ['report.html', 'report.md', 'junit.xml', 'recommended.config.ts'].map((name) => join(folder, name));
const [html = '', markdown = '', junit = '', config = ''] = reports;
const began = performance.now();
const ended = spawnSync(
  process.execPath,
  [
    ...[join(root, 'bin/assay.js'), 'eval', join(root, 'examples/suites/price-desk'), '--ablate', '--home', folder],
    ...['--report', html, '--report', markdown, '--junit', junit, '--write-config', config],
  ],
  { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] },
);
const seconds = (performance.now() - began) / 1_000;
const missing = reports.filter((file) => !(statSync(file, { throwIfNoEntry: false })?.size ?? 0));
rmSync(folder, { recursive: true });
console.log(ended.stdout);
const faults = [
  ...(ended.status === 0 ? [] : [`it ended with ${ended.status ?? ended.signal}: ${ended.stderr.slice(-2_000)}`]),
  ...(/ broken/.test(ended.stderr) ? ['runs broke'] : []),
  ...missing.map((file) => `${file} was not written`),
  ...(seconds <= mostSeconds ? [] : [`it took ${seconds.toFixed(0)} s, the target is ${mostSeconds} s`]),
];
console.log(`${seconds.toFixed(1)} s for the ablation with its reports; the target is ${mostSeconds} s`);
for (const fault of faults) console.log(`MISSED: ${fault}`);
process.exitCode = faults.length > 0 ? 1 : 0;
