import type { LanguageModelV4, LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { UsageError } from '../../core/errors.ts';
import type { ModelTraits, TextOnly } from '../capability.ts';
import { conversationText, systemText } from '../prompt-text.ts';
import { finishedBy, partsOf, type Reply, streamOf, usageFrom } from '../reply-parts.ts';

/** A plain function as a model: the system text and the conversation in, the reply out. */
export type ModelFunction = (system: string, user: string) => Promise<string> | string;

/**
 * A text-only model out of a plain function. A first user message is passed bare, later messages follow it with role
 * labels. Usage is unknown, so the caller estimates it. Rejects with `UsageError` when the function returns no string.
 */
export function functionModel(
  fn: ModelFunction,
  options: { name?: string } = {},
): LanguageModelV4 & TextOnly & ModelTraits {
  const reply = async (call: LanguageModelV4CallOptions): Promise<Reply> => {
    call.abortSignal?.throwIfAborted();
    const text: unknown = await fn(systemText(call.prompt), conversationText(call.prompt));
    if (typeof text !== 'string') {
      throw new UsageError(
        `the model function returned ${text === null ? 'null' : typeof text}: return the reply as a string`,
      );
    }
    return { content: [{ type: 'text', text }], finishReason: finishedBy('stop'), usage: usageFrom(undefined) };
  };
  return {
    specificationVersion: 'v4',
    provider: 'function',
    modelId: options.name ?? (fn.name || 'function'),
    supportedUrls: {},
    textOnly: true,
    source: 'function',
    doGenerate: async (call) => ({ ...(await reply(call)), warnings: [] }),
    doStream: async (call) => ({ stream: streamOf(partsOf(await reply(call))) }),
  };
}
