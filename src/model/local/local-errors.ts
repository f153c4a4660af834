/** The prompt does not fit into the model's context. Thrown before anything is generated; the same call fails the same way. */
export class ContextOverflowError extends Error {
  override readonly name = 'ContextOverflowError';
  readonly modelId: string;
  readonly sizes: ContextSizes;
  constructor(modelId: string, sizes: ContextSizes) {
    const { promptTokens, contextTokens, trainedTokens } = sizes;
    const larger =
      Math.max(promptTokens, contextTokens) < trainedTokens
        ? `a larger context (set ASSAY_LOCAL_CONTEXT, up to ${trainedTokens}; it costs memory), `
        : 'a model with a larger context, ';
    super(
      `The prompt has ${promptTokens} tokens, and the context of ${modelId} holds ${contextTokens}, in which the answer needs room ` +
        `as well. Nothing was generated and nothing was left out. Use ${larger}fewer or shorter documents, or fewer steps.`,
    );
    this.modelId = modelId;
    this.sizes = sizes;
  }
}

/** Numbers of tokens. */
export interface ContextSizes {
  promptTokens: number;
  contextTokens: number;
  /** The largest context the model was trained for. */
  trainedTokens: number;
}

/** The process that ran the model ended in the middle of a call. The next call starts a new one. */
export class LocalModelCrashError extends Error {
  override readonly name = 'LocalModelCrashError';
}
