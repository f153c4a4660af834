/** What something cost. `tokens` counts input and output; `usd` covers the priced calls only. */
export interface Usage {
  modelCalls: number;
  toolCalls: number;
  inputTokens: number;
  outputTokens: number;
  /** The part of `inputTokens` the provider read from its cache. */
  cachedTokens: number;
  /** The part of `inputTokens` the provider wrote to its cache. Absent where none was reported, and in journals from before. */
  cacheWriteTokens?: number;
  /** The part of `outputTokens` that was reasoning. Absent likewise. */
  reasoningTokens?: number;
  tokens: number;
  usd: number;
  /** Calls whose price is not known; their cost is not in `usd`. */
  unpricedCalls: number;
  /** Calls whose provider reported no usage or a part of it, so that the rest was estimated from the text. */
  estimatedCalls: number;
}

export const noUsage: Usage = Object.freeze({
  modelCalls: 0,
  toolCalls: 0,
  inputTokens: 0,
  outputTokens: 0,
  cachedTokens: 0,
  tokens: 0,
  usd: 0,
  unpricedCalls: 0,
  estimatedCalls: 0,
});

/** The usage of one tool call. */
export const oneToolCall: Usage = Object.freeze({ ...noUsage, toolCalls: 1 });

/** The sum of two usages. */
export function addUsage(a: Usage, b: Usage): Usage {
  const sum: Usage = {
    modelCalls: a.modelCalls + b.modelCalls,
    toolCalls: a.toolCalls + b.toolCalls,
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    cachedTokens: a.cachedTokens + b.cachedTokens,
    tokens: a.tokens + b.tokens,
    usd: a.usd + b.usd,
    unpricedCalls: a.unpricedCalls + b.unpricedCalls,
    estimatedCalls: a.estimatedCalls + b.estimatedCalls,
  };
  const written = (a.cacheWriteTokens ?? 0) + (b.cacheWriteTokens ?? 0);
  if (written > 0) sum.cacheWriteTokens = written;
  const reasoned = (a.reasoningTokens ?? 0) + (b.reasoningTokens ?? 0);
  if (reasoned > 0) sum.reasoningTokens = reasoned;
  return sum;
}
