import { isLoopback, type LocalServer } from './local-servers.ts';

/** How servers on this machine are asked. */
export interface Probe {
  fetch: typeof fetch;
  /** How long one may take. */
  timeoutMs: number;
  key?: string | undefined;
}

export interface ServedModel {
  name: string;
  /** Tokens of context it is served with, where the server tells. Of Ollama: what it is loaded with now; a call may ask for more. */
  contextTokens?: number;
}

/** The chat models of a server; without one, `outcome` says why. */
export interface ServedModels {
  models: ServedModel[];
  outcome: string;
}

/** Asks a server on this machine for its models; one elsewhere is not asked. Never throws. */
export async function serverModels({ origin, speaks }: LocalServer, probe: Probe): Promise<ServedModels> {
  if (!isLoopback(origin)) {
    return {
      models: [],
      outcome: 'not on this machine, so it was not asked: name a model of it with --model ollama:MODEL',
    };
  }
  if (speaks === 'openai') return listedModels(`${origin}/v1/models`, speaks, probe);
  const [listed, loaded] = await Promise.all([
    listedModels(`${origin}/api/tags`, speaks, probe),
    jsonFrom(`${origin}/api/ps`, probe),
  ]);
  const contexts = new Map(entriesIn(loaded.body, 'models')?.map((entry) => [nameOf(entry), contextOf(entry)]));
  const models = listed.models.map(({ name }) => withContext(name, contexts.get(name)));
  return { ...listed, models };
}

/** The id of a model of a server. */
export function servedId({ prefix, origin }: LocalServer, { name }: ServedModel): string {
  return prefix ? `${prefix}:${name}` : `openai-compatible:${origin}/v1#${name}`;
}

/** The chat models in the list at an address. */
export async function listedModels(url: string, speaks: LocalServer['speaks'], probe: Probe): Promise<ServedModels> {
  const { body, outcome } = await jsonFrom(url, probe);
  if (outcome !== undefined) return { models: [], outcome };
  const all = speaks === 'ollama' ? ollamaModels(body) : openAiModels(body);
  if (!all) return { models: [], outcome: 'answers, but is no model server' };
  const models = all.filter(({ name }) => !notForChat.test(name));
  return { models, outcome: models.length > 0 ? 'offers a model' : 'is a model server without a model that can chat' };
}

async function jsonFrom(url: string, { fetch, timeoutMs, key }: Probe): Promise<{ body?: unknown; outcome?: string }> {
  try {
    const response = await fetch(url, {
      signal: AbortSignal.timeout(timeoutMs),
      redirect: 'error',
      headers: key ? { authorization: `Bearer ${key}` } : {},
    });
    if (!response.ok) return { outcome: `answers with HTTP ${response.status}, so it offers no model` };
    return { body: await response.json() };
  } catch (error) {
    return { outcome: error instanceof SyntaxError ? 'answers, but is no model server' : 'does not answer' };
  }
}

/** Names of models that embed, rank, speak or listen. */
const notForChat = /embed|rerank|whisper|(^|[-/_])(bge|e5|gte|tts)([-_.:]|$)/i;

/** `{models: [{name}]}` */
function ollamaModels(body: unknown): ServedModel[] | undefined {
  return modelsIn(body, 'models', (entry) => withContext(nameOf(entry), undefined));
}

/** `{data: [{id, object: "model"}]}`. Some servers leave out `object` but say who owns the model. */
function openAiModels(body: unknown): ServedModel[] | undefined {
  return modelsIn(body, 'data', (entry) => {
    const isModel = Reflect.get(entry, 'object') === 'model' || 'owned_by' in entry;
    return withContext(isModel ? Reflect.get(entry, 'id') : undefined, contextOf(entry));
  });
}

/** The models in a list of objects, or undefined when the list is missing or one entry is something else. */
function modelsIn(
  body: unknown,
  key: string,
  modelOf: (entry: object) => { name: unknown; contextTokens?: number },
): ServedModel[] | undefined {
  const models = entriesIn(body, key)?.map(modelOf);
  return models?.every((model): model is ServedModel => typeof model.name === 'string') ? models : undefined;
}

function entriesIn(body: unknown, key: string): object[] | undefined {
  const list: unknown = Reflect.get(Object(body), key);
  return Array.isArray(list) ? list.map((entry: unknown) => Object(entry)) : undefined;
}

function nameOf(entry: object): unknown {
  return Reflect.get(entry, 'name');
}

/** What Ollama (loaded models), vLLM and llama.cpp call it. */
function contextOf(entry: object): number | undefined {
  const places = [
    Reflect.get(entry, 'context_length'),
    Reflect.get(entry, 'max_model_len'),
    Reflect.get(Object(Reflect.get(entry, 'meta')), 'n_ctx'),
  ];
  return places.find((tokens): tokens is number => typeof tokens === 'number' && tokens > 0);
}

function withContext<Name>(name: Name, contextTokens: number | undefined): { name: Name; contextTokens?: number } {
  return { name, ...(contextTokens !== undefined && { contextTokens }) };
}
