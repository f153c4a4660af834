import * as z from 'zod';
import { patientFetch } from './patient-fetch.ts';

/** A program that serves models on the user's machine or network, over OpenAI's chat completions. No key is needed. */
export interface ModelServer {
  /** What an id starts with, and what its models call their provider. */
  prefix: string;
  label: string;
  baseUrlVariable: string;
  /** Where it listens unless told otherwise. */
  baseUrl: string;
  /** Sent when it is set: such servers can be told to ask for a key. */
  keyVariable: string;
}

/** Ollama is missing here: it is asked over its own API, which alone lets the caller set the context size. */
export const modelServers: readonly ModelServer[] = [
  {
    prefix: 'lmstudio',
    label: 'LM Studio',
    baseUrlVariable: 'LMSTUDIO_BASE_URL',
    baseUrl: 'http://127.0.0.1:1234/v1',
    keyVariable: 'LMSTUDIO_API_KEY',
  },
  {
    prefix: 'llamacpp',
    label: 'llama.cpp',
    baseUrlVariable: 'LLAMACPP_BASE_URL',
    baseUrl: 'http://127.0.0.1:8080/v1',
    keyVariable: 'LLAMA_API_KEY',
  },
  {
    prefix: 'vllm',
    label: 'vLLM',
    baseUrlVariable: 'VLLM_BASE_URL',
    baseUrl: 'http://127.0.0.1:8000/v1',
    keyVariable: 'VLLM_API_KEY',
  },
];

const Listed = z.object({
  data: z.array(
    z.object({
      id: z.string(),
      /** vLLM. */
      max_model_len: z.number().nullish(),
      /** llama.cpp. */
      meta: z.object({ n_ctx: z.number().nullish() }).nullish(),
    }),
  ),
});

const listTimeoutMs = 1_000;

/** The tokens of context that a server lists for a model; undefined where it lists none or does not answer in time. */
export async function listedContext(
  { baseUrl, apiKey }: { baseUrl: string; apiKey: string | undefined },
  modelId: string,
): Promise<number | undefined> {
  try {
    const headers = apiKey ? { authorization: `Bearer ${apiKey}` } : {};
    const response = await patientFetch(`${baseUrl}/models`, { headers, signal: AbortSignal.timeout(listTimeoutMs) });
    const { data } = Listed.parse(await response.json());
    const model = data.find(({ id }) => id === modelId) ?? (data.length === 1 ? data[0] : undefined);
    return model?.meta?.n_ctx ?? model?.max_model_len ?? undefined;
  } catch {
    return undefined;
  }
}
