import { setTimeout as delay } from 'node:timers/promises';
import type { Limits } from '../../core/budget.ts';
import type { LiveRuns } from '../live-runs.ts';
import { Problem } from '../problem.ts';
import { type Asked, json, type Route, route } from '../route.ts';
import type { RunFinder } from '../run-finder.ts';
import type { RunStarter, Started } from '../run-starter.ts';
import { cursorOf, cursorText, summaryOf, viewOf } from '../run-view.ts';
import { ForkBody, NoQuery, ResumeBody, RunBody, RunPage, RunsQuery, RunView, WaitQuery } from '../schemas.ts';
import type { Principal } from '../tokens.ts';

export interface RunRoutesContext {
  finder: RunFinder;
  starter: RunStarter;
  live: LiveRuns;
  waitMs: number;
  /** Aborted when the server goes down. */
  draining: AbortSignal;
}

const begunResponses = {
  200: { description: 'The run with its Result, when it was waited for', schema: RunView },
  202: { description: 'The run began; `Location` is where to look', schema: RunView },
};
const waitHeaders = { prefer: '`wait` or `wait=SECONDS`: answer with the Result (RFC 7240)' };

/** Start, list, look, cancel, resume, fork. */
export function runRoutes(context: RunRoutesContext): Route[] {
  const { finder, starter } = context;
  return [
    route({
      method: 'post',
      path: '/v1/runs',
      operation: 'startRun',
      summary: 'Starts a run',
      scope: 'run',
      query: WaitQuery,
      body: RunBody,
      headers: { 'idempotency-key': 'The same key with the same body is the same run', ...waitHeaders },
      responses: begunResponses,
      handle: async ({ principal, body, query, request }) =>
        answer(context, principal, {
          started: await starter.start(principal, body, idempotencyKey(request)),
          waitMs: waitFor(request, query.wait, context.waitMs),
          request,
        }),
    }),
    route({
      method: 'get',
      path: '/v1/runs',
      operation: 'listRuns',
      summary: 'The runs of the tenant, newest first',
      scope: 'read',
      query: RunsQuery,
      responses: { 200: { description: 'A page', schema: RunPage } },
      handle: async ({ principal, query }) => {
        const { after, ...rest } = query;
        const cursor = after === undefined ? undefined : cursorOf(after);
        if (after !== undefined && !cursor) throw badCursor();
        const { rows, next } = await finder.list(principal, { ...rest, after: cursor });
        return json({ runs: rows.map(summaryOf), ...(next && { next: cursorText(next) }) });
      },
    }),
    route({
      method: 'get',
      path: '/v1/runs/:id',
      operation: 'getRun',
      summary: 'One run with its Result',
      scope: 'read',
      query: NoQuery,
      responses: { 200: { description: 'The run', schema: RunView } },
      handle: async ({ principal, params }) => json(await view(context, principal, params['id'] ?? '')),
    }),
    route({
      method: 'post',
      path: '/v1/runs/:id/cancel',
      operation: 'cancelRun',
      summary: 'Asks a run to end; its Result keeps what was found',
      scope: 'run',
      query: NoQuery,
      responses: { 202: { description: 'It was asked', schema: RunView } },
      handle: async ({ principal, params }) => {
        const id = params['id'] ?? '';
        await starter.cancel(principal, id);
        return json(await view(context, principal, id), 202);
      },
    }),
    ...continuing(context),
  ];
}

function continuing(context: RunRoutesContext): Route[] {
  const { starter } = context;
  const begin = async (
    { principal, query, request }: Asked<{ wait?: 'true' | 'false' | undefined }>,
    started: Started,
  ): Promise<Response> =>
    answer(context, principal, { started, waitMs: waitFor(request, query.wait, context.waitMs), request });
  return [
    route<{ wait?: 'true' | 'false' | undefined }, { budget?: Limits | undefined }>({
      method: 'post',
      path: '/v1/runs/:id/resume',
      operation: 'resumeRun',
      summary: 'Goes on after a crash or a parking; with a budget, as a new run from where a limit stopped it',
      scope: 'run',
      query: WaitQuery,
      body: ResumeBody,
      headers: waitHeaders,
      responses: begunResponses,
      handle: async (asked) =>
        begin(asked, await starter.resume(asked.principal, asked.params['id'] ?? '', asked.body.budget)),
    }),
    route<{ wait?: 'true' | 'false' | undefined }, ForkBody>({
      method: 'post',
      path: '/v1/runs/:id/fork',
      operation: 'forkRun',
      summary: 'A new run that repeats the journal of this one up to an entry, at no cost, and goes on from there',
      scope: 'run',
      query: WaitQuery,
      body: ForkBody,
      headers: waitHeaders,
      responses: begunResponses,
      handle: async (asked) => begin(asked, await starter.fork(asked.principal, asked.params['id'] ?? '', asked.body)),
    }),
  ];
}

interface Answering {
  started: Started;
  /** 0: at once. */
  waitMs: number;
  request: Request;
}

/** The run, now or when it has ended. A client that goes away leaves its run alone. */
async function answer(
  context: RunRoutesContext,
  principal: Principal,
  { started, waitMs, request }: Answering,
): Promise<Response> {
  const { runId, replayed } = started;
  const ended = waitMs > 0 && (await waited(context, principal, { runId, waitMs, request }));
  return json(await view(context, principal, runId), ended ? 200 : 202, {
    location: whereIs(request, runId),
    ...(waitMs > 0 && { 'preference-applied': 'wait' }),
    ...(replayed && { 'idempotent-replayed': 'true' }),
  });
}

/** Relative to the request's own address, since what the server is mounted in may have taken a prefix off. */
function whereIs(request: Request, runId: string): string {
  const { pathname } = new URL(request.url);
  return `${pathname.endsWith('/v1/runs') ? 'runs' : '..'}/${encodeURIComponent(runId)}`;
}

async function waited(
  { finder, live, draining }: RunRoutesContext,
  principal: Principal,
  { runId, waitMs, request }: { runId: string; waitMs: number; request: Request },
): Promise<boolean> {
  const stop = new AbortController();
  const signal = AbortSignal.any([stop.signal, draining, request.signal]);
  const late = delay(waitMs, false, { signal }).catch(() => false);
  const handle = live.get(runId);
  const end = handle ? handle.result.then(() => true) : endElsewhere(finder, principal, { runId, waitMs });
  try {
    return await Promise.race([end.catch(() => false), late]);
  } finally {
    stop.abort();
  }
}

/** Of a run that has ended, or that another process executes. */
async function endElsewhere(
  finder: RunFinder,
  principal: Principal,
  { runId, waitMs }: { runId: string; waitMs: number },
): Promise<boolean> {
  const { agent } = await finder.get(principal, runId);
  return (await agent.host.result(runId, { waitMs })).state !== 'running';
}

async function view(
  { finder }: RunRoutesContext,
  principal: Principal,
  id: string,
): Promise<{ [key: string]: unknown }> {
  const owned = await finder.get(principal, id);
  return viewOf(owned.run, await finder.standing(owned));
}

function idempotencyKey(request: Request): string | undefined {
  const key = request.headers.get('idempotency-key') ?? undefined;
  if (key === undefined || /^[\x21-\x7e]{1,255}$/.test(key)) return key;
  throw new Problem({
    status: 400,
    code: 'idempotency-key',
    title: 'The Idempotency-Key cannot be used',
    detail: 'It has to be 1 to 255 visible ASCII characters.',
    remedy: 'Send for example a UUID.',
  });
}

/** Milliseconds to wait, from `?wait=true` or `Prefer: wait=SECONDS`. */
function waitFor(request: Request, wait: string | undefined, most: number): number {
  if (wait !== undefined) return wait === 'true' ? most : 0;
  const asked = /(?:^|[,;\s])wait(?:\s*=\s*"?(\d{1,6})"?)?(?=$|[,;\s])/i.exec(request.headers.get('prefer') ?? '');
  if (!asked) return 0;
  return asked[1] === undefined ? most : Math.min(most, Number(asked[1]) * 1_000);
}

function badCursor(): Problem {
  return new Problem({
    status: 400,
    code: 'cursor',
    title: 'The page is not known',
    detail: '`after` is no `next` of a page of this list.',
    remedy: 'Begin without `after`.',
  });
}
