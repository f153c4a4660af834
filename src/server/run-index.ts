/**
 * What lists of runs are made from: one short row a run. The host holds the truth about a run; a row that is late is put right when
 * the run is looked at.
 */
import type { Status } from '../core/result.ts';

/** How a run stands. `interrupted`: its process died; it goes on when it is resumed. `parked`: its journal does not fit the code. */
export type RunStatus = Status | 'running' | 'interrupted' | 'parked';
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

export interface RunRow {
  id: string;
  tenant: string;
  /** The name of its agent on this server. */
  agent: string;
  /** Who started it: the id of a token, or '' for none. */
  principal: string;
  status: RunStatus;
  /** Milliseconds since the epoch. */
  created: number;
  updated: number;
  /** The beginning of what was asked. */
  task: string;
  /** What it took; while it runs, what it may take at most. */
  tokens: number;
  usd: number;
  forkedFrom?: string | undefined;
}

/** Where a page of a list begins: after this run. */
export interface RunCursor {
  created: number;
  id: string;
}

export interface RunRowQuery {
  tenant: string;
  agent?: string | undefined;
  status?: RunStatus | undefined;
  after?: RunCursor | undefined;
  limit: number;
}

export interface Spent {
  runs: number;
  tokens: number;
  usd: number;
}

/** Rows by run. Every query names its tenant, so none can cross; `spent` names a principal, which belongs to one tenant. */
export interface RunIndex {
  /** Adds the row or takes the place of the one with its id. */
  put(row: RunRow): void | Promise<void>;
  get(id: string): RunRow | undefined | Promise<RunRow | undefined>;
  /** Newest first, by `created` and then by id. */
  list(query: RunRowQuery): readonly RunRow[] | Promise<readonly RunRow[]>;
  /** What the runs of a principal that were created since then took and may still take. */
  spent(principal: string, since: number): Spent | Promise<Spent>;
  close(): void | Promise<void>;
}

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
    list: ({ tenant, agent, status, after, limit }) =>
      [...rows.values()]
        .filter((row) => row.tenant === tenant)
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

function newestFirst(a: RunCursor, b: RunCursor): number {
  if (a.created !== b.created) return b.created - a.created;
  return a.id < b.id ? 1 : a.id > b.id ? -1 : 0;
}
