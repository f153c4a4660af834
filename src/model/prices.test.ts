import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { prices } from './price-list.ts';
import { type BilledTokens, cachedPrices, costOf, inBatch, type Price, priceOf, pricesAsOf } from './prices.ts';
import { vendors } from './providers/vendors.ts';

const model = (provider: string, modelId: string) => ({ provider, modelId });

describe('the price of a model', () => {
  test.each([
    ['gpt-5-mini-2025-08-07', 'gpt-5-mini'],
    ['gpt-5-mini', 'gpt-5-mini'],
    ['claude-sonnet-4-20250514', 'claude-sonnet-4'],
    ['claude-sonnet-4-5-20250929', 'claude-sonnet-4-5'],
    ['gemini-2.0-flash-001', 'gemini-2.0-flash'],
    ['gemini-2.5-flash-lite-preview-06-17', 'gemini-2.5-flash-lite'],
  ])('%s costs what %s costs', (id, listed) => {
    expect(priceOf(model('some.chat', id))).toEqual(prices[listed]);
  });

  test.each(['gpt-5-mystery', 'gpt-5.99', 'gpt-5-minimal', 'claude-opus-4-99', 'llama', 'o3x', ''])(
    '%s is another model than any listed one, so its price is unknown',
    (id) => expect(priceOf(model('openai.responses', id))).toBeUndefined(),
  );

  test('the default model of every vendor with prices of its own is listed', () => {
    const resold = ['openrouter', 'bedrock'];
    for (const { prefix, defaultModel } of vendors) {
      if (!resold.includes(prefix)) expect(priceOf(model(`${prefix}.chat`, defaultModel))).toBeTypeOf('object');
    }
  });

  test('is known by the name alone only where nobody else serves a model of that name', () => {
    expect(priceOf(model('moonshotai.chat', 'kimi-k2.5'))).toMatchObject({ inputPerMillion: 0.6 });
    expect(priceOf(model('vllm.chat', 'kimi-k2.5'))).toBeUndefined();
    expect(priceOf({ ...model('vllm.chat', 'kimi-k2.5'), local: true })).toBe('free');
    expect(priceOf(model('groq.chat', 'openai/gpt-oss-120b'))).toMatchObject({ inputPerMillion: 0.15 });
    expect(priceOf(model('openrouter', 'openai/gpt-oss-120b'))).toBeUndefined();
  });

  test('has a source and a month in every row, and no rate below zero or dearer in the cache than outside', () => {
    for (const [name, price] of Object.entries(prices)) {
      expect(price.source).toMatch(/^https:\/\//);
      expect(price.asOf).toMatch(/^20\d{2}-\d{2}$/);
      for (const rates of [price, ...(price.longPrompts ?? [])]) {
        expect(rates.inputPerMillion).toBeGreaterThan(0);
        if (!name.includes('embed')) expect(rates.outputPerMillion).toBeGreaterThan(0);
        expect(rates.cachedInputPerMillion ?? 0).toBeLessThanOrEqual(rates.inputPerMillion);
        expect(rates.cacheWritePerMillion ?? Infinity).toBeGreaterThan(rates.inputPerMillion);
        expect(rates.reasonedOutputPerMillion ?? Infinity).toBeGreaterThan(rates.outputPerMillion);
      }
    }
    for (const { asOf } of Object.values(prices)) expect(asOf >= pricesAsOf).toBe(true);
  });
});

describe('overrides', () => {
  const own: Price = { inputPerMillion: 1, outputPerMillion: 2 };

  test('go before the list, with and without the provider', () => {
    expect(priceOf(model('openai.responses', 'gpt-5-mini'), { 'gpt-5-mini': own })).toBe(own);
    expect(priceOf(model('openai.responses', 'gpt-5-mini'), { 'openai:gpt-5-mini': own })).toBe(own);
    expect(priceOf(model('azure.responses', 'gpt-5-mini'), { 'openai:gpt-5-mini': own })).toBe(prices['gpt-5-mini']);
    expect(priceOf(model('openai.responses', 'gpt-5-mini-2025-08-07'), { 'gpt-5-mini': own })).toBe(own);
  });

  test('price what would be free or unknown', () => {
    expect(priceOf(model('local.chat', 'my-model'), { 'my-model': own })).toBe(own);
    expect(priceOf(model('exec', './ask.sh'), { 'exec:./ask.sh': own })).toBe(own);
  });
});

describe('what is free', () => {
  test.each([
    ['scripted', 'x', 'free'],
    ['replay', 'x', 'free'],
    ['ollama.chat', 'qwen3:4b', 'free'],
    ['ollama.chat', 'gpt-oss:120b-cloud', undefined],
    ['local.chat', 'some.gguf', 'free'],
    ['openai-compatible.chat', 'some-model', undefined],
    ['function', 'x', undefined],
    ['exec', './gpt-4o', undefined],
  ])('%s %s: %s', (provider, id, expected) => {
    expect(priceOf(model(provider, id))).toBe(expected);
  });

  test('a model file that runs here is free, whatever it is called', () => {
    expect(priceOf({ ...model('node-llama-cpp', 'gpt-4o'), source: 'local' })).toBe('free');
  });

  test('a replay is free whoever was recorded', () => {
    expect(priceOf({ ...model('openai.responses', 'gpt-5-mini'), source: 'replayed' })).toBe('free');
  });

  test('a listed model behind a gateway on this machine keeps its price', () => {
    expect(priceOf(model('local.chat', 'gpt-4o'))).toEqual(prices['gpt-4o']);
  });
});

describe('the cost of a usage', () => {
  const usage = { inputTokens: 1_000_000, cachedTokens: 400_000, outputTokens: 500_000 };

  test('counts cached input once, at its own price', () => {
    expect(costOf({ inputPerMillion: 2, outputPerMillion: 8, cachedInputPerMillion: 0.5 }, usage)).toBeCloseTo(
      1.2 + 0.2 + 4,
    );
  });

  test('charges cached input as input where its price is not known', () => {
    expect(costOf({ inputPerMillion: 2, outputPerMillion: 8 }, usage)).toBeCloseTo(2 + 4);
  });

  test('is never less than nothing when more was cached than sent', () => {
    const odd = { inputTokens: 1_000_000, cachedTokens: 5_000_000, outputTokens: 0 };
    expect(costOf({ inputPerMillion: 2, outputPerMillion: 8, cachedInputPerMillion: 1 }, odd)).toBeCloseTo(1);
    expect(costOf('free', usage)).toBe(0);
  });

  test('charges writes to the cache at their own price, those for an hour apart, and never more of them than input', () => {
    const claude = prices['claude-sonnet-4-6'] as Price;
    const tokens = { inputTokens: 1_000_000, cachedTokens: 0, outputTokens: 0 };
    expect(costOf(claude, { ...tokens, cacheWriteTokens: 1_000_000 })).toBeCloseTo(3.75);
    const hourly = { cacheWriteTokens: 1_000_000, hourlyCacheWriteTokens: 400_000 };
    expect(costOf(claude, { ...tokens, ...hourly })).toBeCloseTo(0.6 * 3.75 + 0.4 * 6);
    expect(costOf(claude, { ...tokens, cachedTokens: 600_000, cacheWriteTokens: 9e9 })).toBeCloseTo(
      0.6 * 0.3 + 0.4 * 3.75,
    );
  });

  test('is another one for a reply that reasoned, where the vendor says so', () => {
    const qwen = prices['qwen-plus'] as Price;
    const tokens = { inputTokens: 0, cachedTokens: 0, outputTokens: 1_000_000 };
    expect(costOf(qwen, tokens)).toBeCloseTo(1.2);
    expect(costOf(qwen, { ...tokens, reasoningTokens: 10 })).toBeCloseTo(4);
    expect(costOf(prices['gpt-5'] as Price, { ...tokens, reasoningTokens: 10 })).toBeCloseTo(10);
  });

  test('is dearer as a whole for a prompt over the limit', () => {
    const gemini = prices['gemini-2.5-pro'] as Price;
    const of = (inputTokens: number) => costOf(gemini, { inputTokens, cachedTokens: 0, outputTokens: 1_000_000 });
    expect(of(200_000)).toBeCloseTo(0.2 * 1.25 + 10);
    expect(of(200_001)).toBeCloseTo(0.200001 * 2.5 + 15);
    const qwen = prices['qwen3-max'] as Price;
    expect(costOf(qwen, { inputTokens: 200_000, cachedTokens: 0, outputTokens: 0 })).toBeCloseTo(0.2 * 3);
  });

  test('is a share of it in a batch, for every rate there is', () => {
    const price = cachedPrices(undefined, { batch: true })(model('google.chat', 'gemini-2.5-pro')) as Price;
    const tokens = { inputTokens: 300_000, cachedTokens: 100_000, outputTokens: 10_000 };
    expect(costOf(price, tokens)).toBeCloseTo(costOf(prices['gemini-2.5-pro'] as Price, tokens) / 2, 12);
    expect(inBatch(prices['gpt-5-codex'] as Price).inputPerMillion).toBe(1.25);
    expect(inBatch({ inputPerMillion: 2, outputPerMillion: 8 })).toEqual({ inputPerMillion: 2, outputPerMillion: 8 });
  });
});

describe('whatever is counted', () => {
  const count = fc.nat({ max: 2_000_000 });
  const usage: fc.Arbitrary<Required<BilledTokens>> = fc.record({
    inputTokens: count,
    outputTokens: count,
    cachedTokens: count,
    cacheWriteTokens: count,
    hourlyCacheWriteTokens: count,
    reasoningTokens: count,
  });
  const listed = fc.constantFrom(...Object.values(prices));
  const least = 1e-9;

  test('a cost is never negative, nor more than all of it at the dearest rates', () => {
    fc.assert(
      fc.property(listed, usage, (price, tokens) => {
        const cost = costOf(price, tokens);
        const dearest = [price, ...(price.longPrompts ?? [])].flatMap(
          ({
            batch: _share,
            asOf: _month,
            source: _page,
            longPrompts: _long,
            ...rates
          }: Partial<(typeof prices)[string]>) => Object.values(rates),
        );
        const tops = Math.max(...dearest) * (tokens.inputTokens + tokens.outputTokens);
        expect(cost).toBeGreaterThanOrEqual(0);
        expect(cost).toBeLessThanOrEqual(tops / 1e6 + least);
      }),
    );
  });

  test('more input or output never costs less', () => {
    fc.assert(
      fc.property(listed, usage, count, (price, tokens, more) => {
        const cost = costOf(price, tokens) - least;
        expect(costOf(price, { ...tokens, outputTokens: tokens.outputTokens + more })).toBeGreaterThanOrEqual(cost);
        expect(costOf(price, { ...tokens, inputTokens: tokens.inputTokens + more })).toBeGreaterThanOrEqual(cost);
      }),
    );
  });

  test('what was read from the cache costs no more than the same input, what was written no less', () => {
    fc.assert(
      fc.property(listed, usage, (price, { inputTokens, outputTokens, cachedTokens, cacheWriteTokens }) => {
        const plain = costOf(price, { inputTokens, outputTokens, cachedTokens: 0 });
        expect(costOf(price, { inputTokens, outputTokens, cachedTokens })).toBeLessThanOrEqual(plain + least);
        const written = costOf(price, { inputTokens, outputTokens, cachedTokens: 0, cacheWriteTokens });
        expect(written).toBeGreaterThanOrEqual(plain - least);
      }),
    );
  });
});
