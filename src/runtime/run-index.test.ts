import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inMemoryRunIndex } from '../server/run-index.ts';
import { sqliteRunIndex } from '../server/sqlite-run-index.ts';
import { runIndexContract } from '../testing/run-index-contract.ts';

runIndexContract('in memory', () => ({ index: inMemoryRunIndex() }));

runIndexContract('sqlite', () => {
  const folder = mkdtempSync(join(tmpdir(), 'run-index-'));
  const another = () => sqliteRunIndex({ file: join(folder, 'runs.db') });
  return { index: another(), another, dispose: () => rmSync(folder, { recursive: true }) };
});
