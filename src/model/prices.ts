import { UsageError } from '../core/errors.ts';
import type { ModelSource } from './capability.ts';
import { type Price, prices, type Rates } from './price-list.ts';

export { type ListedPrice, type Price, pricesAsOf, type Rates } from './price-list.ts';

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

/** What tells the price of a model. */
export interface PricedModel {
  provider: string;
  modelId: string;
  source?: ModelSource;
  /** It answers on this machine (`ModelTraits.local`). */
  local?: boolean;
}

/**
 * The list price of a model, in US dollars. Overrides come first (keys are `provider:modelId` or `modelId`), then the list.
 * In both, a dated version has the price of its base name, and the longest fitting name wins.
 *
 * `'free'` is said only of what cannot cost money: scripted, replayed and embedded models, and models that a server on this machine
 * runs (`ollama:`, and others on loopback). Undefined means unknown, never free: models that are listed
 * nowhere, functions and commands, which may call anything, and Ollama's `-cloud` models. A gateway on loopback may bill
 * as well: listed models keep their price there, others need an override.
 */
export function priceOf(
  model: PricedModel,
  overrides: Readonly<Record<string, Price>> = {},
): Price | 'free' | undefined {
  const provider = model.provider.split('.')[0] ?? '';
  const given = longest(overrides, `${provider}:${model.modelId}`) ?? longest(overrides, model.modelId);
  if (given) return given;
  const source = model.source ?? sourceByName[provider] ?? 'provider';
  if (source === 'scripted' || source === 'replayed' || source === 'local') return 'free';
  if (source !== 'provider') return undefined;
  if (provider === 'ollama') return /[-:]cloud$/.test(model.modelId) ? undefined : 'free';
  const listed = longest(prices, `${provider}:${model.modelId}`) ?? longest(prices, model.modelId);
  return listed ?? (provider === 'local' || model.local ? 'free' : undefined);
}

/** The tokens of one call. What was read from a cache and written to it is a part of the input, reasoning one of the output. */
export interface BilledTokens {
  inputTokens: number;
  outputTokens: number;
  cachedTokens: number;
  cacheWriteTokens?: number;
  /** The part of `cacheWriteTokens` that is kept for an hour. */
  hourlyCacheWriteTokens?: number;
  reasoningTokens?: number;
}

/** US dollars for one call. What has no price of its own is charged as input or output. */
export function costOf(price: Price | 'free', tokens: BilledTokens): number {
  if (price === 'free') return 0;
  const rates = ratesFor(price, tokens.inputTokens);
  const { inputPerMillion, outputPerMillion } = rates;
  const cached = Math.min(tokens.cachedTokens, tokens.inputTokens);
  const written = Math.min(tokens.cacheWriteTokens ?? 0, tokens.inputTokens - cached);
  const hourly = Math.min(tokens.hourlyCacheWriteTokens ?? 0, written);
  const writing = rates.cacheWritePerMillion ?? inputPerMillion;
  const input =
    (tokens.inputTokens - cached - written) * inputPerMillion +
    cached * (rates.cachedInputPerMillion ?? inputPerMillion) +
    (written - hourly) * writing +
    hourly * (rates.hourlyCacheWritePerMillion ?? writing);
  const reasoned = tokens.reasoningTokens ? rates.reasonedOutputPerMillion : undefined;
  const output = tokens.outputTokens * (reasoned ?? outputPerMillion);
  return (input + output) / 1_000_000;
}

/** The most that a million tokens of any kind can cost. */
export function dearestRate({ batch: _share, longPrompts = [], ...rates }: Price): number {
  const all = [rates, ...longPrompts.map(({ above: _limit, ...long }) => long)];
  return Math.max(...all.flatMap(Object.values).filter((rate) => typeof rate === 'number'));
}

/** Throws `UsageError` for a model whose price nobody knows, where a limit in US dollars has to be kept. */
export function requirePrices(
  models: readonly PricedModel[],
  known: (model: PricedModel) => ReturnType<typeof priceOf>,
): void {
  const unknown = models.find((model) => known(model) === undefined);
  if (!unknown) return;
  throw new UsageError(
    `A limit in USD needs a price, and none is known for '${unknown.modelId}' (${unknown.provider}). ` +
      'Give its price in `prices`, or limit tokens or model calls instead.',
  );
}

/** The price of the same call through the vendor's batch service; the same price where none is known. */
export function inBatch({ batch = 1, longPrompts, ...rates }: Price): Price {
  // Every number among them is a rate; a listed price has its source beside them.
  const share = <Full extends Rates>(full: Full): Full =>
    Object.fromEntries(
      Object.entries(full).map(([name, rate]) => [name, typeof rate === 'number' ? rate * batch : rate]),
    ) as Full;
  const long = longPrompts?.map(({ above, ...full }) => ({ above, ...share(full) }));
  return { ...share(rates), ...(long && { longPrompts: long }) };
}

function ratesFor(price: Price, inputTokens: number): Rates {
  return price.longPrompts?.findLast(({ above }) => inputTokens > above) ?? price;
}

function longest(list: Readonly<Record<string, Price>>, name: string): Price | undefined {
  const fitting = Object.keys(list).filter((key) => name === key || isVersionOf(name, key));
  const [best] = fitting.sort((a, b) => b.length - a.length);
  return best === undefined ? undefined : list[best];
}

function isVersionOf(name: string, base: string): boolean {
  return name.startsWith(base) && versionSuffix.test(name.slice(base.length));
}

/** `priceOf` with a memory: looking a price up walks the list, and every call needs one. `batch`: `inBatch`, for every model. */
export function cachedPrices(
  overrides: Record<string, Price> | undefined,
  options: { batch?: boolean | undefined } = {},
): (model: PricedModel) => ReturnType<typeof priceOf> {
  const known = new WeakMap<object, ReturnType<typeof priceOf>>();
  return (model) => {
    if (known.has(model)) return known.get(model);
    const price = priceOf(model, overrides);
    known.set(model, options.batch && typeof price === 'object' ? inBatch(price) : price);
    return known.get(model);
  };
}
