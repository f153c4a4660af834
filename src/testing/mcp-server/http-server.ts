import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Json, JsonSchema } from '../../core/json.ts';

export interface HttpMessage {
  id?: number;
  method?: string;
  params?: { name?: string; arguments?: JsonSchema; requestId?: number };
}

export interface HttpCall {
  message: HttpMessage;
  request: IncomingMessage;
  response: ServerResponse;
  /** Answers with a JSON body. */
  answer(result: Json): void;
  /** Begins an event stream; the test writes the rest. */
  events(): void;
}

export interface HttpMcpServer {
  url: string;
  /** Every request as it came. */
  requests: { method: string; path: string; headers: IncomingMessage['headers']; message: HttpMessage | undefined }[];
  /** Forgets every session, as a restart does. */
  forget(): void;
  close(): Promise<void>;
}

/** An MCP server over streamable HTTP on loopback, by hand: `call` does what it likes with a call of a tool. */
export async function startHttpMcpServer(options: {
  tools: Json[];
  call(call: HttpCall): void;
  /** Sees every request first; true when it answered. */
  before?(request: IncomingMessage, response: ServerResponse): boolean;
}): Promise<HttpMcpServer> {
  const sessions = new Set<string>();
  const requests: HttpMcpServer['requests'] = [];
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const message = body === '' ? undefined : (JSON.parse(body) as HttpMessage);
    requests.push({ method: request.method ?? '', path: request.url ?? '', headers: request.headers, message });
    if (options.before?.(request, response)) return;
    if (request.method === 'DELETE') return response.writeHead(204).end();
    if (request.method !== 'POST' || !message) return response.writeHead(405).end();
    const session = String(request.headers['mcp-session-id']);
    if (message.method !== 'initialize' && !sessions.has(session))
      return response.writeHead(404).end('no such session');
    respond({ message, request, response, ...replies(message, response) }, { ...options, sessions });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    requests,
    forget: () => sessions.clear(),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function replies({ id }: HttpMessage, response: ServerResponse): Pick<HttpCall, 'answer' | 'events'> {
  return {
    answer: (result) => {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ jsonrpc: '2.0', id: id ?? null, result }));
    },
    events: () => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.flushHeaders();
    },
  };
}

function respond(call: HttpCall, server: { tools: Json[]; call(call: HttpCall): void; sessions: Set<string> }): void {
  const { message, response, answer } = call;
  if (message.method === 'initialize') {
    const session = randomUUID();
    server.sessions.add(session);
    response.setHeader('mcp-session-id', session);
    const serverInfo = { name: 'by-hand', version: '0' };
    answer({ protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo });
  } else if (message.method === 'tools/list') answer({ tools: server.tools });
  else if (message.method === 'tools/call') server.call(call);
  else response.writeHead(202).end();
}
