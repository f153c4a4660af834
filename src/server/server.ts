/**
 * Agents over HTTP. No global state: several servers live in one process, and one can be mounted in an app of the host's own, since all it
 * needs is a web `Request` and all it gives is a `Response`.
 */
import { Hono } from 'hono';
import type { RunIndex } from '../runtime/run-index.ts';
import { Admission } from './admission.ts';
import { Agents } from './agents.ts';
import { chatMounts } from './chat-mount.ts';
import { Dispatcher } from './dispatcher.ts';
import { Guard } from './guard.ts';
import { Inspector } from './inspect/inspector.ts';
import { LiveRuns } from './live-runs.ts';
import { mcpMount } from './mcp-mount.ts';
import type { Mount } from './mount.ts';
import { openApiDocument } from './openapi.ts';
import { Page } from './page.ts';
import type { Route } from './route.ts';
import { approvalRoutes } from './routes/approval-routes.ts';
import { evaluationRoutes } from './routes/evaluation-routes.ts';
import { eventRoutes } from './routes/event-routes.ts';
import { evidenceRoutes } from './routes/evidence-routes.ts';
import { inspectRoutes } from './routes/inspect-routes.ts';
import { lessonRoutes, type TenantLessons } from './routes/lesson-routes.ts';
import { meRoutes } from './routes/me-routes.ts';
import { operationRoutes } from './routes/operation-routes.ts';
import { runRoutes } from './routes/run-routes.ts';
import { RunFinder } from './run-finder.ts';
import { inMemoryRunIndex } from './run-index.ts';
import { RunStarter } from './run-starter.ts';
import { serverMetrics } from './server-metrics.ts';
import { defaultServerLimits, defaultTenant, type ServerOptions } from './server-options.ts';
import { StreamCount } from './stream-count.ts';

export interface AssayServer {
  /** Answers one request; never rejects. `connection` is what node-server passes, where it is known. */
  fetch(request: Request, connection?: unknown): Promise<Response>;
  /** Whether requests are asked for a token. Without, only loopback is answered. */
  readonly guarded: boolean;
  /** Takes up the runs that a crash or a stop left; resolves to their number, while they go on. Call it once at the start. */
  resumeInterrupted(): Promise<number>;
  /** Takes no new work from now on: readiness fails, those who wait are refused, event streams end with a hint to come back. */
  drain(): void;
  /** Drains, stops the live runs where they stand (the next start goes on with them), and closes the agents and the index. */
  close(): Promise<void>;
}

/** A server for the agents. Throws `UsageError` for options that cannot work together. */
export function createServer(options: ServerOptions): AssayServer {
  const limits = { ...defaultServerLimits, ...options.limits };
  const onError = options.onError ?? (() => undefined);
  const agents = new Agents(options);
  const index = options.index ?? inMemoryRunIndex();
  const admission = new Admission({ live: limits.liveRuns, queue: limits.queuedRuns, queueMs: limits.queueMs });
  const streams = new StreamCount(limits.eventStreams);
  const metrics = serverMetrics({
    live: () => admission.live,
    queued: () => admission.queued,
    streams: () => streams.open,
  });
  const finder = new RunFinder({ agents, index, events: options.events });
  const live = new LiveRuns({ finder, metrics, onError });
  const inspector = new Inspector({ events: options.events });
  const starter = new RunStarter({ ...options, agents, finder, inspector, index, admission, live, metrics, onError });
  const down = new AbortController();
  const draining = down.signal;
  const guarded = options.auth !== undefined;
  const context = { ...limits, finder, inspector, starter, live, streams, draining, onError, events: options.events };
  const mounts = mountsOf(options, { maxBodyBytes: limits.bodyBytes, onError });
  const routes: Route[] = [
    ...runRoutes(context),
    ...eventRoutes(context),
    ...inspectRoutes(context),
    ...evidenceRoutes(finder),
    ...approvalRoutes(context),
    ...lessonRoutes((tenant) => lessonsOf(options, tenant)),
    ...evaluationRoutes(options.evaluations),
    ...meRoutes({ agents, guarded, options, lessonsOf: (tenant) => lessonsOf(options, tenant), onError }),
    ...operationRoutes({ admission, metrics, openApi: () => openApiDocument(routes, { guarded, mounts }) }),
  ];
  const guard = new Guard(options, limits);
  const dispatcher = new Dispatcher({ guard, limits, metrics, onError });
  const root = new Hono();
  const base = options.basePath ?? '/';
  const app = root.basePath(base);
  dispatcher.mountRoutes(app, routes);
  if (options.page) dispatcher.mountPage(root, new Page(options.page), base.replace(/\/+$/, ''));
  for (const mount of mounts) dispatcher.mount(app, mount, { agents, finder, starter, draining });
  dispatcher.mountRest(app);
  const drain = (): void => {
    if (admission.closed) return;
    admission.close();
    down.abort();
    for (const mount of mounts)
      void Promise.resolve(mount)
        .then((one) => one.close?.())
        .catch(onError);
  };
  let closing: Promise<void> | undefined;
  return {
    fetch: async (request, connection) => app.fetch(request, Object(connection)),
    guarded,
    resumeInterrupted: () => starter.recover(),
    drain,
    close() {
      drain();
      closing ??= closeAll(agents, index);
      return closing;
    },
  };
}

async function closeAll(agents: Agents, index: RunIndex): Promise<void> {
  await Promise.all(agents.all().map((agent) => agent.close()));
  await index.close();
}

function mountsOf(options: ServerOptions, shared: { maxBodyBytes: number; onError(error: unknown): void }): Mount[] {
  return [...chatMounts(shared), ...(options.mcp ? [mcpMount(shared)] : []), ...(options.mounts ?? [])];
}

/** A tenant sees the lessons that were given to it by name; those of the whole server are the default tenant's. */
function lessonsOf({ lessons, tenants }: ServerOptions, tenant: string): TenantLessons | undefined {
  const own = tenants && Object.hasOwn(tenants, tenant) ? tenants[tenant]?.lessons : undefined;
  return own ?? (lessons && tenant === defaultTenant ? { store: lessons } : undefined);
}
