/**
 * `npm run bench [steps journal concurrency cold-start prefix]`: prints the measures the documents quote. Every figure of one call is
 * taken in one go, contenders in turn; machines are noisy, so quote ratios. The models are in-process and instant or sleep: no figure
 * here is a real model's.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { benchColdStart } from './cold-start.ts';
import { benchConcurrency } from './concurrency.ts';
import { benchJournal } from './journal.ts';
import { loadPeers } from './peers.ts';
import { benchPrefix } from './prefix.ts';
import { benchSteps } from './steps.ts';

const asked = process.argv.slice(2);
const wanted = (name: string): boolean => asked.length === 0 || asked.includes(name);
const folder = mkdtempSync(join(tmpdir(), 'assay-bench-'));
console.log(`Node ${process.versions.node}, ${availableParallelism()} cores; scripted in-process models`);
try {
  const peers = wanted('steps') || wanted('concurrency') ? await loadPeers() : [];
  if (wanted('steps')) await benchSteps(folder, peers);
  if (wanted('journal')) await benchJournal(folder);
  if (wanted('concurrency')) benchConcurrency(peers);
  if (wanted('cold-start')) benchColdStart(folder);
  if (wanted('prefix')) await benchPrefix();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
