import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { inMemoryRunIndex } from '../server/run-index.ts';
import { sqliteRunIndex } from '../server/sqlite-run-index.ts';
import { runIndexContract, runRow } from '../testing/run-index-contract.ts';

runIndexContract('in memory', () => ({ index: inMemoryRunIndex() }));

runIndexContract('sqlite', () => {
  const folder = mkdtempSync(join(tmpdir(), 'run-index-'));
  const another = () => sqliteRunIndex({ file: join(folder, 'runs.db') });
  return { index: another(), another, dispose: () => rmSync(folder, { recursive: true }) };
});

test('a file of an earlier version keeps its rows, and takes what is known now', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'run-index-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'runs.db');
  const old = new DatabaseSync(file);
  old.exec(`
    CREATE TABLE server_runs (
      id TEXT PRIMARY KEY, tenant TEXT NOT NULL, agent TEXT NOT NULL, principal TEXT NOT NULL, status TEXT NOT NULL,
      created INTEGER NOT NULL, updated INTEGER NOT NULL, task TEXT NOT NULL,
      tokens REAL NOT NULL, usd REAL NOT NULL, forked_from TEXT
    ) STRICT;
    INSERT INTO server_runs VALUES ('r1', 't1', 'default', 'p1', 'running', 1000, 1000, 'task of r1', 10, 0.25, NULL);`);
  old.close();
  for (const opened of [1, 2]) {
    const index = sqliteRunIndex({ file });
    expect(await index.get('r1')).toEqual(runRow('r1'));
    const row = runRow(`new${opened}`, { activeMs: 5, verdict: 'revise', configuration: 'm · s' });
    await index.put(row);
    expect(await index.get(row.id)).toEqual(row);
    index.close();
  }
});
