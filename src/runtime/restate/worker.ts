import * as http2 from 'node:http2';
import type { WorkflowContext, WorkflowSharedContext } from '@restatedev/restate-sdk';
import { StateError, UsageError } from '../../core/errors.ts';
import type { Workflow } from '../durable.ts';
import { Limiter, type StepLimits } from '../limiter.ts';
import { type EngineAddresses, EngineApi } from './engine-api.ts';
import type { AttemptServices } from './live-part.ts';
import { attemptRun, wakeSignal } from './run-attempt.ts';
import { isRunStart, type ResultBlobs, ValueStore } from './run-log.ts';
import { loadSdk, type Sdk } from './sdk.ts';
import { ServiceNames } from './service-names.ts';

export interface RestateWorkerOptions extends Partial<EngineAddresses> {
  /** What is served: workflows, or a host with its registered ones. */
  workflows: Iterable<Workflow> | { workflows: ReadonlyMap<string, Workflow> };
  /** Where the worker listens. Default: port 9080 of 127.0.0.1; port 0 takes a free one. Without `identityKeys` it answers anybody: use private networks. */
  listen?: { host?: string; port?: number } | undefined;
  /** The engine's public keys (`publickeyv1_…`): requests that it did not sign are refused. */
  identityKeys?: string[] | undefined;
  /** The address under which the engine reaches the worker. Default: where it listens. */
  reachableAt?: string | undefined;
  /** Announce the worker to the engine. Default true; false when somebody else does, for example for all behind one balancer. */
  announce?: boolean | undefined;
  /** Keeps installations apart that share an engine. */
  namespace?: string | undefined;
  /** Where results are kept that are too large for the engine. Without it such a result is a failure of its step. */
  blobs?: ResultBlobs | undefined;
  /** A result with more UTF-8 bytes is kept in `blobs`. Default 8 MiB. */
  maxInlineBytes?: number | undefined;
  /** A run that only waits for this long is dropped from memory. Default 1,000. */
  suspendAfterMs?: number | undefined;
  /** Steps with this `limit.key` share so many slots, in this process. */
  limits?: StepLimits | undefined;
  /** The engine suspends an attempt that said nothing for this long. Default 60,000. */
  inactivityMs?: number | undefined;
  /** How soon the engine tries again after a failed attempt. Default 100; doubles up to 10,000. */
  retryMs?: number | undefined;
  /** Told what the SDK warns of: attempts that fail and are tried again. */
  onWarning?: ((message: string) => void) | undefined;
  /** How long the engine keeps a finished run and its journal, in milliseconds. Default 30 days. */
  retentionMs?: number | undefined;
}

export interface RestateWorker {
  /** Where it listens. */
  address: string;
  /** Ends the attempts where they stand; the engine goes on with their runs on another worker, or here after a restart. */
  close(): Promise<void>;
}

const day = 24 * 60 * 60 * 1000;
const keepAliveMs = 5_000;
/** Attempts speak every third of the inactivity time, so this is only for a worker that hangs. */
const abortMs = 2 * 60 * 60 * 1000;

/**
 * Serves workflows to Restate: listens for attempts over HTTP/2 and announces itself. Throws `UsageError` without the SDK or without a
 * workflow, `StateError` when the engine cannot be reached or refuses.
 */
export async function serveRestate(options: RestateWorkerOptions): Promise<RestateWorker> {
  const sdk = await loadSdk();
  // Only a worker needs it.
  const { limitsService } = await import('./limits/limits-service.ts');
  const workflows = workflowsOf(options.workflows);
  if (workflows.size === 0) throw new UsageError('a worker without a workflow has nothing to do: register one');
  const { inactivityMs = 60_000 } = options;
  const services: AttemptServices = {
    sdk,
    workflows,
    limiter: new Limiter(options.limits),
    values: new ValueStore(options),
    names: new ServiceNames(options.namespace),
    suspendAfterMs: options.suspendAfterMs ?? 1_000,
    heartbeatMs: Math.ceil(inactivityMs / 3),
  };
  const handler = sdk.createEndpointHandler({
    services: [
      ...[...workflows.values()].map((workflow) => serviceOf(workflow, services, options)),
      limitsService(sdk, options.namespace),
    ],
    logger: ({ level, context }, ...said: unknown[]) => {
      const isWarning = context && (level === 'warn' || level === 'error');
      if (isWarning) options.onWarning?.(`${context.invocationTarget}: ${said.map(String).join(' ')}`);
    },
    ...(options.identityKeys && { identityKeys: options.identityKeys }),
  });
  const server = new AttemptServer(handler);
  const address = await server.listen(options.listen);
  try {
    if (options.announce !== false) await announce(options, reachable(options, address));
  } catch (error) {
    await server.close();
    throw error;
  }
  return { address, close: () => server.close() };
}

function workflowsOf(served: RestateWorkerOptions['workflows']): ReadonlyMap<string, Workflow> {
  if ('workflows' in served) return served.workflows;
  return new Map([...served].map((workflow) => [workflow.name, workflow]));
}

function serviceOf(
  workflow: Workflow,
  services: AttemptServices,
  options: RestateWorkerOptions,
): ReturnType<Sdk['workflow']> {
  const { sdk } = services;
  const { inactivityMs = 60_000, retryMs = 100, retentionMs = 30 * day } = options;
  return sdk.workflow({
    name: services.names.of(workflow.name),
    options: {
      inactivityTimeout: inactivityMs,
      abortTimeout: abortMs,
      journalRetention: retentionMs,
      workflowRetention: retentionMs,
      enableLazyState: true,
      explicitCancellation: true,
      onJournalMismatchErrors: 'pause',
      // A worker that is away for long is no reason to give a run up.
      retryPolicy: { initialInterval: retryMs, exponentiationFactor: 2, maxInterval: 10_000, maxAttempts: 1_000_000 },
    },
    handlers: {
      run: (context: WorkflowContext, start: unknown) => {
        if (isRunStart(start)) return attemptRun(context, workflow, start, services);
        throw new sdk.TerminalError('this is not the start of a run: start runs with Assay', { errorCode: 400 });
      },
      wake: sdk.handlers.workflow.shared(async (context: WorkflowSharedContext, invocation: string) => {
        context.invocation(sdk.InvocationIdParser.fromString(invocation)).signal(wakeSignal).resolve(null);
      }),
      // The first write wins: the second is refused with the code 409.
      signal: sdk.handlers.workflow.shared(
        async (context: WorkflowSharedContext, signal: { name: string; value: unknown }) => {
          await context.promise<unknown>(signal.name).resolve(signal.value);
        },
      ),
    },
  });
}

function reachable({ reachableAt }: RestateWorkerOptions, address: string): string {
  if (reachableAt !== undefined) return reachableAt;
  const { hostname } = new URL(address);
  if (hostname !== '0.0.0.0' && hostname !== '[::]') return address;
  throw new UsageError(
    'a worker that listens on every address has to say under which one the engine reaches it: pass `reachableAt`',
  );
}

async function announce(options: RestateWorkerOptions, uri: string): Promise<void> {
  const { ingress = 'http://127.0.0.1:8080', admin, requestMs } = options;
  const api = new EngineApi({ ingress, admin, requestMs });
  const first = await api.manage('/deployments', { body: { uri } });
  // Another worker was announced there before. A run whose journal does not fit this one is parked, whatever the engine thinks of it.
  const { status, text } =
    first.status === 409 ? await api.manage('/deployments', { body: { uri, force: true } }) : first;
  if (status < 300) return;
  throw new StateError(
    `Restate at ${api.admin} did not accept the worker at ${uri} (${status}): ${text}. The engine must be able to reach it there`,
  );
}

type Handler = ReturnType<Sdk['createEndpointHandler']>;

/** The HTTP/2 server of a worker. A connection whose other end is gone ends after two missed pings, so that its attempts do. */
class AttemptServer {
  readonly #server: http2.Http2Server;
  readonly #sessions = new Set<http2.ServerHttp2Session>();

  constructor(handler: Handler) {
    this.#server = http2.createServer((request, response) => handler(request, response));
    this.#server.on('session', (session) => this.#watch(session));
  }

  async listen({ host = '127.0.0.1', port = 9080 }: { host?: string; port?: number } = {}): Promise<string> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', (error) =>
        reject(new StateError(`the worker cannot listen at ${host}:${port}: ${error.message}. Choose another port`)),
      );
      this.#server.listen(port, host, resolve);
    });
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new StateError('the worker has no port to listen at');
    const shown = address.family === 'IPv6' ? `[${address.address}]` : address.address;
    return `http://${shown}:${address.port}`;
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    for (const session of this.#sessions) session.destroy();
    await closed;
  }

  #watch(session: http2.ServerHttp2Session): void {
    this.#sessions.add(session);
    let answered = true;
    const timer = setInterval(() => {
      if (!answered) session.destroy();
      answered = false;
      if (!session.destroyed) {
        session.ping((error) => {
          answered = error === null;
        });
      }
    }, keepAliveMs).unref();
    session.on('error', () => session.destroy());
    session.once('close', () => {
      clearInterval(timer);
      this.#sessions.delete(session);
    });
  }
}
