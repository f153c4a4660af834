import { totalmem } from 'node:os';
import { installedModels } from './local/models-table.ts';
import { isLoopback, type LocalServer, localServers } from './local-servers.ts';
import { keyOf, vendors } from './providers/vendors.ts';

/** The model that would be used, and why in one phrase. */
export interface Detection {
  /** An id for `resolveModel`. */
  id: string;
  reason: string;
}

/** One place that was looked at. */
export interface Looked {
  what: string;
  outcome: string;
}

export interface DetectOptions {
  env: NodeJS.ProcessEnv;
  /** What the user asked for; taken as it is. */
  explicit?: string | undefined;
  fetch?: typeof fetch;
  /** The servers to probe, instead of the well-known ports. */
  servers?: readonly LocalServer[];
  /** How long a server on this machine may take. Default 400. */
  timeoutMs?: number;
}

export type Detected = { found: Detection; looked: Looked[] } | { found: undefined; looked: Looked[]; message: string };

interface Probe {
  fetch: typeof fetch;
  timeoutMs: number;
  env: NodeJS.ProcessEnv;
}

/**
 * Which model this machine offers, in this order:
 *
 * 1. `explicit`;
 * 2. `OPENAI_BASE_URL`, with `OPENAI_MODEL` or the first model it lists. If that fails nothing else is tried: the user named it;
 * 3. an API key in the environment, vendors in the order of `vendors`, each with its default model (`OPENAI_MODEL` for OpenAI);
 * 4. a server on this machine: Ollama 11434, LM Studio 1234, llama.cpp 8080, vLLM 8000 (or where their variables say), asked at the same time. One counts
 *    only when its answer has the shape of a model list with a model that can chat;
 * 5. a model file that was pulled (`local:`), the first of the table that fits into this machine's memory.
 *
 * No request leaves this machine: servers elsewhere are not asked, and redirects are not followed. Never throws; when
 * nothing is found `message` says what was looked for and what to type.
 */
export async function detectModel(options: DetectOptions): Promise<Detected> {
  const { env, explicit } = options;
  if (explicit?.trim()) return { found: { id: explicit.trim(), reason: 'you named it' }, looked: [] };
  const probe: Probe = { fetch: options.fetch ?? fetch, timeoutMs: options.timeoutMs ?? 400, env };
  const baseUrl = env['OPENAI_BASE_URL']?.trim().replace(/\/+$/, '');
  if (baseUrl) return configuredServer(baseUrl, probe);
  const looked: Looked[] = [{ what: 'OPENAI_BASE_URL', outcome: 'not set' }];
  for (const vendor of vendors) {
    const key = keyOf(vendor, env);
    if (key) {
      const model = (vendor.prefix === 'openai' && env['OPENAI_MODEL']?.trim()) || vendor.defaultModel;
      return { found: { id: `${vendor.prefix}:${model}`, reason: `${key.variable} is set` }, looked };
    }
    looked.push({ what: vendor.keyVariables.join(' or '), outcome: 'not set' });
  }
  const servers = options.servers ?? localServers(env);
  const answers = await Promise.all(servers.map((server) => probeServer(server, probe)));
  const found = answers.find((answer) => answer.found)?.found;
  looked.push(...answers.map(({ what, outcome }) => ({ what, outcome })));
  if (found) return { found, looked };
  const pulled = pulledModel(env);
  looked.push({ what: pulled.what, outcome: pulled.outcome });
  return pulled.found ? { found: pulled.found, looked } : { found: undefined, looked, message: nothingFound(looked) };
}

/** The share of this machine's memory that a model may take. */
const memoryShare = 0.8;

function pulledModel(env: NodeJS.ProcessEnv): Looked & { found?: Detection } {
  const what = 'a pulled model file (local:)';
  const pulled = installedModels(env);
  if (pulled.length === 0) return { what, outcome: 'none was pulled' };
  const fitting = pulled.find(({ row }) => row.ramBytes <= totalmem() * memoryShare);
  if (!fitting) return { what, outcome: 'none fits into the memory of this machine: name it with --model to try it' };
  const { name } = fitting.row;
  return { what, outcome: 'is there', found: { id: `local:${name}`, reason: 'its file was pulled' } };
}

async function configuredServer(baseUrl: string, probe: Probe): Promise<Detected> {
  const what = `OPENAI_BASE_URL (${baseUrl})`;
  const named = probe.env['OPENAI_MODEL']?.trim();
  if (named) {
    const reason = 'OPENAI_BASE_URL and OPENAI_MODEL are set';
    return { found: { id: `openai-compatible:${named}`, reason }, looked: [{ what, outcome: 'set' }] };
  }
  const fix = 'Name the model (export OPENAI_MODEL=...), or unset OPENAI_BASE_URL to look further.';
  if (!isLoopback(baseUrl)) {
    const outcome = 'not on this machine, so it was not asked for its models';
    return { found: undefined, looked: [{ what, outcome }], message: `${what} is ${outcome}. ${fix}` };
  }
  const list = await modelList(`${baseUrl}/models`, 'openai', { ...probe, key: probe.env['OPENAI_API_KEY']?.trim() });
  const first = list.models[0];
  if (first !== undefined) {
    const found = { id: `openai-compatible:${first}`, reason: `OPENAI_BASE_URL is set and lists ${first} first` };
    return { found, looked: [{ what, outcome: 'lists models' }] };
  }
  const message = `${what}: ${list.outcome}. Start that server, or: ${fix}`;
  return { found: undefined, looked: [{ what, outcome: list.outcome }], message };
}

async function probeServer(server: LocalServer, probe: Probe): Promise<Looked & { found?: Detection }> {
  const what = `${server.name} at ${server.origin}`;
  if (!isLoopback(server.origin)) {
    return { what, outcome: 'not on this machine, so it was not asked: name a model of it with --model ollama:MODEL' };
  }
  const path = server.speaks === 'ollama' ? '/api/tags' : '/v1/models';
  const { models, outcome } = await modelList(`${server.origin}${path}`, server.speaks, probe);
  const [first] = models;
  if (first === undefined) return { what, outcome };
  const id = server.prefix ? `${server.prefix}:${first}` : `openai-compatible:${server.origin}/v1#${first}`;
  return { what, outcome: 'offers a model', found: { id, reason: `${server.name} answers at ${server.origin}` } };
}

/** The chat models a server lists; without one, `outcome` says why. */
async function modelList(
  url: string,
  speaks: LocalServer['speaks'],
  probe: Probe & { key?: string | undefined },
): Promise<{ models: string[]; outcome: string }> {
  let body: unknown;
  try {
    const response = await probe.fetch(url, {
      signal: AbortSignal.timeout(probe.timeoutMs),
      redirect: 'error',
      headers: probe.key ? { authorization: `Bearer ${probe.key}` } : {},
    });
    if (!response.ok) return { models: [], outcome: `answers with HTTP ${response.status}, so it offers no model` };
    body = await response.json();
  } catch (error) {
    const notJson = error instanceof SyntaxError;
    return { models: [], outcome: notJson ? 'answers, but is no model server' : 'does not answer' };
  }
  const names = speaks === 'ollama' ? ollamaNames(body) : openAiNames(body);
  if (!names) return { models: [], outcome: 'answers, but is no model server' };
  const models = names.filter((name) => !notForChat.test(name));
  return { models, outcome: models.length > 0 ? 'offers a model' : 'is a model server without a model that can chat' };
}

/** Names of models that embed, rank, speak or listen. */
const notForChat = /embed|rerank|whisper|(^|[-/_])(bge|e5|gte|tts)([-_.:]|$)/i;

/** `{models: [{name}]}` */
function ollamaNames(body: unknown): string[] | undefined {
  return namesIn(body, 'models', (entry) => Reflect.get(entry, 'name'));
}

/** `{data: [{id, object: "model"}]}`. Some servers leave out `object` but say who owns the model. */
function openAiNames(body: unknown): string[] | undefined {
  return namesIn(body, 'data', (entry) => {
    const isModel = Reflect.get(entry, 'object') === 'model' || 'owned_by' in entry;
    return isModel ? Reflect.get(entry, 'id') : undefined;
  });
}

/** The names in a list of objects, or undefined when the list is missing or one entry is something else. */
function namesIn(body: unknown, key: string, nameOf: (entry: object) => unknown): string[] | undefined {
  const list: unknown = Reflect.get(Object(body), key);
  if (!Array.isArray(list)) return undefined;
  const names = list.map((entry: unknown) => (typeof entry === 'object' && entry !== null ? nameOf(entry) : undefined));
  const strings = names.filter((name) => typeof name === 'string');
  return strings.length === names.length ? strings : undefined;
}

function nothingFound(looked: Looked[]): string {
  return [
    'No model is available. Looked for:',
    ...looked.map(({ what, outcome }) => `  - ${what}: ${outcome}`),
    'Pick one:',
    '  export OPENAI_API_KEY=...                             (or ANTHROPIC_API_KEY, GEMINI_API_KEY, DEEPSEEK_API_KEY, …)',
    '  assay models pull                                     (a free model in this process, 2.5 GB)',
    '  ollama pull qwen3:4b && ollama serve                  (a free model on this machine)',
    '  export OPENAI_BASE_URL=http://127.0.0.1:8080/v1       (any server that speaks the OpenAI API)',
    '  --model exec:./my-model                               (a command of your own)',
  ].join('\n');
}
