/** US dollars per million tokens. Without `cachedInputPerMillion`, cached input is charged as input, which is an upper bound. */
export interface Price {
  inputPerMillion: number;
  outputPerMillion: number;
  cachedInputPerMillion?: number;
}

/**
 * The month the list was last checked. List prices change, and batches, long contexts, regions and contracts have prices of
 * their own: override what differs (`priceOf`). A model that is not listed is unpriced, never free.
 */
export const pricesAsOf = '2026-03';

function price(inputPerMillion: number, outputPerMillion: number, cachedInputPerMillion?: number): Price {
  return { inputPerMillion, outputPerMillion, ...(cachedInputPerMillion !== undefined && { cachedInputPerMillion }) };
}

/** Public list prices by model name, for standard processing and the shorter context where there are two. */
export const prices: Readonly<Record<string, Price>> = {
  'gpt-5.4-nano': price(0.2, 1.25),
  'gpt-5.2': price(1.75, 14, 0.175),
  'gpt-5.2-pro': price(21, 168),
  'gpt-5.1': price(1.25, 10, 0.125),
  'gpt-5.1-codex': price(1.25, 10, 0.125),
  'gpt-5.1-codex-mini': price(0.25, 2, 0.025),
  'gpt-5': price(1.25, 10, 0.125),
  'gpt-5-codex': price(1.25, 10, 0.125),
  'gpt-5-mini': price(0.25, 2, 0.025),
  'gpt-5-nano': price(0.05, 0.4, 0.005),
  'gpt-5-pro': price(15, 120),
  'gpt-4.1': price(2, 8, 0.5),
  'gpt-4.1-mini': price(0.4, 1.6, 0.1),
  'gpt-4.1-nano': price(0.1, 0.4, 0.025),
  'gpt-4o': price(2.5, 10, 1.25),
  'gpt-4o-mini': price(0.15, 0.6, 0.075),
  o3: price(2, 8, 0.5),
  'o3-mini': price(1.1, 4.4, 0.55),
  'o4-mini': price(1.1, 4.4, 0.275),

  'claude-opus-4-6': price(5, 25, 0.5),
  'claude-opus-4-5': price(5, 25, 0.5),
  'claude-opus-4-1': price(15, 75, 1.5),
  'claude-opus-4-0': price(15, 75, 1.5),
  'claude-opus-4': price(15, 75, 1.5),
  'claude-sonnet-4-6': price(3, 15, 0.3),
  'claude-sonnet-4-5': price(3, 15, 0.3),
  'claude-sonnet-4-0': price(3, 15, 0.3),
  'claude-sonnet-4': price(3, 15, 0.3),
  'claude-haiku-4-5': price(1, 5, 0.1),
  'claude-3-5-haiku': price(0.8, 4, 0.08),
  'claude-3-haiku': price(0.25, 1.25, 0.03),

  'gemini-3.1-pro-preview': price(2, 12, 0.2),
  'gemini-3-pro-preview': price(2, 12, 0.2),
  'gemini-3-flash-preview': price(0.5, 3, 0.05),
  'gemini-2.5-pro': price(1.25, 10, 0.125),
  'gemini-2.5-flash': price(0.3, 2.5, 0.03),
  'gemini-2.5-flash-lite': price(0.1, 0.4, 0.01),
  'gemini-2.0-flash': price(0.1, 0.4, 0.025),
  'gemini-2.0-flash-lite': price(0.075, 0.3),

  'deepseek-chat': price(0.28, 0.42, 0.028),
  'deepseek-reasoner': price(0.28, 0.42, 0.028),
  'qwen-plus': price(0.4, 1.2),
  'qwen-max': price(1.6, 6.4),
  'qwen-flash': price(0.05, 0.4),
  'kimi-k2.5': price(0.6, 3, 0.1),
};
