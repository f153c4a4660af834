/** What the server keeps with each run, in the run's own input, so that no index has to be trusted for whose it is. */
import { createHash } from 'node:crypto';
import * as z from 'zod';
import type { RunInput } from '../agent.ts';
import { canonicalJson, type Json } from '../core/json.ts';
import { Task } from '../core/task.ts';
import type { RunInfo } from '../runtime/durable.ts';
import { defaultTenant } from './server-options.ts';

export interface ServerRecord {
  tenant: string;
  /** The id of the token that started it; '' for none. */
  principal: string;
  /** SHA-256 of the request, for a run that was started under an idempotency key. */
  request?: string | undefined;
}

const ServerRecord: z.ZodType<ServerRecord> = z.object({
  tenant: z.string(),
  principal: z.string(),
  request: z.string().optional(),
});

/** The settings of a run with the server's record in them. */
export function settingsWith(settings: { [key: string]: Json }, record: ServerRecord): Json {
  const { tenant, principal, request } = record;
  return { ...settings, server: { tenant, principal, ...(request !== undefined && { request }) } };
}

/**
 * The server's record of a run. A run that no server started is the default tenant's, but not one that another run started: whose that
 * is, its own input does not say. Undefined for a run that is no agent's.
 */
export function recordOf(run: Pick<RunInfo, 'id' | 'input'>): ServerRecord | undefined {
  if (!isRunInput(run.input)) return undefined;
  const server: unknown = Reflect.get(Object(run.input.settings), 'server');
  if (server === undefined) return run.id.includes('/') ? undefined : { tenant: defaultTenant, principal: '' };
  return ServerRecord.safeParse(server).data;
}

/** What `Agent` stores with a run. */
export function isRunInput(input: unknown): input is RunInput {
  const task: unknown = Reflect.get(Object(input), 'task');
  const budget: unknown = Reflect.get(Object(input), 'budget');
  return Task.safeParse(task).success && typeof budget === 'object' && budget !== null;
}

/** The run of an idempotency key: the same key of the same tenant is the same run, on every machine and after every restart. */
export function keyedRunId(tenant: string, key: string): string {
  const hex = createHash('sha256')
    .update(JSON.stringify([tenant, key]))
    .digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `a${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  );
}

export function requestHash(body: unknown): string {
  return createHash('sha256').update(canonicalJson(body)).digest('hex');
}
