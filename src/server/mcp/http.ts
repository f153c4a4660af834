import type { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import { hostOf, isLoopback } from '../loopback.ts';
import { type Connection, connectionOf, type McpServerOptions } from './mcp-server.ts';
import type { McpRuns } from './runs.ts';
import { loadServerSdk, type ServerSdk } from './sdk.ts';

export interface McpHttpOptions extends McpServerOptions {
  /** Host names, without port, under which it may be reached beside loopback ones. */
  allowedHosts?: readonly string[];
  /** Origins of pages that may use it beside those on loopback, such as `https://inspector.example`. */
  allowedOrigins?: readonly string[];
  /** Clients at once. When so many are connected, the one that was silent for longest goes. Default 128. */
  maxSessions?: number;
  /** Milliseconds of silence after which a session ends. Default 30 minutes. */
  idleMs?: number;
  /** Bytes of a message. Default 1 MiB. */
  maxBodyBytes?: number;
}

export interface McpContext {
  /** Whose request it is. A session answers only to whoever began it. */
  owner?: string;
  /** What they may touch, when the request begins a session. */
  runs?: McpRuns;
}

/** Answers the requests of one endpoint: POST, GET and DELETE. */
export interface McpHttpHandler {
  (request: Request, context?: McpContext): Promise<Response>;
  /** Ends every session; the runs go on. */
  close(): Promise<void>;
}

interface Session extends Connection {
  transport: WebStandardStreamableHTTPServerTransport;
  owner: string | undefined;
  usedAt: number;
}

/**
 * The agent as an MCP server on streamable HTTP. A request with a foreign `Host` or `Origin` is refused: a page of another site must
 * not reach a server on this machine through the browser (DNS rebinding). Who may use it at all is decided before this handler.
 */
export function mcpHttpHandler(options: McpHttpOptions): McpHttpHandler {
  const sessions = new Sessions(options);
  const handle = async (request: Request, context: McpContext = {}): Promise<Response> => {
    const foreign = foreignOf(request, options);
    if (foreign !== undefined) return refusal(403, foreign);
    const id = request.headers.get('mcp-session-id');
    if (id !== null) {
      const session = sessions.find(id, context.owner);
      return session ? session.transport.handleRequest(request) : refusal(404, 'Session not found: initialize again');
    }
    if (request.method !== 'POST') return refusal(400, 'The header Mcp-Session-Id is required');
    return sessions.begin(request, context);
  };
  return Object.assign(handle, { close: () => sessions.close() });
}

class Sessions {
  readonly #options: McpHttpOptions;
  readonly #sessions = new Map<string, Session>();

  constructor(options: McpHttpOptions) {
    this.#options = options;
  }

  find(id: string, owner: string | undefined): Session | undefined {
    this.#endSilent();
    const session = this.#sessions.get(id);
    if (!session || session.owner !== owner) return undefined;
    session.usedAt = Date.now();
    return session;
  }

  /** Only a request that initializes leaves a session behind. */
  async begin(request: Request, { owner, runs }: McpContext): Promise<Response> {
    this.#endSilent();
    if (!this.#makeRoom())
      return refusal(503, 'Too many clients are connected. Try again later', { 'retry-after': '30' });
    const sdk = await loadServerSdk();
    const connection = await connectionOf({ ...this.#options, ...(runs && { runs }) });
    const transport = this.#transport(sdk, (id) => {
      this.#sessions.set(id, { ...connection, transport, owner, usedAt: Date.now() });
    });
    // The SDK's own types do not agree on optional properties under `exactOptionalPropertyTypes`.
    await connection.server.connect(transport as Parameters<typeof connection.server.connect>[0]);
    const response = await transport.handleRequest(request);
    if (transport.sessionId === undefined) await connection.server.close();
    return response;
  }

  async close(): Promise<void> {
    const ending = [...this.#sessions.values()].map(({ server }) => server.close());
    this.#sessions.clear();
    await Promise.all(ending);
  }

  #transport(sdk: ServerSdk, begun: (id: string) => void): WebStandardStreamableHTTPServerTransport {
    return new sdk.WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: begun,
      onsessionclosed: (id) => void this.#sessions.delete(id),
      maxRequestBodySize: this.#options.maxBodyBytes ?? 1_048_576,
    });
  }

  #endSilent(): void {
    const since = Date.now() - (this.#options.idleMs ?? 1_800_000);
    for (const [id, session] of this.#sessions) if (session.usedAt < since && !session.isBusy()) this.#end(id, session);
  }

  #makeRoom(): boolean {
    const idle = [...this.#sessions].filter(([, session]) => !session.isBusy());
    idle.sort(([, a], [, b]) => b.usedAt - a.usedAt);
    while (this.#sessions.size >= (this.#options.maxSessions ?? 128)) {
      const oldest = idle.pop();
      if (!oldest) return false;
      this.#end(...oldest);
    }
    return true;
  }

  #end(id: string, { server }: Session): void {
    this.#sessions.delete(id);
    void server.close();
  }
}

/** What about a request's `Host` or `Origin` is foreign. */
function foreignOf(request: Request, { allowedHosts = [], allowedOrigins = [] }: McpHttpOptions): string | undefined {
  const host = hostOf(request.headers.get('host') ?? new URL(request.url).host);
  if (host === undefined || !(isLoopback(host) || allowedHosts.includes(host)))
    return `The host '${host ?? ''}' is not served. Its name has to be in allowedHosts`;
  const origin = request.headers.get('origin');
  if (origin === null || allowedOrigins.includes(origin)) return undefined;
  if (URL.canParse(origin) && isLoopback(new URL(origin).hostname)) return undefined;
  return `Pages of '${origin}' may not use this server. Name the origin in allowedOrigins`;
}

function refusal(status: number, message: string, headers: Record<string, string> = {}): Response {
  const error = { code: status === 404 ? -32001 : -32000, message: `${message}.` };
  return Response.json({ jsonrpc: '2.0', error, id: null }, { status, headers });
}
