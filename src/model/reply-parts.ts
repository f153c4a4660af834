import type {
  LanguageModelV4Content,
  LanguageModelV4FinishReason,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
} from '@ai-sdk/provider';

/** Token counts as a script or a command states them. */
export interface TokenCounts {
  inputTokens: number;
  outputTokens: number;
  /** The part of `inputTokens` read from a cache. */
  cachedTokens?: number | undefined;
}

/** The usage of the specification; without counts every number is unknown, so that the caller estimates it. */
export function usageFrom(counts: TokenCounts | undefined): LanguageModelV4Usage {
  const total = counts?.inputTokens;
  const cacheRead = counts?.cachedTokens;
  const noCache = total === undefined || cacheRead === undefined ? undefined : total - cacheRead;
  return {
    inputTokens: { total, noCache, cacheRead, cacheWrite: undefined },
    outputTokens: { total: counts?.outputTokens, text: undefined, reasoning: undefined },
  };
}

/** A finish reason whose raw and unified names are the same. */
export function finishedBy(unified: LanguageModelV4FinishReason['unified']): LanguageModelV4FinishReason {
  return { unified, raw: unified };
}

/** A whole reply of an adapter that has no more to report. */
export type Reply = Pick<LanguageModelV4GenerateResult, 'content' | 'finishReason' | 'usage'>;

/** The stream a provider would send for this reply. `split` cuts a text into deltas; by default it is one. */
export function partsOf(
  reply: Reply,
  split: (text: string) => string[] = (text) => [text],
): LanguageModelV4StreamPart[] {
  return [
    { type: 'stream-start', warnings: [] },
    ...reply.content.flatMap((part, index) => contentParts(part, `${part.type}-${index}`, split)),
    { type: 'finish', finishReason: reply.finishReason, usage: reply.usage },
  ];
}

/** The parts as a stream that sends one at a time, on demand. */
export function streamOf(parts: readonly LanguageModelV4StreamPart[]): ReadableStream<LanguageModelV4StreamPart> {
  return ReadableStream.from(parts);
}

function contentParts(
  part: LanguageModelV4Content,
  id: string,
  split: (text: string) => string[],
): LanguageModelV4StreamPart[] {
  if (part.type === 'text' || part.type === 'reasoning') {
    const metadata = part.providerMetadata && { providerMetadata: part.providerMetadata };
    return [
      { type: `${part.type}-start`, id },
      ...split(part.text).map((delta): LanguageModelV4StreamPart => ({ type: `${part.type}-delta`, id, delta })),
      { type: `${part.type}-end`, id, ...metadata },
    ];
  }
  if (part.type !== 'tool-call') return [part];
  return [
    { type: 'tool-input-start', id: part.toolCallId, toolName: part.toolName },
    { type: 'tool-input-delta', id: part.toolCallId, delta: part.input },
    { type: 'tool-input-end', id: part.toolCallId },
    part,
  ];
}
