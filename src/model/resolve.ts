import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { LanguageModelV4 } from '@ai-sdk/provider';
import { messageOf, UsageError } from '../core/errors.ts';
import { nearestName } from '../tools/nearest.ts';
import { isLoopback, ollamaOrigin } from './local-servers.ts';
import { compatibleModel, keyOf, type Vendor, vendors } from './providers/vendors.ts';
import { adaptToProvider, markAdapted } from './wire.ts';

export interface ResolveOptions {
  /** Where keys and base URLs are read from. Default `process.env`. */
  env?: NodeJS.ProcessEnv;
  /** Overrides the vendor's base URL and its environment variable. */
  baseUrl?: string | undefined;
  /** A file that keeps every call, for `replay:FILE`. */
  record?: string | undefined;
  /** As in `adaptToProvider`. */
  onWarning?(warning: string): void;
}

interface Request {
  /** What follows the prefix. */
  rest: string;
  env: NodeJS.ProcessEnv;
  baseUrl: string | undefined;
}

interface Source {
  /** How an id of this kind is written, for error messages. */
  form: string;
  create(request: Request): Promise<LanguageModelV4>;
}

/** The ids that are no vendor with a key. */
const otherSources: Record<string, Source> = {
  'openai-compatible': { form: 'openai-compatible:URL#MODEL', create: compatible },
  ollama: { form: 'ollama:MODEL', create: ollama },
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
  ...vendors.map((vendor): [string, Source] => [
    vendor.prefix,
    { form: `${vendor.prefix}:${vendor.defaultModel}`, create: (request) => vendorModel(vendor, request) },
  ]),
  ...Object.entries(otherSources),
]);

/**
 * The model behind an id `prefix:rest`, already adapted to its vendor (`adaptToProvider`):
 *
 * - `openai:`, `anthropic:`, `google:`, `deepseek:`, `alibaba:`, `moonshotai:` and a model of that vendor. The key and the
 *   base URL come from the environment (`OPENAI_API_KEY`, `OPENAI_BASE_URL`, …; see `vendors`).
 * - `openai-compatible:MODEL` on `OPENAI_BASE_URL`, or `openai-compatible:http://host:port/v1#MODEL`. A key is sent from
 *   `OPENAI_COMPATIBLE_API_KEY`; `OPENAI_API_KEY` goes to `OPENAI_BASE_URL` only, never to a host named in an id.
 * - `ollama:MODEL` on `OLLAMA_HOST`, else port 11434. This API ignores `num_ctx`: Ollama cuts a longer prompt silently at
 *   its own context length (4,096 tokens unless the server's `OLLAMA_CONTEXT_LENGTH` or the model says otherwise).
 * - `exec:COMMAND`, `script:FILE`, `replay:FILE`.
 *
 * Vendor packages are loaded when first asked for. Throws `UsageError` for an unknown id, a missing key, base URL or package.
 */
export async function resolveModel(id: string, options: ResolveOptions = {}): Promise<LanguageModelV4> {
  const { source, rest } = split(id.trim());
  const model = await source.create({ rest, env: options.env ?? process.env, baseUrl: options.baseUrl });
  const adapted = adaptToProvider(model, options);
  if (!options.record) return adapted;
  const { recordModel } = await import('./record-replay.ts');
  // Recorded outside the adapter: the file holds our requests, so a replay finds them whoever answered.
  return markAdapted(recordModel(adapted, options.record));
}

function split(id: string): { source: Source; rest: string } {
  const colon = id.indexOf(':');
  const prefix = colon === -1 ? '' : id.slice(0, colon).trim().toLowerCase();
  const rest = id.slice(colon + 1).trim();
  const source = sources.get(prefix);
  if (!source) throw new UsageError(unknownId(id, prefix));
  if (rest === '') throw new UsageError(`The model id "${id}" names no model. Write for example ${source.form}`);
  return { source, rest };
}

const families: readonly [start: RegExp, prefix: string][] = [
  [/^(gpt-|o\d|chatgpt)/i, 'openai'],
  [/^claude/i, 'anthropic'],
  [/^gemini/i, 'google'],
  [/^deepseek/i, 'deepseek'],
  [/^qwen-/i, 'alibaba'],
  [/^kimi/i, 'moonshotai'],
];

function unknownId(id: string, prefix: string): string {
  const family = families.find(([start]) => start.test(id))?.[1];
  const near = nearestName(prefix || id, [...sources.keys()]);
  const model = id.slice(id.indexOf(':') + 1);
  const guess = family ? `${family}:${id}` : near && (prefix ? `${near}:${model}` : sources.get(near)?.form);
  const said = id === '' ? 'The model id is empty.' : `"${id}" is no model id: it has to start with a known provider.`;
  const forms = [...sources.values()].map(({ form }) => form).join(', ');
  return `${said}${guess ? ` Did you mean ${guess}?` : ''} Known forms: ${forms}`;
}

function vendorModel(vendor: Vendor, { rest, env, baseUrl }: Request): Promise<LanguageModelV4> {
  const found = keyOf(vendor, env);
  if (!found) {
    const [variable] = vendor.keyVariables;
    throw new UsageError(
      `${vendor.prefix}:${rest} needs an API key of ${vendor.label}, and ${vendor.keyVariables.join(' or ')} is not set. ` +
        `Get a key at ${vendor.keyPage}, then: export ${variable}=...`,
    );
  }
  return vendor.create({
    modelId: rest,
    baseUrl: checkedUrl(baseUrl ?? (env[vendor.baseUrlVariable]?.trim() || vendor.baseUrl), vendor.baseUrlVariable),
    apiKey: found.key,
  });
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
  return compatibleModel({ name: isLoopback(baseUrl) ? 'local' : 'openai-compatible', baseUrl, modelId, apiKey });
}

function ollama({ rest, env, baseUrl }: Request): Promise<LanguageModelV4> {
  const url = checkedUrl(baseUrl ?? `${ollamaOrigin(env)}/v1`, 'OLLAMA_HOST');
  return compatibleModel({ name: 'ollama', baseUrl: url, modelId: rest });
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
