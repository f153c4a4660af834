import type { LanguageModelV4 } from '@ai-sdk/provider';
import { messageOf, UsageError } from '../../core/errors.ts';
import { asLanguageModel } from '../spec-versions.ts';

/** What a vendor's package is given. `apiKey` is absent only for servers that need none. */
export interface Connection {
  modelId: string;
  baseUrl: string;
  apiKey?: string | undefined;
}

/** A vendor that is reached with a key. */
export interface Vendor {
  /** What an id starts with: `openai` in `openai:gpt-5-mini`. */
  prefix: string;
  label: string;
  package: string;
  /** Environment variables that may hold the key; the first is the one to recommend. */
  keyVariables: readonly [string, ...string[]];
  keyPage: string;
  /** The environment variable that points the vendor's package elsewhere, and where it points without. */
  baseUrlVariable: string;
  baseUrl: string;
  /** The model that is used when only the key is known. */
  defaultModel: string;
  create(connection: Connection): Promise<LanguageModelV4>;
}

/** The vendors, in the order in which their keys are looked for. A package is loaded when one of its models is asked for. */
export const vendors: readonly Vendor[] = [
  {
    prefix: 'anthropic',
    label: 'Anthropic',
    package: '@ai-sdk/anthropic',
    keyVariables: ['ANTHROPIC_API_KEY'],
    keyPage: 'https://console.anthropic.com/settings/keys',
    baseUrlVariable: 'ANTHROPIC_BASE_URL',
    baseUrl: 'https://api.anthropic.com/v1',
    defaultModel: 'claude-sonnet-4-6',
    async create({ modelId, baseUrl, apiKey }) {
      const { createAnthropic } = await import('@ai-sdk/anthropic');
      return createAnthropic({ baseURL: baseUrl, ...(apiKey && { apiKey }) })(modelId);
    },
  },
  {
    prefix: 'openai',
    label: 'OpenAI',
    package: '@ai-sdk/openai',
    keyVariables: ['OPENAI_API_KEY'],
    keyPage: 'https://platform.openai.com/api-keys',
    baseUrlVariable: 'OPENAI_BASE_URL',
    baseUrl: 'https://api.openai.com/v1',
    defaultModel: 'gpt-5-mini',
    async create({ modelId, baseUrl, apiKey }) {
      const { createOpenAI } = await import('@ai-sdk/openai');
      return createOpenAI({ baseURL: baseUrl, ...(apiKey && { apiKey }) })(modelId);
    },
  },
  {
    prefix: 'google',
    label: 'Google Gemini',
    package: '@ai-sdk/google',
    keyVariables: ['GOOGLE_GENERATIVE_AI_API_KEY', 'GEMINI_API_KEY', 'GOOGLE_API_KEY'],
    keyPage: 'https://aistudio.google.com/apikey',
    baseUrlVariable: 'GOOGLE_GENERATIVE_AI_BASE_URL',
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta',
    defaultModel: 'gemini-2.5-flash',
    async create({ modelId, baseUrl, apiKey }) {
      const { createGoogle } = await import('@ai-sdk/google');
      return createGoogle({ baseURL: baseUrl, ...(apiKey && { apiKey }) })(modelId);
    },
  },
  {
    prefix: 'deepseek',
    label: 'DeepSeek',
    package: '@ai-sdk/deepseek',
    keyVariables: ['DEEPSEEK_API_KEY'],
    keyPage: 'https://platform.deepseek.com/api_keys',
    baseUrlVariable: 'DEEPSEEK_BASE_URL',
    baseUrl: 'https://api.deepseek.com',
    defaultModel: 'deepseek-chat',
    create: (connection) => optionalModel('@ai-sdk/deepseek', 'createDeepSeek', connection),
  },
  {
    prefix: 'alibaba',
    label: 'Alibaba Cloud (Qwen)',
    package: '@ai-sdk/alibaba',
    keyVariables: ['ALIBABA_API_KEY', 'DASHSCOPE_API_KEY'],
    keyPage: 'https://bailian.console.alibabacloud.com/?tab=model#/api-key',
    baseUrlVariable: 'ALIBABA_BASE_URL',
    baseUrl: 'https://dashscope-intl.aliyuncs.com/compatible-mode/v1',
    defaultModel: 'qwen-plus',
    create: (connection) => optionalModel('@ai-sdk/alibaba', 'createAlibaba', connection),
  },
  {
    prefix: 'moonshotai',
    label: 'Moonshot AI (Kimi)',
    package: '@ai-sdk/moonshotai',
    keyVariables: ['MOONSHOT_API_KEY'],
    keyPage: 'https://platform.moonshot.ai/console/api-keys',
    baseUrlVariable: 'MOONSHOT_BASE_URL',
    baseUrl: 'https://api.moonshot.ai/v1',
    defaultModel: 'kimi-k2.5',
    create: (connection) => optionalModel('@ai-sdk/moonshotai', 'createMoonshotAI', connection),
  },
];

/** The key of a vendor in an environment, with the variable that holds it. Blank counts as unset. */
export function keyOf(vendor: Vendor, env: NodeJS.ProcessEnv): { variable: string; key: string } | undefined {
  for (const variable of vendor.keyVariables) {
    const key = env[variable]?.trim();
    if (key) return { variable, key };
  }
  return undefined;
}

/** A model behind any server that speaks OpenAI's chat completions: llama.cpp, vLLM, LM Studio, Ollama, a gateway. */
export async function compatibleModel(connection: Connection & { name: string }): Promise<LanguageModelV4> {
  const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
  const provider = createOpenAICompatible({
    name: connection.name,
    baseURL: connection.baseUrl,
    includeUsage: true,
    supportsStructuredOutputs: true,
    ...(connection.apiKey && { apiKey: connection.apiKey }),
  });
  return provider(connection.modelId);
}

/**
 * A model of a package that is an optional peer: users who want it install it. The packages are alike: an exported
 * factory takes `{ baseURL, apiKey }` and returns a function from model id to model. Throws `UsageError` with the install
 * command when the package is missing. `load` is for tests.
 */
export async function optionalModel(
  packageName: string,
  factory: string,
  connection: Connection,
  load: (name: string) => Promise<unknown> = (name) => import(name),
): Promise<LanguageModelV4> {
  const module = await load(packageName).catch((error: unknown) => {
    if (!isMissing(error, packageName)) throw error;
    throw new UsageError(
      `${packageName} is not installed, and its models need it. Install it beside assay: npm install ${packageName}`,
      { cause: error },
    );
  });
  const create: unknown = Reflect.get(Object(module), factory);
  const provider: unknown =
    typeof create === 'function' ? create({ baseURL: connection.baseUrl, apiKey: connection.apiKey }) : undefined;
  if (typeof provider !== 'function') {
    throw new UsageError(
      `${packageName} has no ${factory}, so this version of it cannot be used. Install the current one: ` +
        `npm install ${packageName}@latest`,
    );
  }
  return asLanguageModel(provider(connection.modelId));
}

function isMissing(error: unknown, packageName: string): boolean {
  const code: unknown = Reflect.get(Object(error), 'code');
  return code === 'ERR_MODULE_NOT_FOUND' && messageOf(error).includes(packageName);
}
