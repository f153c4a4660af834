import type { RunIndex } from '../../runtime/run-index.ts';
import { sharedDatabase } from '../engine.ts';
import type { Home } from '../home.ts';

/** What lists of runs are made from: in the shared database where one is named, else beside the runs. */
export async function openRunIndex(home: Home): Promise<RunIndex> {
  const connectionString = sharedDatabase();
  if (connectionString !== undefined) {
    const { postgresRunIndex } = await import('../../runtime/postgres-index.ts');
    return postgresRunIndex({ connectionString });
  }
  const { sqliteRunIndex } = await import('../../server/sqlite-run-index.ts');
  return sqliteRunIndex({ file: home.runs });
}
