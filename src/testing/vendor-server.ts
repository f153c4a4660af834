import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { JsonSchema } from '../core/json.ts';
import { asSchema } from '../model/wire/json-schema.ts';
import { anthropic } from './vendor-server/anthropic.ts';
import { google } from './vendor-server/google.ts';
import { openAiChat } from './vendor-server/openai-chat.ts';
import { openAiResponses } from './vendor-server/openai-responses.ts';
import type { Answer, VendorAnswer, VendorName, VendorProtocol, VendorReply } from './vendor-server/reply.ts';

export type { VendorAnswer, VendorCall, VendorName, VendorReply } from './vendor-server/reply.ts';

/** A request as it came over the wire. */
export interface VendorRequest {
  vendor: VendorName;
  path: string;
  body: JsonSchema;
  headers: Record<string, string | string[] | undefined>;
  stream: boolean;
  /** Why it was refused with HTTP 400, when it was. */
  refused?: string;
}

export interface VendorServerOptions {
  /** The replies in order, one for each request that is not refused (an extra one gets HTTP 500), or a function. */
  script: readonly VendorReply[] | ((request: VendorRequest) => VendorReply);
  /** What `/v1/models` and Ollama's `/api/tags` list. */
  models?: readonly string[];
}

export interface VendorServer {
  /** Scheme, host and port; see `vendorEnvironment` for what each vendor adds to it. */
  url: string;
  requests: VendorRequest[];
  close(): Promise<void>;
}

/**
 * One server on loopback that speaks the wire formats of OpenAI (chat completions and responses), Anthropic, Gemini and
 * Ollama's model list, plain and streamed. It refuses with HTTP 400 what the vendors refuse: blank text, dangling or
 * repeated tool calls, names and ids outside their patterns, schemas outside their dialects. So an adapter that is wrong
 * fails here as it would there.
 */
export async function startVendorServer(options: VendorServerOptions): Promise<VendorServer> {
  const requests: VendorRequest[] = [];
  const next = replySource(options.script);
  const server = createServer((message, response) => {
    handle(message, response, { requests, next, models: options.models ?? ['test-model'] }).catch((error: unknown) => {
      response.destroy(error instanceof Error ? error : undefined);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Environment variables that send every vendor's package to a server at `url`, with keys that are none. */
export function vendorEnvironment(url: string): Record<string, string> {
  return {
    OPENAI_BASE_URL: `${url}/v1`,
    OPENAI_API_KEY: 'test-key',
    ANTHROPIC_BASE_URL: `${url}/v1`,
    ANTHROPIC_API_KEY: 'test-key',
    GOOGLE_GENERATIVE_AI_BASE_URL: `${url}/v1beta`,
    GOOGLE_GENERATIVE_AI_API_KEY: 'test-key',
    OLLAMA_HOST: url,
  };
}

interface Desk {
  requests: VendorRequest[];
  next(request: VendorRequest): VendorReply;
  models: readonly string[];
}

const routes: readonly [path: RegExp, protocol: VendorProtocol][] = [
  [/\/chat\/completions$/, openAiChat],
  [/\/responses$/, openAiResponses],
  [/\/messages$/, anthropic],
  [/\/models\/[^/]+:(generateContent|streamGenerateContent)$/, google],
];

function replySource(script: VendorServerOptions['script']): Desk['next'] {
  if (typeof script === 'function') return script;
  const left = [...script];
  return () => left.shift() ?? { type: 'http-error', status: 500, message: 'the script has no reply left' };
}

async function handle(message: IncomingMessage, response: ServerResponse, desk: Desk): Promise<void> {
  const path = new URL(message.url ?? '/', 'http://localhost').pathname;
  if (message.method === 'GET') {
    sendList(response, path, desk.models);
    return;
  }
  const protocol = routes.find(([pattern]) => pattern.test(path))?.[1];
  const body = asSchema(JSON.parse(await textOf(message))) ?? {};
  if (!protocol) {
    sendJson(response, 404, { error: { message: `no such path: ${path}` } });
    return;
  }
  const stream = body['stream'] === true || path.endsWith(':streamGenerateContent');
  const request: VendorRequest = { vendor: protocol.name, path, body, headers: message.headers, stream };
  desk.requests.push(request);
  const refused = protocol.refuse(body);
  if (refused !== undefined) {
    request.refused = refused;
    sendJson(response, 400, protocol.error(400, refused));
    return;
  }
  const model = String(body['model'] ?? path.split('/').at(-1)?.split(':')[0]);
  send(response, withIds(desk.next(request), desk.requests.length), { protocol, model, stream });
}

async function textOf(message: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString('utf8') || '{}';
}

function sendList(response: ServerResponse, path: string, models: readonly string[]): void {
  if (path === '/api/tags') {
    sendJson(response, 200, {
      models: models.map((name) => ({ name, model: name, size: 1, digest: 'd', details: {} })),
    });
  } else if (path.endsWith('/models')) {
    sendJson(response, 200, { object: 'list', data: models.map((id) => ({ id, object: 'model', owned_by: 'test' })) });
  } else sendJson(response, 404, { error: { message: `no such path: ${path}` } });
}

type KnownReply = Exclude<VendorReply, VendorAnswer> | Answer;

function withIds(reply: VendorReply, requestNumber: number): KnownReply {
  if (reply.type !== 'tool-calls') return reply;
  const calls = reply.calls.map((call, index) => ({ ...call, id: call.id ?? `call_${requestNumber}_${index}` }));
  return { ...reply, calls };
}

interface Sending {
  protocol: VendorProtocol;
  model: string;
  stream: boolean;
}

function send(response: ServerResponse, reply: KnownReply, sending: Sending): void {
  const { protocol, model, stream } = sending;
  if (reply.type === 'http-error') {
    const error = protocol.error(reply.status, reply.message ?? `HTTP ${reply.status}`);
    sendJson(response, reply.status, error, reply.headers);
  } else if (reply.type === 'cut' || reply.type === 'stream-error') sendBroken(response, reply, sending);
  else if (stream) {
    const { content, end } = protocol.frames(reply, model);
    startStream(response).end([...content, ...end].join(''));
  } else sendJson(response, 200, protocol.whole(reply, model));
}

function sendBroken(
  response: ServerResponse,
  reply: Extract<VendorReply, { type: 'cut' | 'stream-error' }>,
  { protocol, model, stream }: Sending,
): void {
  const answer: Answer = { type: 'text', text: reply.text ?? '' };
  if (!stream && reply.type === 'stream-error') {
    sendJson(response, 503, protocol.error(503, reply.message ?? 'overloaded'));
  } else if (!stream) {
    const half = JSON.stringify(protocol.whole(answer, model)).slice(0, -20);
    response.writeHead(200, { 'content-type': 'application/json' }).write(half, () => response.destroy());
  } else {
    const content = reply.text === undefined ? [] : protocol.frames(answer, model).content;
    const last = reply.type === 'stream-error' ? [protocol.errorFrame(reply.message ?? 'overloaded')] : [];
    const text = [...content, ...last].join('');
    if (reply.type === 'cut' && reply.reset) startStream(response).write(text, () => response.destroy());
    else startStream(response).end(text);
  }
}

function startStream(response: ServerResponse): ServerResponse {
  return response.writeHead(200, { 'content-type': 'text/event-stream' });
}

function sendJson(response: ServerResponse, status: number, body: object, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}
