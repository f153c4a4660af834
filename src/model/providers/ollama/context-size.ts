import type { ModelFacts } from './ollama-api.ts';

/**
 * How many tokens of context a call asks for. Ollama cuts a longer prompt without a word, and loads the model anew when the
 * number changes, so it is set in every call, grows in steps and never shrinks.
 */
export interface ContextSize {
  /** Sent as `num_ctx`. */
  tokens: number;
  /** Why this prompt may not fit, for the user. */
  warning?: string;
}

/** The context may grow to this without the user's word: with it a 4B model takes about 5 GB more. */
const mostUnasked = 32_768;
const steps = [8_192, 16_384, mostUnasked] as const;

/** Bytes of a request per token: few where text is dense (Chinese, code), many where it is plain. */
const dense = 3;
const plain = 6;

/** Left for the reply when nobody says how long it may be. */
const roomForReply = 2_048;

/** The context that calls of a model may have: `fixed` by the user or the Modelfile, else what the model was made for. */
export interface ContextBounds {
  fixed: number | undefined;
  most: number;
}

/** `wanted` is the user's number, from the id or `OLLAMA_CONTEXT_LENGTH`. A model is never asked for more than it was made for. */
export function contextBounds(wanted: number | undefined, facts: ModelFacts | undefined): ContextBounds {
  const limit = facts?.contextLength ?? Number.POSITIVE_INFINITY;
  const given = wanted ?? facts?.numCtx;
  if (given !== undefined) return { fixed: Math.min(given, limit), most: Math.min(given, limit) };
  return { fixed: undefined, most: Math.min(mostUnasked, limit) };
}

/** Thrown before a prompt is sent that would be cut. */
export class ContextTooSmallError extends Error {
  override readonly name = 'ContextTooSmallError';
}

/** Sizes the calls of one model object. */
export class ContextSizer {
  #reached = 0;
  /** Measured with the replies so far. */
  #bytesPerToken: number | undefined;

  /** Throws `ContextTooSmallError` for a prompt that cannot fit. */
  sizeFor(
    request: { model: string; bytes: number; maxOutputTokens: number | undefined },
    bounds: ContextBounds,
  ): ContextSize {
    const atLeast = Math.ceil(request.bytes / (this.#bytesPerToken ?? plain));
    if (atLeast > bounds.most) throw tooSmall(request.model, atLeast, bounds);
    const likely = Math.ceil(request.bytes / (this.#bytesPerToken ?? dense));
    const needed = likely + (request.maxOutputTokens ?? roomForReply);
    const step = steps.find((tokens) => tokens >= needed) ?? bounds.most;
    this.#reached = bounds.fixed ?? Math.min(bounds.most, Math.max(step, this.#reached));
    if (needed <= this.#reached) return { tokens: this.#reached };
    return { tokens: this.#reached, warning: tight(request.model, likely, this.#reached) };
  }

  /** Learns from the number of tokens a prompt really had. */
  learn(bytes: number, promptTokens: number): void {
    const measured = bytes / promptTokens;
    // A count of what was not in the cache, or of a prompt that was cut, would teach nonsense.
    if (measured < dense || measured > plain) return;
    this.#bytesPerToken = Math.min(this.#bytesPerToken ?? plain, measured);
  }
}

function tooSmall(model: string, tokens: number, { most, fixed }: ContextBounds): ContextTooSmallError {
  const limit =
    fixed === undefined ? `${most} tokens, the most that is taken unasked or that the model has` : `${most} tokens`;
  return new ContextTooSmallError(
    `The prompt has at least ${tokens} tokens and the context of ollama:${model} is ${limit}: Ollama would cut it without a ` +
      `word. Nothing was sent. ${remedy(model, tokens)}`,
  );
}

function tight(model: string, tokens: number, context: number): string {
  return (
    `The prompt has about ${tokens} tokens and the context of ollama:${model} is ${context}, which leaves little room for ` +
    `the reply. ${remedy(model, tokens)}`
  );
}

function remedy(model: string, tokens: number): string {
  const enough = 2 ** Math.ceil(Math.log2(tokens + roomForReply));
  return (
    `Give it more (ollama:${model},context=${enough}, or OLLAMA_CONTEXT_LENGTH=${enough}) where the model and the memory ` +
    'allow it, or shorter documents, or fewer steps.'
  );
}
