import type { EventStore } from '../../trace/events.ts';
import { eventStreamHeaders, readableOf } from '../../ui-message-stream/readable.ts';
import { eventFrames } from '../event-stream.ts';
import type { LiveRuns } from '../live-runs.ts';
import { Problem } from '../problem.ts';
import { type Asked, json, type Route, route } from '../route.ts';
import type { RunFinder } from '../run-finder.ts';
import { EventsQuery, EventView } from '../schemas.ts';
import type { StreamCount } from '../stream-count.ts';

export interface EventRoutesContext {
  finder: RunFinder;
  live: LiveRuns;
  events: Pick<EventStore, 'read' | 'subscribe'>;
  streams: StreamCount;
  heartbeatMs: number;
  draining: AbortSignal;
  onError(error: unknown): void;
}

type Query = { after?: string | undefined; limit: number };

const standing: ReadonlySet<string> = new Set(['running', 'interrupted', 'awaiting_approval']);

/** The events of a run, as a stream or as an array. */
export function eventRoutes(context: EventRoutesContext): Route[] {
  return [
    route<Query>({
      method: 'get',
      path: '/v1/runs/:id/events',
      operation: 'getEvents',
      summary: 'The events of a run: stored ones, then live ones (text/event-stream), or an array (application/json)',
      scope: 'read',
      query: EventsQuery,
      headers: { 'last-event-id': 'Only events behind this one', accept: 'application/json for an array' },
      responses: {
        200: {
          description: 'Server-sent events; with Accept: application/json an array of them',
          schema: EventView.array(),
          types: ['text/event-stream', 'application/json'],
        },
        204: { description: 'The run has ended and the client has all events: do not come back' },
      },
      handle: (asked) => (wantsArray(asked.request) ? array(context, asked) : stream(context, asked)),
    }),
  ];
}

async function array(
  context: EventRoutesContext,
  { principal, params, query, request }: Asked<Query>,
): Promise<Response> {
  const { run } = await context.finder.get(principal, params['id'] ?? '');
  const after = query.after ?? lastEventId(request);
  return json(await context.events.read(run.id, { after, limit: query.limit }));
}

async function stream(
  context: EventRoutesContext,
  { principal, params, query, request }: Asked<Query>,
): Promise<Response> {
  const owned = await context.finder.get(principal, params['id'] ?? '');
  const after = lastEventId(request) ?? query.after;
  const { run } = owned;
  const ended = async (): Promise<string | undefined> => {
    const now = await context.finder.status({ ...owned, run: (await owned.agent.host.info(run.id)) ?? run });
    return standing.has(now) ? undefined : now;
  };
  if (after !== undefined && (await ended()) !== undefined && !(await hasMore(context, run.id, after))) {
    return new Response(null, { status: 204 });
  }
  if (request.method === 'HEAD') return new Response(null, { headers: eventStreamHeaders });
  const left = new AbortController();
  const gone = AbortSignal.any([left.signal, request.signal]);
  const leave = context.streams.enter();
  // A client may go before anybody reads the stream.
  gone.addEventListener('abort', leave, { once: true });
  const frames = eventFrames({
    runId: run.id,
    events: context.events,
    after,
    live: () => context.live.get(run.id),
    ended,
    heartbeatMs: context.heartbeatMs,
    gone,
    draining: context.draining,
  });
  const body = readableOf(encoded(frames, { leave, onError: context.onError }), { onGone: () => left.abort() });
  return new Response(body, { headers: eventStreamHeaders });
}

async function hasMore({ events }: EventRoutesContext, runId: string, after: string): Promise<boolean> {
  return (await events.read(runId, { after, limit: 1 })).length > 0;
}

const utf8 = new TextEncoder();

/** A stream that breaks is cut off, and its client comes back to where it was. */
async function* encoded(
  frames: AsyncIterable<string>,
  { leave, onError }: { leave(): void; onError(error: unknown): void },
): AsyncGenerator<Uint8Array> {
  try {
    for await (const frame of frames) yield utf8.encode(frame);
  } catch (error) {
    onError(error);
    throw error;
  } finally {
    leave();
  }
}

/** A browser sends the id as UTF-8, and a header is read as Latin-1. */
function lastEventId(request: Request): string | undefined {
  const value = request.headers.get('last-event-id');
  return value === null || value === '' ? undefined : Buffer.from(value, 'latin1').toString('utf8');
}

function wantsArray(request: Request): boolean {
  const accept = request.headers.get('accept') ?? '*/*';
  if (/text\/event-stream|\*\/\*|text\/\*/i.test(accept)) return false;
  if (/application\/(?:json|\*)/i.test(accept)) return true;
  throw new Problem({
    status: 406,
    code: 'accept',
    title: 'No such form of the events',
    detail: 'Events come as text/event-stream or as application/json.',
    remedy: 'Accept one of the two.',
  });
}
