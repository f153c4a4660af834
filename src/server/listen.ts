/** An AssayServer on a port of this machine. */
import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { StateError, UsageError } from '../core/errors.ts';
import { isLoopback } from './loopback.ts';
import { Problem } from './problem.ts';
import type { AssayServer } from './server.ts';

export interface ListenOptions {
  /** Default 127.0.0.1. Any address but loopback needs a server with tokens. */
  host?: string;
  /** Default 0: a free one. */
  port?: number;
  /** Milliseconds that open requests have when the server goes down. Default 2,000. */
  graceMs?: number;
  /** Signals at which it goes down. Default none: the process is the host's. */
  signals?: readonly NodeJS.Signals[];
  /** Milliseconds in which the head of a request has to arrive. Default 10,000. */
  headersMs?: number;
  /** Milliseconds after which a connection without any traffic is closed. Default 360,000, which is longer than a request may wait. */
  idleMs?: number;
}

export interface Listening {
  readonly host: string;
  readonly port: number;
  readonly url: string;
  /** Drains, gives open requests their grace, stops the runs where they stand and closes the server. The same promise every time. */
  close(): Promise<void>;
  /** Resolves when it is closed, whoever closed it. */
  readonly closed: Promise<void>;
}

const headBytes = 16_384;

/** Serves on a port. Throws `UsageError` for an address that strangers reach without a token, `StateError` for one that cannot be had. */
export async function listen(server: AssayServer, options: ListenOptions = {}): Promise<Listening> {
  const { host = '127.0.0.1', port = 0, headersMs = 10_000 } = options;
  if (!server.guarded && !isLoopback(host)) {
    throw new UsageError(
      `Without tokens the server listens on loopback only, and ${host} is not. Make a token with \`assay tokens create\`, or listen on 127.0.0.1.`,
    );
  }
  const http = createHttpServer(
    {
      headersTimeout: headersMs,
      // The body has a time of its own, which answers with a problem.
      requestTimeout: headersMs * 6,
      connectionsCheckingInterval: Math.min(1_000, headersMs),
      keepAliveTimeout: 5_000,
      maxHeaderSize: headBytes,
    },
    nodeHandler(server),
  );
  http.timeout = options.idleMs ?? 360_000;
  await bound(http, host, port);
  return listening(server, http, { host, ...options });
}

/** The server as a handler for `node:http` and Express. In Express, mount it before anything that reads bodies. */
export function nodeHandler(server: AssayServer): (request: IncomingMessage, response: ServerResponse) => void {
  const handle = getRequestListener((request, connection) => server.fetch(request, connection), {
    overrideGlobalObjects: false,
    errorHandler: () => badRequest().toResponse(),
  });
  return (request, response) => {
    void handle(request, response);
  };
}

async function bound(http: Server, host: string, port: number): Promise<void> {
  http.listen(port, host.replace(/^\[(.*)\]$/, '$1'));
  try {
    await once(http, 'listening');
  } catch (error) {
    const code: unknown = Reflect.get(Object(error), 'code');
    const why = code === 'EADDRINUSE' ? 'another process has it' : String(code);
    throw new StateError(`${host}:${port} cannot be listened on: ${why}. Choose another port or address.`, {
      cause: error,
    });
  }
}

function listening(server: AssayServer, http: Server, options: ListenOptions & { host: string }): Listening {
  const { host, graceMs = 2_000, signals = [] } = options;
  const closed = Promise.withResolvers<void>();
  // Whoever awaits `close` gets the failure; nobody has to.
  closed.promise.catch(() => undefined);
  let closing = false;
  const close = (): Promise<void> => {
    if (!closing) {
      closing = true;
      for (const signal of signals) process.off(signal, onSignal);
      goDown(server, http, graceMs).then(closed.resolve, closed.reject);
    }
    return closed.promise;
  };
  const onSignal = (): void => void close().catch(() => undefined);
  for (const signal of signals) process.on(signal, onSignal);
  // A listening TCP server has an address with a port.
  const { port } = http.address() as AddressInfo;
  const name = host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
  return { host, port, url: `http://${name}:${port}`, close, closed: closed.promise };
}

async function goDown(server: AssayServer, http: Server, graceMs: number): Promise<void> {
  server.drain();
  const ended = once(http, 'close');
  http.close();
  http.closeIdleConnections();
  const timer = setTimeout(() => http.closeAllConnections(), graceMs);
  await ended;
  clearTimeout(timer);
  await server.close();
}

function badRequest(): Problem {
  return new Problem({
    status: 400,
    code: 'request',
    title: 'The request cannot be read',
    detail: 'The address or the Host header of the request is malformed.',
    remedy: 'Send a well-formed HTTP request.',
  });
}
