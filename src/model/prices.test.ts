import { describe, expect, test } from 'vitest';
import { prices } from './price-list.ts';
import { costOf, type Price, priceOf, pricesAsOf } from './prices.ts';
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

  test('the default model of every vendor is listed', () => {
    for (const { defaultModel } of vendors) expect(prices[defaultModel]).toBeDefined();
    expect(pricesAsOf).toMatch(/^\d{4}-\d{2}$/);
  });

  test('no price is negative, and cached input is never dearer than input', () => {
    for (const { inputPerMillion, outputPerMillion, cachedInputPerMillion = 0 } of Object.values(prices)) {
      expect(Math.min(inputPerMillion, outputPerMillion)).toBeGreaterThan(0);
      expect(cachedInputPerMillion).toBeLessThanOrEqual(inputPerMillion);
    }
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
});
