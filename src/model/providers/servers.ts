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
