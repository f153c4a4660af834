/**
 * `npm run bench [steps journal cold-start prefix]`: prints the measures the documents quote. Every figure of one call is
 * taken in one go, contenders in turn; machines are noisy, so quote ratios. The models are in-process and instant or sleep: no figure
 * here is a real model's.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadPeers } from './peers.ts';

const asked = process.argv.slice(2);
const wanted = (name: string): boolean => asked.length === 0 || asked.includes(name);
execFileSync(process.execPath, [fileURLToPath(new URL('../scripts/build.ts', import.meta.url))], { stdio: 'inherit' });
// What is measured was built only now.
const { benchColdStart } = await import('./cold-start.ts');
const { benchJournal } = await import('./journal.ts');
const { benchPrefix } = await import('./prefix.ts');
const { benchSteps } = await import('./steps.ts');

const folder = mkdtempSync(join(tmpdir(), 'assay-bench-'));
console.log(`Node ${process.versions.node}, ${availableParallelism()} cores; scripted in-process models`);
try {
  const peers = wanted('steps') ? await loadPeers() : [];
  if (wanted('steps')) await benchSteps(folder, peers);
  if (wanted('journal')) await benchJournal(folder);
  if (wanted('cold-start')) benchColdStart(folder);
  if (wanted('prefix')) await benchPrefix();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
