import type { EngineSettings } from '../../src/model/local/local-engine.ts';

/** One thread, so that other work on the machine matters little. */
export function tinySettings(file: string): EngineSettings {
  return { file, modelId: 'tiny', threads: 1, gpu: false, contextTokens: 16_384 };
}
