import type { LanguageModelV4Usage } from '@ai-sdk/provider';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { userMessage } from '../core/transcript.ts';
import { functionModel } from './providers/function-model.ts';
import { countFor, usageOf } from './token-usage.ts';

const price = { inputPerMillion: 10, outputPerMillion: 100, cachedInputPerMillion: 1, cacheWritePerMillion: 20 };
const messages = [userMessage('one two three four five six seven eight nine ten')];
const content = [{ type: 'text' as const, text: 'eleven twelve' }];
const count = (text: string): number => text.split(' ').length;
const spoken = { messages, content, count };

function reported(
  input: Partial<LanguageModelV4Usage['inputTokens']>,
  output: Partial<LanguageModelV4Usage['outputTokens']> = {},
): LanguageModelV4Usage {
  return {
    inputTokens: { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined, ...input },
    outputTokens: { total: undefined, text: undefined, reasoning: undefined, ...output },
  };
}

describe('the usage of a call', () => {
  it('is what was reported, with the parts that have a price of their own', () => {
    const raw = reported({ total: 1_000, cacheRead: 600, cacheWrite: 100 }, { total: 50, reasoning: 40 });
    const usage = usageOf(raw, price, spoken);
    expect(usage).toMatchObject({
      ...{ modelCalls: 1, inputTokens: 1_000, outputTokens: 50, cachedTokens: 600, tokens: 1_050 },
      ...{ cacheWriteTokens: 100, reasoningTokens: 40, estimatedCalls: 0, unpricedCalls: 0 },
    });
    expect(usage.usd).toBeCloseTo((300 * 10 + 600 * 1 + 100 * 20 + 50 * 100) / 1e6, 12);
  });

  it('has no new fields where nothing was written to a cache and nothing reasoned', () => {
    const usage = usageOf(reported({ total: 10, cacheWrite: 0 }, { total: 5, reasoning: 0 }), price, spoken);
    expect(Object.keys(usage)).not.toContain('cacheWriteTokens');
    expect(Object.keys(usage)).not.toContain('reasoningTokens');
  });

  it.each([
    ['nothing', undefined, 14, 2],
    ['zeros', reported({ total: 0 }, { total: 0 }), 14, 2],
    ['the output only', reported({}, { total: 7 }), 14, 7],
    ['the input only', reported({ total: 30 }), 30, 2],
    ['parts of the input', reported({ noCache: 5, cacheRead: 20 }, { total: 7 }), 25, 7],
    ['what was cached only, and that is more than the estimate', reported({ cacheRead: 90 }), 90, 2],
    ['parts of the output', reported({ total: 30 }, { text: 3, reasoning: 4 }), 30, 7],
  ])('of which %s was reported is estimated where it is not known, and marked', (_what, raw, input, output) => {
    const usage = usageOf(raw, price, spoken);
    expect([usage.inputTokens, usage.outputTokens, usage.tokens]).toEqual([input, output, input + output]);
    const whole = raw !== undefined && input !== 14 && input !== 90 && output !== 2;
    expect(usage.estimatedCalls).toBe(whole ? 0 : 1);
    expect(usage.usd).toBeGreaterThan(0);
  });

  it('has no output where nothing was said, which is no estimate', () => {
    const usage = usageOf(reported({ total: 30 }, { total: 0 }), price, { ...spoken, content: [] });
    expect(usage).toMatchObject({ outputTokens: 0, estimatedCalls: 0 });
  });

  it('counts tools as a part of a prompt that nobody counted', () => {
    const tools = [{ type: 'function' as const, name: 'look', description: 'a b c', inputSchema: {} }];
    expect(usageOf(undefined, price, { ...spoken, tools }).inputTokens).toBeGreaterThan(14);
  });

  it('charges what Anthropic keeps for an hour as such', () => {
    const raw = {
      ...reported({ total: 1_000, cacheWrite: 1_000 }, { total: 1 }),
      raw: { cache_creation: { ephemeral_1h_input_tokens: 400, ephemeral_5m_input_tokens: 600 } },
    };
    const usage = usageOf(raw, { ...price, hourlyCacheWritePerMillion: 40 }, spoken);
    expect(usage.usd).toBeCloseTo((600 * 20 + 400 * 40 + 100) / 1e6, 12);
  });

  it('is unpriced, never free, where no price is known, and free only by name', () => {
    const raw = reported({ total: 10 }, { total: 5 });
    expect(usageOf(raw, undefined, spoken)).toMatchObject({ usd: 0, unpricedCalls: 1 });
    expect(usageOf(raw, 'free', spoken)).toMatchObject({ usd: 0, unpricedCalls: 0 });
  });

  it('is never negative, and never has more from the cache than there was', () => {
    const some = fc.option(fc.nat({ max: 100_000 }), { nil: undefined });
    const raw = fc.record({
      inputTokens: fc.record({ total: some, noCache: some, cacheRead: some, cacheWrite: some }),
      outputTokens: fc.record({ total: some, text: some, reasoning: some }),
    });
    fc.assert(
      fc.property(raw, (usage) => {
        const made = usageOf(usage, price, spoken);
        for (const value of Object.values(made)) expect(value).toBeGreaterThanOrEqual(0);
        expect(made.cachedTokens).toBeLessThanOrEqual(made.inputTokens);
        expect(made.tokens).toBe(made.inputTokens + made.outputTokens);
        expect(made.inputTokens).toBeGreaterThan(0);
        expect(made.outputTokens).toBeGreaterThan(0);
      }),
    );
  });
});

it('loads no tokenizer for what is counted, nor for a function', () => {
  const model = functionModel(() => 'x');
  expect(countFor(model, { usage: undefined, content })).toBeTypeOf('function');
  const provider = { ...model, source: 'provider' as const };
  expect(countFor(provider, { usage: reported({ total: 1 }, { total: 1 }), content })).toBeTypeOf('function');
  expect(countFor(provider, { usage: reported({ total: 1 }), content })).toBeInstanceOf(Promise);
});
