import type { EmbeddingModelV2, EmbeddingModelV3, EmbeddingModelV4 } from '@ai-sdk/provider';
import { UsageError } from '../core/errors.ts';
import { isLoopback, ollamaOrigin } from './local-servers.ts';
import { elsewhere, onlyLocalByEnvironment } from './only-local.ts';
import { installed } from './providers/installed.ts';
import { modelServers } from './providers/servers.ts';
import { keyOf, type Vendor, vendors } from './providers/vendors.ts';

/** An embedding model of the provider specification, in any of its versions. `local`: nothing of a text leaves this machine. */
export type EmbeddingModel = (EmbeddingModelV4 | EmbeddingModelV3 | EmbeddingModelV2<string>) & {
  readonly local?: boolean;
};

/** An embedding model, or its id (`resolveEmbedder`). */
export type EmbedderChoice = string | EmbeddingModel;

/** As in `resolveModel`. */
export interface EmbedderOptions {
  env?: NodeJS.ProcessEnv;
  onlyLocal?: boolean | undefined;
}

interface Place {
  baseURL: string;
  apiKey: string;
}

/** The vendors whose packages have embedding models, by prefix. */
const ofVendors: Readonly<Record<string, (place: Place, modelId: string) => Promise<EmbeddingModel>>> = {
  openai: async (place, modelId) => (await import('@ai-sdk/openai')).createOpenAI(place).embeddingModel(modelId),
  google: async (place, modelId) => (await import('@ai-sdk/google')).createGoogle(place).embeddingModel(modelId),
  mistral: async (place, modelId) => {
    const { createMistral } = await installed('@ai-sdk/mistral', () => import('@ai-sdk/mistral'));
    return createMistral(place).embeddingModel(modelId);
  },
};

const forms =
  'openai:text-embedding-3-small, google:gemini-embedding-001, mistral:mistral-embed, ollama:nomic-embed-text, ' +
  'lmstudio:MODEL, llamacpp:MODEL, vllm:MODEL, openai-compatible:URL#MODEL';

/**
 * The embedding model behind an id `prefix:model`: of OpenAI, Google or Mistral with their key, or of a server that speaks OpenAI's
 * embeddings (`ollama:`, `lmstudio:`, `llamacpp:`, `vllm:`, `openai-compatible:URL#MODEL`). Throws `UsageError` for any other id, a
 * missing key or package, and with `onlyLocal` for a model that is not on this machine.
 */
export async function resolveEmbedder(id: string, options: EmbedderOptions = {}): Promise<EmbeddingModel> {
  const { env = process.env } = options;
  const onlyLocal = options.onlyLocal ?? onlyLocalByEnvironment(env);
  const colon = id.indexOf(':');
  const prefix = id.slice(0, Math.max(0, colon)).trim().toLowerCase();
  const name = id.slice(colon + 1).trim();
  const vendor = vendors.find((known) => known.prefix === prefix || known.aliases?.includes(prefix));
  if (vendor && ofVendors[vendor.prefix] && name !== '') {
    if (onlyLocal) throw elsewhere(id, 'the embedder');
    return ofVendor(vendor, name, env);
  }
  const server = serverOf(prefix, name, env);
  if (!server) throw new UsageError(`"${id}" is no embedding model that is known. Known forms: ${forms}`);
  const local = isLoopback(server.baseUrl);
  if (onlyLocal && !local) throw elsewhere(id, 'the embedder');
  const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
  const { name: provider, baseUrl: baseURL, apiKey, modelId } = server;
  const made = createOpenAICompatible({ name: provider, baseURL, ...(apiKey && { apiKey }) }).embeddingModel(modelId);
  return Object.assign(made, { local });
}

/** The embedder that was chosen. Throws as `resolveEmbedder`. */
export async function embedderOf(choice: EmbedderChoice, options: EmbedderOptions = {}): Promise<EmbeddingModel> {
  if (typeof choice === 'string') return resolveEmbedder(choice, options);
  const onlyLocal = options.onlyLocal ?? onlyLocalByEnvironment(options.env ?? process.env);
  if (onlyLocal && !choice.local) throw elsewhere(`${choice.provider}:${choice.modelId}`, 'the embedder');
  return choice;
}

async function ofVendor(vendor: Vendor, modelId: string, env: NodeJS.ProcessEnv): Promise<EmbeddingModel> {
  const key = keyOf(vendor, env)?.key;
  const create = ofVendors[vendor.prefix];
  if (!key || !create) {
    const [variable] = vendor.keyVariables;
    throw new UsageError(
      `The embedder ${vendor.prefix}:${modelId} needs an API key of ${vendor.label}. Get one at ${vendor.keyPage}, then: export ${variable}=...`,
    );
  }
  const baseURL = env[vendor.baseUrlVariable]?.trim() || vendor.baseUrl;
  return create({ baseURL, apiKey: key }, modelId);
}

interface Server {
  name: string;
  baseUrl: string;
  apiKey: string | undefined;
  modelId: string;
}

function serverOf(prefix: string, name: string, env: NodeJS.ProcessEnv): Server | undefined {
  if (name === '') return undefined;
  if (prefix === 'ollama') {
    const apiKey = env['OLLAMA_API_KEY']?.trim();
    return { name: 'ollama', baseUrl: `${ollamaOrigin(env)}/v1`, apiKey, modelId: name };
  }
  if (prefix === 'openai-compatible') {
    const [url = '', modelId = ''] = name.split('#');
    const apiKey = env['OPENAI_COMPATIBLE_API_KEY']?.trim();
    const named = URL.canParse(url) && modelId !== '';
    return named ? { name: isLoopback(url) ? 'local' : prefix, baseUrl: url, apiKey, modelId } : undefined;
  }
  const known = modelServers.find((server) => server.prefix === prefix);
  if (!known) return undefined;
  const baseUrl = env[known.baseUrlVariable]?.trim() || known.baseUrl;
  return { name: prefix, baseUrl, apiKey: env[known.keyVariable]?.trim(), modelId: name };
}
