import type { JSONObject } from '@ai-sdk/provider';
import type { MessageRules } from './messages.ts';

/**
 * How a tool's schema is told: as a plain object schema, or in a dialect of the vendor's. `grammar`: without what a grammar
 * cannot say. `bare`: with the fewest keywords at the root.
 */
export type ToolSchemas = 'plain' | 'strict' | 'anthropic' | 'gemini' | 'grammar' | 'bare';

/**
 * How an answer's schema is asked for. `strict`: in OpenAI's strict dialect, or loosely where that cannot say it.
 * `strict-only`: the same, but a schema that cannot be said is left to the text of the prompt. `schema`: as it is.
 * `json-object`: the API promises JSON only; the package tells the schema in the prompt, where it does at all.
 */
export type AnswerSchemas =
  | 'strict'
  | 'strict-only'
  | 'schema'
  | 'json-object'
  | Exclude<ToolSchemas, 'plain' | 'anthropic'>;

/**
 * What becomes of a choice that forces a call. `taken`: sent as it is. `one-tool`: a name is ignored or refused, so that only the
 * named tool is offered, with "required". `without-reasoning`: refused while the model reasons, so it does not reason in
 * that call. `asked`: refused, so that the named tool alone is offered and nothing forces it.
 */
export type ForcedChoice = 'taken' | 'one-tool' | 'without-reasoning' | 'asked';

/** How much a model thinks before it answers. */
export type Reasoning = 'none' | 'low' | 'medium' | 'high';

/** What one vendor's API can do and insists on. */
export interface Abilities {
  /** Whose API it is, for messages to people. */
  vendor: string;
  messages: MessageRules;
  tools: ToolSchemas;
  answer: AnswerSchemas;
  forced: ForcedChoice;
  /** The name under which the vendor's package looks for its options. */
  key: string;
  /** Options of every request. */
  always?: JSONObject;
  /** The package has an option `strictJsonSchema`. */
  saysStrict?: true;
  /**
   * What makes the vendor keep a prompt: a key that sends requests with one beginning to one cache, or marks in the prompt
   * behind which it is kept. Without either the vendor finds equal beginnings by itself.
   */
  cache?: 'key' | { mark: JSONObject };
  /** The options that set the reasoning, where the package does not map the specification's own setting. */
  reasoning?(level: string): JSONObject;
  /** Finish reasons that the package does not know. */
  finish?: Readonly<Record<string, 'content-filter' | 'length' | 'error'>>;
}

const anyRoles: MessageRules = { laterSystem: false, mergeUsers: false };
/** What chat templates of open models insist on. */
const templateRoles: MessageRules = { laterSystem: false, mergeUsers: true };
const mistralRoles: MessageRules = { laterSystem: false, mergeUsers: true, bridged: true, shortIds: true };

const mistralFamily = /mistral|mixtral|magistral|ministral|codestral|devstral|pixtral|voxtral/i;

/** The roles a model's template takes when nobody knows which server applies it. */
function rolesOf(modelId: string): MessageRules {
  return mistralFamily.test(modelId) ? mistralRoles : templateRoles;
}

const openAi: Abilities = {
  vendor: 'OpenAI',
  messages: { laterSystem: true, mergeUsers: false },
  tools: 'strict',
  answer: 'strict',
  forced: 'taken',
  key: 'openai',
  // A run may go on long after the vendor has dropped what it stored, so every request carries its whole history. Thoughts
  // are sealed in it; a summary of them is shown to nobody and refused to accounts that are not verified.
  always: { store: false, reasoningSummary: null },
  saysStrict: true,
  cache: 'key',
};

const anthropic: Abilities = {
  vendor: 'Anthropic',
  messages: anyRoles,
  tools: 'anthropic',
  answer: 'schema',
  forced: 'taken',
  key: 'anthropic',
  cache: { mark: { cacheControl: { type: 'ephemeral' } } },
};

/** A server of the user's that speaks OpenAI's chat completions. */
function compatible(vendor: string, key: string, rest: Partial<Abilities> = {}): (modelId: string) => Abilities {
  return (modelId) => ({
    vendor,
    messages: rolesOf(modelId),
    tools: 'grammar',
    answer: 'grammar',
    forced: 'taken',
    key,
    saysStrict: true,
    ...rest,
  });
}

/** Hosted vendors whose packages speak OpenAI's chat completions. */
function hosted(vendor: string, key: string, rest: Partial<Abilities>): Abilities {
  return { vendor, messages: templateRoles, tools: 'plain', answer: 'strict', forced: 'taken', key, ...rest };
}

/** Templates of open models know `enable_thinking`, those of gpt-oss an effort. */
function templateReasoning(level: string): JSONObject {
  const effort = level === 'none' ? {} : { reasoning_effort: level };
  return { chat_template_kwargs: { enable_thinking: level !== 'none', ...effort }, ...effort };
}

type ByModel = (modelId: string) => Abilities;

/** By the name a package gives its provider, up to the first dot. */
const table: Readonly<Record<string, ByModel>> = {
  openai: () => openAi,
  azure: () => ({ ...openAi, vendor: 'Azure OpenAI' }),
  anthropic: () => anthropic,
  vertex: (modelId) => (/claude/.test(modelId) ? anthropic : gemini),
  google: () => gemini,
  mistral: () => hosted('Mistral', 'mistral', { messages: mistralRoles, saysStrict: true, cache: 'key' }),
  groq: (modelId) => hosted('Groq', 'groq', groqAnswers(modelId)),
  xai: () =>
    hosted('xAI', 'xai', {
      messages: anyRoles,
      answer: 'strict-only',
      always: { store: false },
      cache: 'key',
      // The package does not read on why.
      finish: { incomplete: 'length' },
    }),
  deepseek: (modelId) =>
    hosted('DeepSeek', 'deepseek', {
      answer: 'json-object',
      forced: /reasoner/.test(modelId) ? 'asked' : 'without-reasoning',
    }),
  alibaba: (modelId) =>
    hosted('Alibaba', 'alibaba', {
      answer: 'schema',
      forced: /thinking|qwq|qvq/.test(modelId) ? 'asked' : 'without-reasoning',
    }),
  moonshotai: () => hosted('Moonshot AI', 'moonshotai', { saysStrict: true, cache: 'key' }),
  zhipu: () =>
    hosted('Zhipu', 'zhipu', {
      answer: 'json-object',
      forced: 'asked',
      reasoning: (level) => ({ thinking: { type: level === 'none' ? 'disabled' : 'enabled' } }),
      finish: { sensitive: 'content-filter', model_context_window_exceeded: 'length', network_error: 'error' },
    }),
  openrouter: (modelId) => ({
    ...hosted('OpenRouter', 'openrouter', { messages: rolesOf(modelId), answer: 'strict-only' }),
    reasoning: (level) => ({ reasoning: level === 'none' ? { enabled: false } : { effort: level } }),
    ...(/^~?anthropic\//.test(modelId) && { cache: { mark: { cacheControl: { type: 'ephemeral' } } } }),
  }),
  'amazon-bedrock': bedrock,
  // Its adapter is ours and takes the specification's own settings.
  ollama: () => hosted('Ollama', 'ollama', { answer: 'schema' }),
  // Our own adapter as well: it makes its grammars itself, and says what they do not hold.
  'node-llama-cpp': (modelId) => ({
    vendor: 'llama.cpp',
    messages: rolesOf(modelId),
    tools: 'plain',
    answer: 'schema',
    forced: 'taken',
    key: 'local',
  }),
  lmstudio: compatible('LM Studio', 'lmstudio', { forced: 'one-tool' }),
  llamacpp: compatible('llama.cpp', 'llamacpp', { forced: 'one-tool', reasoning: templateReasoning }),
  vllm: compatible('vLLM', 'vllm', { reasoning: templateReasoning }),
};

const gemini: Abilities = {
  vendor: 'Gemini',
  messages: { laterSystem: false, mergeUsers: false, signedBlanks: true },
  tools: 'gemini',
  answer: 'gemini',
  forced: 'taken',
  key: 'google',
};

const unknownServer: ByModel = compatible('an OpenAI-compatible server', 'openaiCompatible');

/** Groq guarantees a schema for gpt-oss only, takes one for few more, and knows JSON without a schema for all. */
function groqAnswers(modelId: string): Partial<Abilities> {
  if (/gpt-oss/.test(modelId)) return { saysStrict: true };
  if (/llama-4|kimi-k2/.test(modelId)) return { answer: 'schema', saysStrict: true };
  return { answer: 'json-object', always: { structuredOutputs: false } };
}

/** Models that keep a prompt at a cache point; the others refuse a request that has one. */
const bedrockCaches =
  /claude-(?:sonnet|opus|haiku|fable)-\d|claude-3-7|claude-3-5-haiku|claude-3-5-sonnet-20241022|amazon\.nova/;

function bedrock(modelId: string): Abilities {
  const isClaude = modelId.includes('anthropic');
  return {
    vendor: 'Bedrock',
    messages: anyRoles,
    tools: isClaude ? 'anthropic' : 'bare',
    // Where the model has no format for answers, its package makes a tool of the schema.
    answer: isClaude ? 'schema' : 'bare',
    // Only these two families take a named tool.
    forced: isClaude || modelId.includes('amazon.nova') ? 'taken' : 'asked',
    key: 'amazonBedrock',
    ...(bedrockCaches.test(modelId) && { cache: { mark: { cachePoint: { type: 'default' } } } }),
  };
}

/** The abilities behind a model object, by the provider name its package gives it, for example `openai.responses`. */
export function abilitiesOf(provider: string, modelId: string): Abilities {
  const name = provider.split('.')[0] ?? '';
  const known = Object.hasOwn(table, name) ? table[name] : undefined;
  return (known ?? unknownServer)(modelId);
}
