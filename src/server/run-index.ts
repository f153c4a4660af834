/** The index of runs in memory; a row that is late is put right when the run is looked at. */
import type { RunCursor, RunIndex, RunRow, RunStatus } from '../runtime/run-index.ts';

export const runStatuses: readonly RunStatus[] = [
  'running',
  'interrupted',
  'awaiting_approval',
  'parked',
  'completed',
  'revised',
  'needs_more_evidence',
  'stopped',
  'failed',
  'cancelled',
];

const keptInMemory = 10_000;

/** An index in memory, for hosts in memory: the oldest rows make room for new ones. */
export function inMemoryRunIndex(options: { keep?: number } = {}): RunIndex {
  const keep = options.keep ?? keptInMemory;
  const rows = new Map<string, RunRow>();
  return {
    put(row) {
      rows.set(row.id, row);
      for (const id of rows.keys()) {
        if (rows.size <= keep) break;
        rows.delete(id);
      }
    },
    get: (id) => rows.get(id),
    list: ({ tenant, agent, status, search, after, limit }) =>
      [...rows.values()]
        .filter((row) => row.tenant === tenant)
        .filter((row) => search === undefined || isFound(row, search))
        .filter((row) => (agent ?? row.agent) === row.agent && (status ?? row.status) === row.status)
        .filter((row) => after === undefined || newestFirst(after, row) < 0)
        .sort(newestFirst)
        .slice(0, limit),
    spent: (principal, since) =>
      [...rows.values()]
        .filter((row) => row.principal === principal && row.created >= since)
        .reduce((sum, { tokens, usd }) => ({ runs: sum.runs + 1, tokens: sum.tokens + tokens, usd: sum.usd + usd }), {
          runs: 0,
          tokens: 0,
          usd: 0,
        }),
    close() {
      rows.clear();
    },
  };
}

/** Whether a search means the row. */
function isFound({ id, task }: RunRow, search: string): boolean {
  return id.startsWith(search) || task.toLowerCase().includes(search.toLowerCase());
}

function newestFirst(a: RunCursor, b: RunCursor): number {
  if (a.created !== b.created) return b.created - a.created;
  return a.id < b.id ? 1 : a.id > b.id ? -1 : 0;
}
