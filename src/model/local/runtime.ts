import type * as NodeLlamaCpp from 'node-llama-cpp';

/** Where the library is looked for. */
export interface LlamaRuntimeOptions {
  env?: NodeJS.ProcessEnv;
}

/** The library that runs models in this process. */
export async function loadLlamaRuntime(_options: LlamaRuntimeOptions = {}): Promise<typeof NodeLlamaCpp> {
  return await import('node-llama-cpp');
}
