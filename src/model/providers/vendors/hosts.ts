import { installed } from '../installed.ts';
import { firstSet, type Vendor } from './vendor.ts';

/** Those that serve the models of others: gateways, inference hosts, clouds. */

export const openRouter: Vendor = {
  prefix: 'openrouter',
  label: 'OpenRouter',
  package: '@openrouter/ai-sdk-provider',
  keyVariables: ['OPENROUTER_API_KEY'],
  keyPage: 'https://openrouter.ai/settings/keys',
  baseUrlVariable: 'OPENROUTER_BASE_URL',
  baseUrl: 'https://openrouter.ai/api/v1',
  defaultModel: 'anthropic/claude-sonnet-4.6',
  async create({ modelId, baseUrl, apiKey }) {
    const name = '@openrouter/ai-sdk-provider';
    const { createOpenRouter } = await installed(name, () => import('@openrouter/ai-sdk-provider'));
    return createOpenRouter({ baseURL: baseUrl, ...(apiKey && { apiKey }) }).chat(modelId);
  },
};

export const groq: Vendor = {
  prefix: 'groq',
  label: 'Groq',
  package: '@ai-sdk/groq',
  keyVariables: ['GROQ_API_KEY'],
  keyPage: 'https://console.groq.com/keys',
  baseUrlVariable: 'GROQ_BASE_URL',
  baseUrl: 'https://api.groq.com/openai/v1',
  defaultModel: 'openai/gpt-oss-120b',
  async create({ modelId, baseUrl, apiKey }) {
    const { createGroq } = await installed('@ai-sdk/groq', () => import('@ai-sdk/groq'));
    return createGroq({ baseURL: baseUrl, ...(apiKey && { apiKey }) })(modelId);
  },
};

const noResource = 'https://RESOURCE.openai.azure.com/openai/v1';

export const azure: Vendor = {
  prefix: 'azure',
  label: 'Azure OpenAI',
  package: '@ai-sdk/azure',
  keyVariables: ['AZURE_API_KEY', 'AZURE_OPENAI_API_KEY'],
  keyPage: 'https://portal.azure.com (resource, Keys and Endpoint)',
  baseUrlVariable: 'AZURE_OPENAI_ENDPOINT',
  baseUrl: noResource,
  defaultModel: 'gpt-5-mini',
  locate: (env) => {
    const name = firstSet(['AZURE_RESOURCE_NAME'], env)?.value;
    return name && `https://${name}.openai.azure.com/openai`;
  },
  lacks: (env) => {
    if (!firstSet(azure.keyVariables, env)) {
      return `needs a key of Azure OpenAI. Copy it from ${azure.keyPage}, then: export AZURE_API_KEY=...`;
    }
    if (firstSet(['AZURE_OPENAI_ENDPOINT', 'AZURE_RESOURCE_NAME'], env)) return undefined;
    return 'needs the resource that the deployment is in: export AZURE_RESOURCE_NAME=... (or AZURE_OPENAI_ENDPOINT=https://...)';
  },
  async create({ modelId, baseUrl, apiKey, env }) {
    const { createAzure } = await installed('@ai-sdk/azure', () => import('@ai-sdk/azure'));
    const versions = ['AZURE_OPENAI_API_VERSION', 'AZURE_API_VERSION', 'OPENAI_API_VERSION'];
    const apiVersion = firstSet(versions, env)?.value;
    const settings = { ...(apiKey && { apiKey }), ...(apiVersion && { apiVersion }) };
    // Versions with a date are from before the one API, and know deployments and chat completions only.
    if (!apiVersion || !/^\d{4}-/.test(apiVersion)) {
      return createAzure({ baseURL: azurePath(baseUrl), ...settings })(modelId);
    }
    const baseURL = azurePath(baseUrl).replace(/\/v1$/, '');
    return createAzure({ baseURL, useDeploymentBasedUrls: true, ...settings }).chat(modelId);
  },
};

/** The portal shows the address of the resource, without the path. */
function azurePath(endpoint: string): string {
  return new URL(endpoint).pathname === '/' ? `${endpoint}/openai` : endpoint;
}

const regions = ['AWS_REGION', 'AWS_DEFAULT_REGION'] as const;

export const bedrock: Vendor = {
  prefix: 'bedrock',
  label: 'Amazon Bedrock',
  package: '@ai-sdk/amazon-bedrock',
  keyVariables: ['AWS_BEARER_TOKEN_BEDROCK'],
  keyPage: 'https://console.aws.amazon.com/bedrock/home#/api-keys',
  baseUrlVariable: 'AWS_ENDPOINT_URL_BEDROCK_RUNTIME',
  baseUrl: 'https://bedrock-runtime.us-east-1.amazonaws.com',
  defaultModel: 'global.anthropic.claude-sonnet-4-5-20250929-v1:0',
  locate: (env) => {
    const region = firstSet(regions, env)?.value;
    const suffix = region?.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
    return region && `https://bedrock-runtime.${region}.${suffix}`;
  },
  lacks: (env) => {
    const signed = env['AWS_ACCESS_KEY_ID']?.trim() && env['AWS_SECRET_ACCESS_KEY']?.trim();
    if (!signed && !firstSet(bedrock.keyVariables, env)) {
      return (
        `needs an API key of Bedrock (${bedrock.keyPage}; export AWS_BEARER_TOKEN_BEDROCK=...), or AWS_ACCESS_KEY_ID and ` +
        'AWS_SECRET_ACCESS_KEY. Profiles and roles are not read: aws configure export-credentials --format env prints them'
      );
    }
    return firstSet(regions, env) ? undefined : 'needs a region: export AWS_REGION=us-east-1';
  },
  async create({ modelId, baseUrl, apiKey, env }) {
    const name = '@ai-sdk/amazon-bedrock';
    const { createAmazonBedrock } = await installed(name, () => import('@ai-sdk/amazon-bedrock'));
    const region = firstSet(regions, env)?.value ?? 'us-east-1';
    const sessionToken = env['AWS_SESSION_TOKEN']?.trim();
    const signed = {
      accessKeyId: env['AWS_ACCESS_KEY_ID']?.trim() ?? '',
      secretAccessKey: env['AWS_SECRET_ACCESS_KEY']?.trim() ?? '',
      ...(sessionToken && { sessionToken }),
    };
    // A blank key keeps the package from looking into the environment of the process by itself.
    return createAmazonBedrock({ region, baseURL: baseUrl, apiKey: apiKey ?? ' ', ...(!apiKey && signed) })(modelId);
  },
};
