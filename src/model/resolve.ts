import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { LanguageModelV4 } from '@ai-sdk/provider';
import { messageOf, UsageError } from '../core/errors.ts';
import { nearestName } from '../tools/nearest.ts';
import type { LocalOptions } from './local/resolve-local.ts';
import { isLoopback, ollamaOrigin } from './local-servers.ts';
import { type IdSettings, idSettings } from './model-id.ts';
import { elsewhere, onlyLocalByEnvironment, requireLocal } from './only-local.ts';
import type { CompatibleServer } from './providers/compatible-model.ts';
import { type ModelServer, modelServers } from './providers/servers.ts';
import { keyOf, type Vendor, vendors } from './providers/vendors.ts';
import { adaptToProvider, markAdapted, type Reasoning } from './wire.ts';

export interface ResolveOptions {
  /** Where keys and base URLs are read from. Default `process.env`. */
  env?: NodeJS.ProcessEnv;
  /** Overrides the vendor's base URL and its environment variable. */
  baseUrl?: string | undefined;
  /** How a `local:` model is run. */
  local?: LocalOptions | undefined;
  /** A file that keeps every call, for `replay:FILE`. */
  record?: string | undefined;
  /** How much the model thinks, where neither its id nor a request says. Default: as its vendor does it. */
  reasoning?: Reasoning | undefined;
  /** Refuses what is not on this machine, before anything is sent there. Default: `ASSAY_ONLY_LOCAL`. */
  onlyLocal?: boolean | undefined;
  /** As in `adaptToProvider`. */
  onWarning?(warning: string): void;
}

interface Request {
  /** What follows the prefix, without settings where the source takes some. */
  rest: string;
  settings: IdSettings;
  env: NodeJS.ProcessEnv;
  baseUrl: string | undefined;
  onWarning: ((warning: string) => void) | undefined;
  local: LocalOptions | undefined;
  onlyLocal: boolean;
}

interface Source {
  /** How an id of this kind is written, for error messages. */
  form: string;
  /** The settings an id of this kind may end with; without any, all of it is the name. */
  settings?: readonly (keyof IdSettings)[];
  create(request: Request): Promise<LanguageModelV4>;
}

/** The ids that are no vendor with a key. */
const otherSources: Record<string, Source> = {
  ollama: { form: 'ollama:MODEL', settings: ['reasoning', 'context'], create: ollama },
  'openai-compatible': { form: 'openai-compatible:URL#MODEL', settings: ['reasoning'], create: compatible },
  local: { form: 'local:qwen3-4b', settings: ['reasoning', 'context'], create: local },
  exec: {
    form: 'exec:COMMAND',
    create: async ({ rest, env }) => (await import('./providers/exec-model.ts')).execModel(rest, { env }),
  },
  script: {
    form: 'script:FILE',
    create: ({ rest }) => scriptFile(rest),
  },
  replay: {
    form: 'replay:FILE',
    create: async ({ rest }) => (await import('./record-replay.ts')).replayModel(rest),
  },
};

const sources: ReadonlyMap<string, Source> = new Map([
  ...vendors.flatMap(vendorSources),
  ...modelServers.map((server): [string, Source] => [
    server.prefix,
    { form: `${server.prefix}:MODEL`, settings: ['reasoning'], create: (request) => served(server, request) },
  ]),
  ...Object.entries(otherSources),
]);

function vendorSources(vendor: Vendor): [string, Source][] {
  const source: Source = {
    form: `${vendor.prefix}:${vendor.defaultModel}`,
    settings: ['reasoning'],
    create: (request) => vendorModel(vendor, request),
  };
  return [vendor.prefix, ...(vendor.aliases ?? [])].map((prefix) => [prefix, source]);
}

/**
 * The model behind an id `prefix:rest`, already adapted to its vendor (`adaptToProvider`):
 *
 * - the prefix of a vendor (`vendors`) and a model of that vendor. The key and the base URL come from the environment
 *   (`OPENAI_API_KEY`, `OPENAI_BASE_URL`, …). What `azure:` names is a deployment.
 * - `ollama:MODEL` on `OLLAMA_HOST`, else port 11434, over Ollama's own API. The context is the number in the id
 *   (`,context=16384`), in `OLLAMA_CONTEXT_LENGTH` or in the Modelfile, else as large as the prompts need, up to 32,768.
 * - `lmstudio:MODEL`, `llamacpp:MODEL`, `vllm:MODEL` on their usual ports or their base URL variable.
 * - `openai-compatible:MODEL` on `OPENAI_BASE_URL`, or `openai-compatible:http://host:port/v1#MODEL`. A key is sent from
 *   `OPENAI_COMPATIBLE_API_KEY`; `OPENAI_API_KEY` goes to `OPENAI_BASE_URL` only, never to a host named in an id.
 * - `local:NAME` (`assay models`) or `local:FILE.gguf`, run by llama.cpp in this process or in one of its own
 *   (`LocalOptions`); `,context=16384` as above.
 * - `exec:COMMAND`, `script:FILE`, `replay:FILE`.
 *
 * An id of the first five kinds may end with `,reasoning=none|low|medium|high`. Vendor packages are loaded when first asked
 * for. Throws `UsageError` for an unknown id, a missing key, base URL or package, and with `onlyLocal` for a model that is not on
 * this machine.
 */
export async function resolveModel(id: string, options: ResolveOptions = {}): Promise<LanguageModelV4> {
  const { source, rest, settings } = split(id.trim());
  const { env = process.env, baseUrl, onWarning, local, onlyLocal = onlyLocalByEnvironment(env) } = options;
  const model = await source.create({ rest, settings, env, baseUrl, onWarning, local, onlyLocal });
  if (onlyLocal) requireLocal(model);
  const adapted = adaptToProvider(model, { ...options, reasoning: settings.reasoning ?? options.reasoning });
  if (!options.record) return adapted;
  const { recordModel } = await import('./record-replay.ts');
  // Recorded outside the adapter: the file holds our requests, so a replay finds them whoever answered.
  return markAdapted(recordModel(adapted, options.record));
}

function split(id: string): { source: Source; rest: string; settings: IdSettings } {
  const colon = id.indexOf(':');
  const prefix = colon === -1 ? '' : id.slice(0, colon).trim().toLowerCase();
  const rest = id.slice(colon + 1).trim();
  const source = sources.get(prefix);
  if (!source) throw new UsageError(unknownId(id, prefix));
  const { name, settings } = source.settings ? idSettings(rest) : { name: rest, settings: {} };
  if (name === '') throw new UsageError(`The model id "${id}" names no model. Write for example ${source.form}`);
  if (settings.context && !source.settings?.includes('context')) {
    throw new UsageError(`${id}: the size of the context is set by that server. Leave ,context= out`);
  }
  return { source, rest: name, settings };
}

/** Families of models, and who serves them: what is guessed when only a name was given. The first that fits counts. */
const families: readonly [start: RegExp, prefix: string][] = [
  [/^(?:us|eu|apac|global|us-gov|jp|au)\.[a-z]+\.|^(?:anthropic|amazon|meta|cohere)\./i, 'bedrock'],
  [/^[a-z-]+\/[a-z]/i, 'openrouter'],
  [/^[a-z0-9._-]+:\d+(?:\.\d+)?[bm](?:-|$)|^gpt-oss|^(?:llama|gemma|phi)-?\d/i, 'ollama'],
  [/^(gpt-|o\d|chatgpt)/i, 'openai'],
  [/^claude/i, 'anthropic'],
  [/^gemini/i, 'google'],
  [/^deepseek/i, 'deepseek'],
  [/^(?:qwen|qwq|qvq)/i, 'alibaba'],
  [/^(?:kimi|moonshot)/i, 'moonshotai'],
  [/^(?:mistral|magistral|ministral|codestral|devstral|pixtral)/i, 'mistral'],
  [/^grok/i, 'xai'],
  [/^glm/i, 'zhipu'],
];

function unknownId(id: string, prefix: string): string {
  const family = families.find(([start]) => start.test(id))?.[1];
  const near = nearestName(prefix || id, [...sources.keys()]);
  const model = id.slice(id.indexOf(':') + 1);
  const guess = family ? `${family}:${id}` : near && (prefix ? `${near}:${model}` : sources.get(near)?.form);
  const said = id === '' ? 'The model id is empty.' : `"${id}" is no model id: it has to start with a known provider.`;
  const forms = [...new Set([...sources.values()].map(({ form }) => form))].join(', ');
  return `${said}${guess ? ` Did you mean ${guess}?` : ''} Known forms: ${forms}`;
}

function vendorModel(vendor: Vendor, { rest, env, baseUrl, onlyLocal }: Request): Promise<LanguageModelV4> {
  if (onlyLocal) throw elsewhere(`${vendor.prefix}:${rest}`);
  const lack = vendor.lacks ? vendor.lacks(env) : lacksKey(vendor, env);
  if (lack) throw new UsageError(`${vendor.prefix}:${rest} ${lack}`);
  const url = baseUrl ?? (env[vendor.baseUrlVariable]?.trim() || vendor.locate?.(env)) ?? vendor.baseUrl;
  const apiKey = keyOf(vendor, env)?.key;
  return vendor.create({ modelId: rest, baseUrl: checkedUrl(url, vendor.baseUrlVariable), apiKey, env });
}

function lacksKey(vendor: Vendor, env: NodeJS.ProcessEnv): string | undefined {
  if (keyOf(vendor, env)) return undefined;
  const [variable] = vendor.keyVariables;
  return (
    `needs an API key of ${vendor.label}, and ${vendor.keyVariables.join(' or ')} is not set. ` +
    `Get a key at ${vendor.keyPage}, then: export ${variable}=...`
  );
}

async function served(server: ModelServer, { rest, env, baseUrl, onlyLocal }: Request): Promise<LanguageModelV4> {
  const url = baseUrl ?? (env[server.baseUrlVariable]?.trim() || server.baseUrl);
  const address = { baseUrl: checkedUrl(url, server.baseUrlVariable), apiKey: env[server.keyVariable]?.trim() };
  if (onlyLocal && !isLoopback(address.baseUrl)) throw elsewhere(`${server.prefix}:${rest} at ${address.baseUrl}`);
  const { listedContext } = await import('./providers/listed-context.ts');
  const contextTokens = await listedContext(address, rest);
  const local = isLoopback(address.baseUrl) ? { local: true } : {};
  return compatibleModel({
    name: server.prefix,
    ...address,
    modelId: rest,
    patient: true,
    traits: { ...local, ...(contextTokens !== undefined && { contextTokens }) },
  });
}

async function local({ rest, settings, env, onWarning, local: options }: Request): Promise<LanguageModelV4> {
  const { resolveLocal } = await import('./local/resolve-local.ts');
  const { context: contextTokens = options?.contextTokens } = settings;
  return await resolveLocal(rest, env, { onWarning, ...options, contextTokens });
}

function compatible({ rest, env, baseUrl }: Request): Promise<LanguageModelV4> {
  const ownKey = env['OPENAI_COMPATIBLE_API_KEY']?.trim();
  const hash = rest.indexOf('#');
  if (/^https?:\/\//i.test(rest)) {
    const modelId = hash === -1 ? '' : rest.slice(hash + 1);
    if (modelId === '') {
      throw new UsageError(
        `openai-compatible:${rest} names no model. Write openai-compatible:${rest.split('#')[0]}#MODEL`,
      );
    }
    return compatibleAt(rest.slice(0, hash), modelId, ownKey);
  }
  const fromEnv = env['OPENAI_BASE_URL']?.trim();
  const url = baseUrl ?? fromEnv;
  if (!url) {
    throw new UsageError(
      `openai-compatible:${rest} needs the address of a server, and OPENAI_BASE_URL is not set. ` +
        `Write openai-compatible:http://127.0.0.1:8080/v1#${rest}, or: export OPENAI_BASE_URL=http://127.0.0.1:8080/v1`,
    );
  }
  return compatibleAt(url, rest, ownKey || (url === fromEnv ? env['OPENAI_API_KEY']?.trim() : undefined));
}

function compatibleAt(url: string, modelId: string, apiKey: string | undefined): Promise<LanguageModelV4> {
  const baseUrl = checkedUrl(url, 'OPENAI_BASE_URL');
  if (!isLoopback(baseUrl)) return compatibleModel({ name: 'openai-compatible', baseUrl, modelId, apiKey });
  return compatibleModel({ name: 'local', baseUrl, modelId, apiKey, patient: true, traits: { local: true } });
}

/** Loaded when first asked for: it brings an HTTP client. */
async function compatibleModel(server: CompatibleServer): Promise<LanguageModelV4> {
  return (await import('./providers/compatible-model.ts')).compatibleModel(server);
}

async function ollama({ rest, settings, env, baseUrl, onWarning, onlyLocal }: Request): Promise<LanguageModelV4> {
  const origin = checkedUrl(baseUrl ?? ollamaOrigin(env), 'OLLAMA_HOST').replace(/\/(?:v1|api)$/, '');
  if (onlyLocal && !isLoopback(origin)) throw elsewhere(`ollama:${rest} at ${origin}`);
  const { ollamaModel } = await import('./providers/ollama/ollama-model.ts');
  const given = env['OLLAMA_CONTEXT_LENGTH']?.trim();
  return ollamaModel({
    modelId: rest,
    origin,
    apiKey: env['OLLAMA_API_KEY']?.trim(),
    contextTokens: settings.context ?? (Number(given) > 0 ? Number(given) : undefined),
    // A run pauses for tools and people, and loading a model anew takes longer than most of its answers.
    keepAlive: env['OLLAMA_KEEP_ALIVE']?.trim() || '15m',
    ...(onWarning && { onWarning }),
  });
}

async function scriptFile(file: string): Promise<LanguageModelV4> {
  const { parseScript, scriptedModel } = await import('./providers/script-model.ts');
  return scriptedModel(parseScript(scriptText(file), file), { modelId: basename(file) });
}

function scriptText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(`The script ${file} cannot be read: ${messageOf(error)}`, { cause: error });
  }
}

function checkedUrl(url: string, variable: string): string {
  const trimmed = url.trim().replace(/\/+$/, '');
  if (/^https?:\/\//i.test(trimmed) && URL.canParse(trimmed)) return trimmed;
  throw new UsageError(`"${url}" is no base URL. Set ${variable} to an http:// or https:// address, or unset it.`);
}
