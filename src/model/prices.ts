import type { ModelSource } from './capability.ts';
import { type Price, prices } from './price-list.ts';

export { type Price, pricesAsOf } from './price-list.ts';

/**
 * What follows a listed name in the name of one of its versions: a date (`-2025-08-07`, `-20250929`), a number (`-001`),
 * `-latest`, `-preview-06-17`. Anything else is another model: `gpt-5.2` is no version of `gpt-5`.
 */
const versionSuffix = /^[-@](\d{4}-\d{2}-\d{2}|\d{8}|\d{6}|\d{4}|\d{3}|latest|preview(-\d{2}-\d{2,4})?)$/;

/** What stands behind a model that has only a name to tell by. */
const sourceByName: Readonly<Record<string, ModelSource>> = {
  scripted: 'scripted',
  script: 'scripted',
  replay: 'replayed',
  function: 'function',
  exec: 'command',
};

/**
 * The list price of a model, in US dollars. Overrides come first (keys are `provider:modelId` or `modelId`), then the list.
 * In both, a dated version has the price of its base name, and the longest fitting name wins.
 *
 * `'free'` is said only of what cannot cost money: scripted, replayed and embedded models, and models that a server on this machine
 * runs (`ollama:`, and `openai-compatible:` on loopback). Undefined means unknown, never free: models that are listed
 * nowhere, functions and commands, which may call anything, and Ollama's `-cloud` models. A gateway on loopback may bill
 * as well: listed models keep their price there, others need an override.
 */
export function priceOf(
  model: { provider: string; modelId: string; source?: ModelSource },
  overrides: Readonly<Record<string, Price>> = {},
): Price | 'free' | undefined {
  const provider = model.provider.split('.')[0] ?? '';
  const given = longest(overrides, `${provider}:${model.modelId}`) ?? longest(overrides, model.modelId);
  if (given) return given;
  const source = model.source ?? sourceByName[provider] ?? 'provider';
  if (source === 'scripted' || source === 'replayed' || source === 'local') return 'free';
  if (source !== 'provider') return undefined;
  if (provider === 'ollama') return /[-:]cloud$/.test(model.modelId) ? undefined : 'free';
  return longest(prices, model.modelId) ?? (provider === 'local' ? 'free' : undefined);
}

/** US dollars for a usage. Cached input, a part of `inputTokens`, is charged as input where its own price is not known. */
export function costOf(
  price: Price | 'free',
  usage: { inputTokens: number; cachedTokens: number; outputTokens: number },
): number {
  if (price === 'free') return 0;
  const cached = Math.min(usage.cachedTokens, usage.inputTokens);
  const cachedPrice = price.cachedInputPerMillion ?? price.inputPerMillion;
  const input = (usage.inputTokens - cached) * price.inputPerMillion + cached * cachedPrice;
  return (input + usage.outputTokens * price.outputPerMillion) / 1_000_000;
}

function longest(list: Readonly<Record<string, Price>>, name: string): Price | undefined {
  const fitting = Object.keys(list).filter((key) => name === key || isVersionOf(name, key));
  const [best] = fitting.sort((a, b) => b.length - a.length);
  return best === undefined ? undefined : list[best];
}

function isVersionOf(name: string, base: string): boolean {
  return name.startsWith(base) && versionSuffix.test(name.slice(base.length));
}

/** `priceOf` with a memory: looking a price up walks the list, and every call needs one. */
export function cachedPrices(
  overrides: Record<string, Price> | undefined,
): (model: Parameters<typeof priceOf>[0]) => ReturnType<typeof priceOf> {
  const known = new WeakMap<object, ReturnType<typeof priceOf>>();
  return (model) => {
    if (!known.has(model)) known.set(model, priceOf(model, overrides));
    return known.get(model);
  };
}
