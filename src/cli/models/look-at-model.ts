import { messageOf } from '../../core/errors.ts';
import { findLlamaRuntime } from '../../model/local/runtime.ts';
import { describeModelSize, modelSize } from '../../model/model-size.ts';

/** Whether a model can be made, and how it would be asked. */
export interface ModelLook {
  mode?: string;
  /** Fewer tokens of context than a run with tools usually takes. */
  shortContext?: number;
  /** Why it cannot be used, with the remedy. */
  problem?: string;
}

/** Below this a run with a few tools and documents does not fit. */
export const enoughContext = 8_192;

/**
 * Makes the model without asking it anything; a server on this machine may be asked what it serves. `findRuntime` is where the library for
 * local models is looked for.
 */
export async function lookAtModel(
  id: string,
  findRuntime: typeof findLlamaRuntime = findLlamaRuntime,
): Promise<ModelLook> {
  // A model object of a config file has no id.
  if (!id.includes(':')) return {};
  if (id.startsWith('local:') && !findRuntime()) {
    return { problem: 'The library that runs it (llama.cpp, 45 MB) is not installed. Get it: assay models pull' };
  }
  const { resolveModel } = await import('../../model/resolve.ts');
  try {
    const size = modelSize(await resolveModel(id, { onWarning: () => undefined }));
    const { contextTokens } = size;
    const isShort = contextTokens !== undefined && contextTokens < enoughContext;
    return { mode: describeModelSize(size), ...(isShort && { shortContext: contextTokens }) };
  } catch (error) {
    return { problem: messageOf(error) };
  }
}
