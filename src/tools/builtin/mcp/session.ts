import type { RequestOptions } from '@modelcontextprotocol/sdk/shared/protocol.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { messageOf, UsageError } from '../../../core/errors.ts';
import { guardedFetch } from './guarded-fetch.ts';
import type { Sdk } from './sdk.ts';
import { ServerTransport } from './server-transport.ts';
import { type ChildOptions, StdioTransport } from './stdio-transport.ts';
import { shortened, visibleLine } from './texts.ts';

export interface RemoteOptions {
  url: string;
  headers?: Readonly<Record<string, string>> | undefined;
  allowInsecure?: boolean | undefined;
}

export interface SessionOptions {
  server: string;
  target: ChildOptions | RemoteOptions;
  connectTimeoutMs: number;
  onNoise(what: string): void;
}

const maxPages = 64;
const maxTools = 1_000;
const closeMs = 2_000;

/** The server no longer knows the session: nothing was done, and a new session may be asked again. */
export class SessionLostError extends Error {
  override readonly name = 'SessionLostError';
}

/** One initialised connection to a server, until it ends. */
export class Session {
  /** The server said that its tools changed since they were last listed. */
  stale = false;
  ended = false;
  readonly #sdk: Sdk;
  readonly #options: SessionOptions;
  readonly #client: InstanceType<Sdk['Client']>;
  readonly #transport: ServerTransport;
  readonly #inner: Transport;

  private constructor(sdk: Sdk, options: SessionOptions) {
    this.#sdk = sdk;
    this.#options = options;
    // No capability is offered: requests for sampling, elicitation and roots are refused.
    this.#client = new sdk.Client({ name: 'assay', version: '1' }, { capabilities: {} });
    this.#inner = this.#makeTransport(options.target);
    this.#transport = new ServerTransport(this.#inner, {
      toolsChanged: () => {
        this.stale = true;
      },
      noise: options.onNoise,
    });
    this.#client.onclose = () => {
      this.ended = true;
    };
  }

  /** Connects and initialises. Rejects with an Error in words, and leaves nothing behind. */
  static async open(sdk: Sdk, options: SessionOptions): Promise<Session> {
    const session = new Session(sdk, options);
    try {
      await session.#client.connect(session.#transport, { timeout: options.connectTimeoutMs });
      return session;
    } catch (error) {
      await session.close();
      throw session.#explained(error, 'connect', options.connectTimeoutMs);
    }
  }

  /** Every entry of the server's list of tools, unread. */
  async list(): Promise<unknown[]> {
    const deadline = performance.now() + this.#options.connectTimeoutMs;
    const entries: unknown[] = [];
    this.stale = false;
    let cursor: string | undefined;
    for (let page = 0; page < maxPages && entries.length < maxTools; page++) {
      const params = cursor === undefined ? {} : { cursor };
      const timeout = Math.max(1, deadline - performance.now());
      const result = await this.#ask({ method: 'tools/list', params }, { timeout });
      if (!Array.isArray(result['tools']))
        throw new Error(`the MCP server "${this.#options.server}" gave no list of tools`);
      entries.push(...result['tools']);
      const next: unknown = result['nextCursor'];
      if (typeof next !== 'string' || next === cursor) return entries;
      cursor = next;
    }
    this.#options.onNoise(`more than ${maxTools} tools or ${maxPages} pages of them: the rest is left out`);
    return entries.slice(0, maxTools);
  }

  /** Calls a tool. An abort tells the server and rejects with the signal's reason. */
  async call(tool: string, args: unknown, limits: { timeoutMs: number; signal: AbortSignal }): Promise<unknown> {
    // A signal of the call alone: the SDK never lets go of the one it is given.
    const controller = new AbortController();
    const abort = (): void => controller.abort(limits.signal.reason);
    limits.signal.throwIfAborted();
    limits.signal.addEventListener('abort', abort, { once: true });
    try {
      const request = { method: 'tools/call', params: { name: tool, arguments: args } };
      return await this.#ask(request, { timeout: limits.timeoutMs, signal: controller.signal });
    } catch (error) {
      limits.signal.throwIfAborted();
      throw error;
    } finally {
      limits.signal.removeEventListener('abort', abort);
    }
  }

  async close(): Promise<void> {
    this.ended = true;
    if ('terminateSession' in this.#inner && typeof this.#inner.terminateSession === 'function') {
      const told: Promise<void> = this.#inner.terminateSession();
      const enough = new Promise<void>((resolve) => setTimeout(resolve, closeMs).unref());
      await Promise.race([told.catch(() => undefined), enough]);
    }
    await this.#transport.close().catch(() => undefined);
  }

  async #ask(
    request: { method: string; params: Record<string, unknown> },
    options: RequestOptions & { timeout: number },
  ): Promise<Record<string, unknown>> {
    try {
      return await this.#client.request(request, this.#sdk.ResultSchema, options);
    } catch (error) {
      throw this.#explained(error, request.method, options.timeout);
    }
  }

  #makeTransport(target: ChildOptions | RemoteOptions): Transport {
    if ('command' in target) return new StdioTransport(target, this.#sdk, this.#options.onNoise);
    const { url, headers = {}, allowInsecure = false } = target;
    return new this.#sdk.StreamableHTTPClientTransport(checkedUrl(url, allowInsecure), {
      requestInit: { headers: { ...headers } },
      fetch: guardedFetch((id, why) => this.#transport.fail(id, why)),
    });
  }

  #explained(error: unknown, what: string, timeoutMs: number): Error {
    const { ErrorCode, McpError, StreamableHTTPError } = this.#sdk;
    const who = `the MCP server "${this.#options.server}"`;
    const child = this.#inner instanceof StdioTransport ? this.#inner : undefined;
    // Servers use these two codes for errors of their own.
    const code = error instanceof McpError ? error.code : undefined;
    if (code === ErrorCode.RequestTimeout && /Request timed out/.test(messageOf(error))) {
      return new Error(
        `${who} did not answer ${what} within ${Math.round(timeoutMs)} ms; it was told to stop${child?.lastWords() ?? ''}`,
      );
    }
    if (code === ErrorCode.ConnectionClosed && this.ended) {
      return new Error(`${who}: server exited (${child?.ending() ?? 'the connection was closed'})`);
    }
    if (error instanceof StreamableHTTPError) return httpError(error, who, this.#transport.sessionId !== undefined);
    const said = shortened(messageOf(error), 4_000);
    return new Error(
      what === 'connect' ? `${who} could not be started: ${said}${child?.lastWords() ?? ''}` : `${who}: ${said}`,
    );
  }
}

function httpError(error: { code: number | undefined; message: string }, who: string, inSession: boolean): Error {
  const said = `${who}: ${visibleLine(error.message, 600)}`;
  // By the specification 404; the example servers of the SDK answer 400 and speak of the session.
  const lost = error.code === 404 || (error.code === 400 && /session/i.test(error.message));
  if (lost && inSession) return new SessionLostError(said);
  if (error.code === 401 || error.code === 403) return new Error(`${said}; check the credentials in \`headers\``);
  return new Error(said);
}

/** Throws `UsageError` for an address that would show what is sent to others. */
export function checkedUrl(text: string, allowInsecure: boolean): URL {
  const url = URL.parse(text);
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    throw new UsageError(`mcp: ${text} is no http or https URL: give a full one such as https://example.com/mcp`);
  }
  if (url.username !== '' || url.password !== '') {
    throw new UsageError(
      `mcp: the URL of ${url.host} contains a user name or password: give credentials in \`headers\``,
    );
  }
  const local = /^(?:localhost|.+\.localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(url.hostname);
  if (url.protocol === 'http:' && !local && !allowInsecure) {
    throw new UsageError(
      `mcp: http://${url.host} would send everything readable over the network: use https, or allowInsecure if you trust the way`,
    );
  }
  return url;
}
