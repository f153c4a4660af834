/**
 * What lists of runs are made from: one short row a run, for many machines and many tenants. The host holds the truth about a run; a row
 * may be late. Contract: `src/testing/run-index-contract.ts`.
 */
import type { Report } from '../core/attempt.ts';
import type { RunEvent } from '../core/event.ts';
import type { Status } from '../core/result.ts';

/** How a run stands. `interrupted`: its process died, and it goes on when it is resumed. `parked`: its journal does not fit the code. */
export type RunStatus = Status | 'running' | 'interrupted' | 'parked';

export interface RunRow {
  id: string;
  tenant: string;
  /** The name of its agent, which is the workflow of the host. */
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
  /** Milliseconds it was at work; known when it has ended. */
  activeMs?: number | undefined;
  /** Of the last report on its answer. */
  verdict?: Report['verdict'] | undefined;
  /** Model, solver and layers in one line, as the run itself says. */
  configuration?: string | undefined;
}

/** The configuration of a run in one line, such as `gpt-5-mini · react · lessons, verification, plan`. */
export function configurationLine({
  model,
  solver,
  layers,
}: Pick<Extract<RunEvent, { type: 'run.start' }>, 'model' | 'solver' | 'layers'>): string {
  return [model, solver, ...(layers.length > 0 ? [layers.join(', ')] : [])].join(' · ');
}

/** Where a page of a list begins: behind this run. */
export interface RunCursor {
  created: number;
  id: string;
}

export interface RunRowQuery {
  tenant: string;
  agent?: string | undefined;
  status?: RunStatus | undefined;
  /** Only rows whose task holds this text, in either case, or whose id begins with it. */
  search?: string | undefined;
  after?: RunCursor | undefined;
  limit: number;
}

/** Sums over runs. */
export interface Spent {
  runs: number;
  tokens: number;
  usd: number;
}

/** Rows by run. Every list names its tenant, so none can cross; `spent` names a principal, which belongs to one tenant. */
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
