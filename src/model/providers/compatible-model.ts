import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { ModelTraits } from '../capability.ts';
import { patientFetch } from './patient-fetch.ts';

/** A server that speaks OpenAI's chat completions. */
export interface CompatibleServer {
  /** What its models call their provider, before `.chat`. */
  name: string;
  baseUrl: string;
  modelId: string;
  apiKey?: string | undefined;
  /** It takes a JSON Schema for an answer, not only the wish for JSON. Default true. */
  takesSchemas?: boolean;
  /** A stream reports its usage only when asked, and a server that does not know the question refuses it. Default true. */
  asksForUsage?: boolean;
  /** A server of the user's own, which may read a prompt for minutes. Default false. */
  patient?: boolean;
  traits?: ModelTraits;
}

/** A model behind any server that speaks OpenAI's chat completions: llama.cpp, vLLM, LM Studio, a gateway. */
export async function compatibleModel(server: CompatibleServer): Promise<LanguageModelV4> {
  const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
  const provider = createOpenAICompatible({
    name: server.name,
    baseURL: server.baseUrl,
    includeUsage: server.asksForUsage ?? true,
    supportsStructuredOutputs: server.takesSchemas ?? true,
    ...(server.apiKey && { apiKey: server.apiKey }),
    ...(server.patient && { fetch: patientFetch }),
  });
  return Object.assign(provider(server.modelId), server.traits);
}
