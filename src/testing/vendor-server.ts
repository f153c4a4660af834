import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { JsonSchema } from '../core/json.ts';
import { asSchema } from '../model/wire/json-schema.ts';
import { anthropic } from './vendor-server/anthropic.ts';
import { bedrock } from './vendor-server/bedrock.ts';
import * as chat from './vendor-server/chat-flavours.ts';
import { google } from './vendor-server/google.ts';
import { ollama } from './vendor-server/ollama.ts';
import { azure, openAiResponses, xai } from './vendor-server/openai-responses.ts';
import {
  type Answer,
  extrasOf,
  type VendorAnswer,
  type VendorName,
  type VendorProtocol,
  type VendorReply,
} from './vendor-server/reply.ts';

export type { VendorAnswer, VendorCall, VendorName, VendorReply } from './vendor-server/reply.ts';

/** A request as it came over the wire. */
export interface VendorRequest {
  vendor: VendorName;
  path: string;
  query: URLSearchParams;
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
  /** What Ollama's `/api/show` says of every model; undefined is a 404. Default: a model of 40,960 tokens that can do all. */
  show?: object | undefined;
}

export interface VendorServer {
  /** Scheme, host and port; see `vendorEnvironment` for what each vendor adds to it. */
  url: string;
  requests: VendorRequest[];
  close(): Promise<void>;
}

/**
 * One server on loopback that speaks the wire formats of the vendors, plain and streamed: OpenAI's responses and chat
 * completions as each vendor has them, Anthropic, Gemini, Bedrock's Converse, Ollama. It is written after their documents
 * and packages, not recorded from them. It refuses with HTTP 400 what they refuse: blank text, dangling or repeated tool
 * calls, names and ids outside their patterns, schemas outside their dialects, choices and formats they do not know. So an
 * adapter that is wrong fails here as it would there.
 */
export async function startVendorServer(options: VendorServerOptions): Promise<VendorServer> {
  const requests: VendorRequest[] = [];
  const next = replySource(options.script);
  const server = createServer((message, response) => {
    handle(message, response, {
      requests,
      next,
      models: options.models ?? ['test-model'],
      show: shownBy(options),
    }).catch((error: unknown) => {
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
    ANTHROPIC_BASE_URL: `${url}/v1`,
    GOOGLE_GENERATIVE_AI_BASE_URL: `${url}/v1beta`,
    GOOGLE_GENERATIVE_AI_API_KEY: 'test-key',
    AZURE_OPENAI_ENDPOINT: `${url}/azure/openai/v1`,
    AZURE_API_KEY: 'test-key',
    AWS_ENDPOINT_URL_BEDROCK_RUNTIME: `${url}/bedrock`,
    AWS_BEARER_TOKEN_BEDROCK: 'test-key',
    AWS_REGION: 'eu-west-1',
    OLLAMA_HOST: url,
    LMSTUDIO_BASE_URL: `${url}/lmstudio/v1`,
    LLAMACPP_BASE_URL: `${url}/llamacpp/v1`,
    VLLM_BASE_URL: `${url}/vllm/v1`,
    ...Object.fromEntries(keyed.flatMap((name) => [[`${name}_API_KEY`, 'test-key'], ...baseUrl(name, url)])),
  };
}

/** The vendors whose variables are all named alike. */
const keyed = [
  'OPENAI',
  'ANTHROPIC',
  'MISTRAL',
  'GROQ',
  'XAI',
  'DEEPSEEK',
  'ALIBABA',
  'MOONSHOT',
  'ZHIPU',
  'OPENROUTER',
];

function baseUrl(name: string, url: string): [string, string][] {
  if (name === 'OPENAI' || name === 'ANTHROPIC') return [];
  const folder = name === 'MOONSHOT' ? 'moonshotai' : name.toLowerCase();
  return [[`${name}_BASE_URL`, `${url}/${folder}/v1`]];
}

const defaultShow = {
  capabilities: ['completion', 'tools', 'thinking'],
  model_info: {
    'general.architecture': 'test',
    'test.context_length': 40_960,
    'general.parameter_count': 4_000_000_000,
  },
};

function shownBy(options: VendorServerOptions): object | undefined {
  return 'show' in options ? options.show : defaultShow;
}

interface Desk {
  requests: VendorRequest[];
  next(request: VendorRequest): VendorReply;
  models: readonly string[];
  show: object | undefined;
}

/** The first that fits counts; those without a vendor in their path are the vendors' own paths. */
const routes: readonly [path: RegExp, vendor: VendorName, protocol: VendorProtocol][] = [
  [/^\/azure\/openai\/v1\/responses$/, 'azure', azure],
  [/^\/azure\/openai\/deployments\/[^/]+\/chat\/completions$/, 'azure', chat.azureChat],
  [/^\/xai\/.*\/responses$/, 'xai', xai],
  [/^\/bedrock\/model\/[^/]+\/converse(?:-stream)?$/, 'bedrock', bedrock],
  [/^\/mistral\/.*\/chat\/completions$/, 'mistral', chat.mistral],
  [/^\/groq\/.*\/chat\/completions$/, 'groq', chat.groq],
  [/^\/deepseek\/.*\/chat\/completions$/, 'deepseek', chat.deepSeek],
  [/^\/alibaba\/.*\/chat\/completions$/, 'alibaba', chat.alibaba],
  [/^\/moonshotai\/.*\/chat\/completions$/, 'moonshotai', chat.moonshotAi],
  [/^\/zhipu\/.*\/chat\/completions$/, 'zhipu', chat.zhipu],
  [/^\/openrouter\/.*\/chat\/completions$/, 'openrouter', chat.openRouter],
  [/^\/lmstudio\/.*\/chat\/completions$/, 'lmstudio', chat.lmStudio],
  [/^\/llamacpp\/.*\/chat\/completions$/, 'llamacpp', chat.llamaCpp],
  [/^\/vllm\/.*\/chat\/completions$/, 'vllm', chat.vllm],
  [/^\/api\/chat$/, 'ollama', ollama],
  [/\/chat\/completions$/, 'compatible', chat.compatible],
  [/\/responses$/, 'openai', openAiResponses],
  [/\/messages$/, 'anthropic', anthropic],
  [/\/models\/[^/]+:(generateContent|streamGenerateContent)$/, 'google', google],
];

function replySource(script: VendorServerOptions['script']): Desk['next'] {
  if (typeof script === 'function') return script;
  const left = [...script];
  return () => left.shift() ?? { type: 'http-error', status: 500, message: 'the script has no reply left' };
}

async function handle(message: IncomingMessage, response: ServerResponse, desk: Desk): Promise<void> {
  const { pathname: path, searchParams: query } = new URL(message.url ?? '/', 'http://localhost');
  if (message.method === 'GET') {
    sendList(response, path, desk.models);
    return;
  }
  const [, vendor, protocol] = routes.find(([pattern]) => pattern.test(path)) ?? [];
  const body = asSchema(JSON.parse(await textOf(message))) ?? {};
  if (path === '/api/show' && desk.show) {
    sendJson(response, 200, desk.show);
    return;
  }
  if (!vendor || !protocol) {
    sendJson(response, 404, { error: { message: `no such path: ${path}` } });
    return;
  }
  const stream = body['stream'] === true || /:streamGenerateContent$|\/converse-stream$/.test(path);
  const request: VendorRequest = { vendor, path, query, body, headers: message.headers, stream };
  desk.requests.push(request);
  const key = message.headers['authorization'] ?? message.headers['api-key'];
  const refused = protocol.refuse(body, { path, query, key: String(key ?? '') });
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
  switch (reply.type) {
    case 'http-error': {
      const error = protocol.error(reply.status, reply.message ?? `HTTP ${reply.status}`);
      sendJson(response, reply.status, error, reply.headers);
      return;
    }
    case 'too-long': {
      const { status, body } = protocol.tooLong();
      sendJson(response, status, body);
      return;
    }
    case 'silence': {
      const timer = setTimeout(() => response.destroy(), reply.ms);
      response.once('close', () => clearTimeout(timer));
      return;
    }
    case 'cut':
    case 'stream-error':
      sendBroken(response, reply, sending);
      return;
    default:
      if (stream) {
        const { content, end } = protocol.frames(reply, model);
        const last = extrasOf(reply).tornEnd ? [...end.slice(0, 1), 'data: {"type":"mess'] : end;
        startStream(response, protocol).end(joined([...content, ...last]));
      } else sendJson(response, 200, protocol.whole(reply, model));
  }
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
    const bytes = joined([...content, ...last]);
    if (reply.type === 'cut' && reply.reset) startStream(response, protocol).write(bytes, () => response.destroy());
    else startStream(response, protocol).end(bytes);
  }
}

function joined(frames: readonly (string | Uint8Array)[]): Buffer {
  return Buffer.concat(frames.map((frame) => Buffer.from(frame)));
}

function startStream(response: ServerResponse, { streamType }: VendorProtocol): ServerResponse {
  return response.writeHead(200, { 'content-type': streamType ?? 'text/event-stream' });
}

function sendJson(response: ServerResponse, status: number, body: object, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}
