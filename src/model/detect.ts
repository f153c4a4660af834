import { aboutSize } from './local/bytes.ts';
import { fitsMemory, suggestedModel } from './local/memory.ts';
import { installedModels } from './local/models-table.ts';
import { isLoopback, type LocalServer, localServers } from './local-servers.ts';
import { onlyLocalByEnvironment } from './only-local.ts';
import { keyOf, vendors } from './providers/vendors.ts';
import { listedModels, type Probe, servedId, serverModels } from './server-models.ts';

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
  /** Passes over what is not on this machine. Default: `ASSAY_ONLY_LOCAL`. */
  onlyLocal?: boolean | undefined;
  fetch?: typeof fetch;
  /** The servers to probe, instead of the well-known ports. */
  servers?: readonly LocalServer[];
  /** How long a server on this machine may take, in milliseconds. Default 1,000. */
  timeoutMs?: number;
}

/** How long a server on this machine may take, in milliseconds, unless told otherwise. A port without a server refuses at once. */
export const usualTimeoutMs = 1_000;

export type Detected = { found: Detection; looked: Looked[] } | { found: undefined; looked: Looked[]; message: string };

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
  const probe: Probe = { fetch: options.fetch ?? fetch, timeoutMs: options.timeoutMs ?? usualTimeoutMs };
  const baseUrl = env['OPENAI_BASE_URL']?.trim().replace(/\/+$/, '');
  if (baseUrl) return configuredServer(baseUrl, env, probe);
  const looked: Looked[] = [{ what: 'OPENAI_BASE_URL', outcome: 'not set' }];
  const { onlyLocal = onlyLocalByEnvironment(env) } = options;
  if (onlyLocal) looked.push({ what: 'API keys', outcome: 'passed over: only models on this machine may be asked' });
  for (const vendor of onlyLocal ? [] : vendors) {
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

function pulledModel(env: NodeJS.ProcessEnv): Looked & { found?: Detection } {
  const what = 'a pulled model file (local:)';
  const pulled = installedModels(env);
  if (pulled.length === 0) return { what, outcome: 'none was pulled' };
  const fitting = pulled.find(({ row }) => fitsMemory(row));
  if (!fitting) return { what, outcome: 'none fits into the memory of this machine: name it with --model to try it' };
  const { name } = fitting.row;
  return { what, outcome: 'is there', found: { id: `local:${name}`, reason: 'its file was pulled' } };
}

async function configuredServer(baseUrl: string, env: NodeJS.ProcessEnv, probe: Probe): Promise<Detected> {
  const what = `OPENAI_BASE_URL (${baseUrl})`;
  const named = env['OPENAI_MODEL']?.trim();
  if (named) {
    const reason = 'OPENAI_BASE_URL and OPENAI_MODEL are set';
    return { found: { id: `openai-compatible:${named}`, reason }, looked: [{ what, outcome: 'set' }] };
  }
  const fix = 'Name the model (export OPENAI_MODEL=...), or unset OPENAI_BASE_URL to look further.';
  if (!isLoopback(baseUrl)) {
    const outcome = 'not on this machine, so it was not asked for its models';
    return { found: undefined, looked: [{ what, outcome }], message: `${what} is ${outcome}. ${fix}` };
  }
  const list = await listedModels(`${baseUrl}/models`, 'openai', { ...probe, key: env['OPENAI_API_KEY']?.trim() });
  const first = list.models[0]?.name;
  if (first !== undefined) {
    const found = { id: `openai-compatible:${first}`, reason: `OPENAI_BASE_URL is set and lists ${first} first` };
    return { found, looked: [{ what, outcome: 'lists models' }] };
  }
  const message = `${what}: ${list.outcome}. Start that server, or: ${fix}`;
  return { found: undefined, looked: [{ what, outcome: list.outcome }], message };
}

async function probeServer(server: LocalServer, probe: Probe): Promise<Looked & { found?: Detection }> {
  const what = `${server.name} at ${server.origin}`;
  const { models, outcome } = await serverModels(server, probe);
  const [first] = models;
  if (first === undefined) return { what, outcome };
  return {
    what,
    outcome,
    found: { id: servedId(server, first), reason: `${server.name} answers at ${server.origin}` },
  };
}

function nothingFound(looked: Looked[]): string {
  const suggested = suggestedModel();
  return [
    'No model is available. Looked for:',
    ...looked.map(({ what, outcome }) => `  - ${what}: ${outcome}`),
    'Pick one:',
    "  export OPENAI_API_KEY=...                        or another vendor's key",
    `  assay models pull                                a free model here, ${aboutSize(suggested.size)}`,
    '  ollama pull qwen3:4b && ollama serve             a free model of Ollama',
    '  export OPENAI_BASE_URL=http://127.0.0.1:8080/v1  a server like OpenAI',
    '  --model exec:./my-model                          a command of your own',
  ].join('\n');
}
