import { messageOf } from '../core/errors.ts';
import { startLlama } from '../model/local/load-llama.ts';
import { loadLlamaRuntime } from '../model/local/runtime.ts';

/** Why llama.cpp cannot run here, in words for the report of a skipped test; undefined where it can. */
export async function whyNoLlama(): Promise<string | undefined> {
  try {
    await startLlama(await loadLlamaRuntime({}), false);
    return undefined;
  } catch (error) {
    return messageOf(error).split('\n')[0];
  }
}
