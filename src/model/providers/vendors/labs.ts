import { installed } from '../installed.ts';
import type { Vendor } from './vendor.ts';

/** Makers of models with an API and a package of their own. */

export const anthropic: Vendor = {
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
};

export const openAi: Vendor = {
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
};

export const google: Vendor = {
  prefix: 'google',
  aliases: ['gemini'],
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
};

export const mistral: Vendor = {
  prefix: 'mistral',
  label: 'Mistral AI',
  package: '@ai-sdk/mistral',
  keyVariables: ['MISTRAL_API_KEY'],
  keyPage: 'https://console.mistral.ai/api-keys',
  baseUrlVariable: 'MISTRAL_BASE_URL',
  baseUrl: 'https://api.mistral.ai/v1',
  defaultModel: 'mistral-medium-latest',
  async create({ modelId, baseUrl, apiKey }) {
    const { createMistral } = await installed('@ai-sdk/mistral', () => import('@ai-sdk/mistral'));
    return createMistral({ baseURL: baseUrl, ...(apiKey && { apiKey }) })(modelId);
  },
};

export const xai: Vendor = {
  prefix: 'xai',
  aliases: ['grok'],
  label: 'xAI (Grok)',
  package: '@ai-sdk/xai',
  keyVariables: ['XAI_API_KEY'],
  keyPage: 'https://console.x.ai',
  baseUrlVariable: 'XAI_BASE_URL',
  baseUrl: 'https://api.x.ai/v1',
  defaultModel: 'grok-4.3',
  async create({ modelId, baseUrl, apiKey }) {
    const { createXai } = await installed('@ai-sdk/xai', () => import('@ai-sdk/xai'));
    return createXai({ baseURL: baseUrl, ...(apiKey && { apiKey }) })(modelId);
  },
};

export const deepSeek: Vendor = {
  prefix: 'deepseek',
  label: 'DeepSeek',
  package: '@ai-sdk/deepseek',
  keyVariables: ['DEEPSEEK_API_KEY'],
  keyPage: 'https://platform.deepseek.com/api_keys',
  baseUrlVariable: 'DEEPSEEK_BASE_URL',
  baseUrl: 'https://api.deepseek.com',
  defaultModel: 'deepseek-v4-flash',
  async create({ modelId, baseUrl, apiKey }) {
    const { createDeepSeek } = await installed('@ai-sdk/deepseek', () => import('@ai-sdk/deepseek'));
    return createDeepSeek({ baseURL: baseUrl, ...(apiKey && { apiKey }) })(modelId);
  },
};

export const alibaba: Vendor = {
  prefix: 'alibaba',
  aliases: ['qwen'],
  label: 'Alibaba Cloud (Qwen)',
  package: '@ai-sdk/alibaba',
  keyVariables: ['ALIBABA_API_KEY', 'DASHSCOPE_API_KEY'],
  keyPage: 'https://bailian.console.alibabacloud.com/?tab=model#/api-key',
  baseUrlVariable: 'ALIBABA_BASE_URL',
  baseUrl: 'https://dashscope-intl.aliyuncs.com/compatible-mode/v1',
  defaultModel: 'qwen-plus',
  async create({ modelId, baseUrl, apiKey }) {
    const { createAlibaba } = await installed('@ai-sdk/alibaba', () => import('@ai-sdk/alibaba'));
    return createAlibaba({ baseURL: baseUrl, ...(apiKey && { apiKey }) })(modelId);
  },
};

export const moonshotAi: Vendor = {
  prefix: 'moonshotai',
  aliases: ['kimi', 'moonshot'],
  label: 'Moonshot AI (Kimi)',
  package: '@ai-sdk/moonshotai',
  keyVariables: ['MOONSHOT_API_KEY', 'KIMI_API_KEY'],
  keyPage: 'https://platform.moonshot.ai/console/api-keys',
  baseUrlVariable: 'MOONSHOT_BASE_URL',
  baseUrl: 'https://api.moonshot.ai/v1',
  defaultModel: 'kimi-k2.5',
  async create({ modelId, baseUrl, apiKey }) {
    const { createMoonshotAI } = await installed('@ai-sdk/moonshotai', () => import('@ai-sdk/moonshotai'));
    return createMoonshotAI({ baseURL: baseUrl, ...(apiKey && { apiKey }) })(modelId);
  },
};

const zaiKeys = ['ZAI_API_KEY', 'Z_AI_API_KEY'] as const;
const zhipuKeys = ['ZHIPU_API_KEY', 'ZHIPUAI_API_KEY', 'GLM_API_KEY'] as const;

export const zhipu: Vendor = {
  prefix: 'zhipu',
  aliases: ['glm', 'zai'],
  label: 'Zhipu AI, Z.ai (GLM)',
  package: '@ai-sdk/openai-compatible',
  keyVariables: [...zhipuKeys, ...zaiKeys],
  keyPage: 'https://open.bigmodel.cn/usercenter/apikeys or https://z.ai/manage-apikey/apikey-list',
  baseUrlVariable: 'ZHIPU_BASE_URL',
  baseUrl: 'https://open.bigmodel.cn/api/paas/v4',
  defaultModel: 'glm-4.7',
  // One vendor with two doors, and a key opens one of them.
  locate: (env) =>
    zaiKeys.some((name) => env[name]?.trim()) && !zhipuKeys.some((name) => env[name]?.trim())
      ? 'https://api.z.ai/api/paas/v4'
      : undefined,
  async create({ modelId, baseUrl, apiKey }) {
    const { compatibleModel } = await import('../compatible-model.ts');
    return compatibleModel({ name: 'zhipu', baseUrl, modelId, apiKey, takesSchemas: false, asksForUsage: false });
  },
};
