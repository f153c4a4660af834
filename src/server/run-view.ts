/** Runs as they are answered and listed. */
import { safeAnswer } from '../checks/safe-answer.ts';
import { StateError } from '../core/errors.ts';
import type { RunEvent } from '../core/event.ts';
import type { DurableHost, RunInfo } from '../runtime/durable.ts';
import { configurationLine, type RunCursor, type RunRow, type RunStatus } from '../runtime/run-index.ts';
import { storedResult } from '../stored-result.ts';
import { isRunInput, recordOf } from './run-record.ts';

/** Characters of a task in a list. */
const taskHead = 200;

/** How a run stands. A run whose process is gone still says `running`; asking the host for its end finds out. */
export async function statusOf(host: DurableHost, run: RunInfo): Promise<RunStatus> {
  if (run.state === 'suspended') return 'awaiting_approval';
  if (run.state !== 'running') return storedResult(run)?.status ?? run.state;
  try {
    await host.result(run.id, { waitMs: 1 });
    return 'running';
  } catch (error) {
    if (error instanceof StateError) return 'interrupted';
    throw error;
  }
}

/** What of a run is not in its `RunInfo`. */
export interface RunStanding {
  /** Its name in requests. */
  agent: string;
  status: RunStatus;
  /** As its first event says; undefined while it is not stored. */
  configuration?: string | undefined;
}

/** The row of a run; undefined when it is no agent's. */
export function rowOf(run: RunInfo, { agent, status, configuration }: RunStanding): RunRow | undefined {
  const record = recordOf(run);
  if (!record || !isRunInput(run.input)) return undefined;
  const { task, budget } = run.input;
  const result = storedResult(run);
  const used = result?.usage;
  const verdict = result?.attempt.reports.at(-1)?.verdict;
  return {
    id: run.id,
    tenant: record.tenant,
    agent,
    principal: record.principal,
    status,
    created: run.created,
    updated: run.updated,
    task: headOf(task.input),
    tokens: used?.tokens ?? budget.tokens ?? 0,
    usd: used?.usd ?? budget.usd ?? 0,
    ...(run.forkedFrom !== undefined && { forkedFrom: run.forkedFrom }),
    ...(result && { activeMs: result.metrics.activeMs }),
    ...(verdict && { verdict }),
    ...(configuration !== undefined && { configuration }),
  };
}

/** What a run says of itself when it begins, whoever executes it; undefined while that is not stored. */
export function configurationIn(events: readonly RunEvent[]): string | undefined {
  const began = events.find((event) => event.type === 'run.start');
  return began && configurationLine(began);
}

/** The beginning of a task, as lists show it. */
export function headOf(task: string): string {
  return task.slice(0, taskHead).replace(/\p{C}+/gu, ' ');
}

/** A run as `GET /v1/runs/{id}` answers it. */
export function viewOf(run: RunInfo, { agent, status, configuration }: RunStanding): { [key: string]: unknown } {
  const result = storedResult(run);
  const input = isRunInput(run.input) ? run.input : undefined;
  const answer = result?.answer;
  return {
    id: run.id,
    agent,
    status,
    created: new Date(run.created).toISOString(),
    updated: new Date(run.updated).toISOString(),
    ...(run.forkedFrom !== undefined && { forkedFrom: run.forkedFrom }),
    ...(configuration !== undefined && { configuration }),
    ...(input?.edited && { edited: input.edited }),
    task: input?.task ?? { input: '' },
    budget: input?.budget ?? {},
    pending: run.state === 'suspended' ? run.waitingFor.filter((name) => name.startsWith('approve:')).length : 0,
    ...(result
      ? { reason: result.reason }
      : run.error !== undefined && { reason: { code: run.state, detail: run.error } }),
    ...(result && answer !== undefined && { answer: safeAnswer({ ...result.attempt, answer }) }),
    ...(result && { result }),
  };
}

/** A row as lists answer it. */
export function summaryOf(row: RunRow): { [key: string]: unknown } {
  const { tenant: _tenant, principal: _principal, created, updated, ...shown } = row;
  return { ...shown, created: new Date(created).toISOString(), updated: new Date(updated).toISOString() };
}

export function cursorText({ created, id }: RunCursor): string {
  return Buffer.from(JSON.stringify([created, id])).toString('base64url');
}

/** Undefined for what `cursorText` did not write. */
export function cursorOf(text: string): RunCursor | undefined {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
    if (!Array.isArray(parsed)) return undefined;
    const [created, id]: unknown[] = parsed;
    return typeof created === 'number' && Number.isSafeInteger(created) && typeof id === 'string'
      ? { created, id }
      : undefined;
  } catch {
    return undefined;
  }
}
