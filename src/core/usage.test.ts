import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addUsage, noUsage, type Usage } from './usage.ts';

/** As journals held it before there were counts of cache writes and of reasoning. */
const recordedBefore = JSON.parse(
  '{"modelCalls":1,"toolCalls":0,"inputTokens":100,"outputTokens":20,"cachedTokens":60,"tokens":120,"usd":0.001,"unpricedCalls":0,"estimatedCalls":0}',
) as Usage;

describe('the sum of usages', () => {
  it('reads what older journals hold, and adds nothing to it', () => {
    expect(addUsage(noUsage, recordedBefore)).toEqual(recordedBefore);
    const newer: Usage = { ...recordedBefore, cacheWriteTokens: 30, reasoningTokens: 5 };
    expect(addUsage(recordedBefore, newer)).toMatchObject({
      inputTokens: 200,
      cacheWriteTokens: 30,
      reasoningTokens: 5,
    });
    expect(addUsage(newer, newer)).toMatchObject({ cacheWriteTokens: 60, reasoningTokens: 10 });
  });

  it('counts the same in every order and in every grouping', () => {
    const count = fc.nat({ max: 1_000_000 });
    const usage: fc.Arbitrary<Usage> = fc.record(
      {
        modelCalls: count,
        toolCalls: count,
        inputTokens: count,
        outputTokens: count,
        cachedTokens: count,
        cacheWriteTokens: fc.integer({ min: 1, max: 1_000_000 }),
        reasoningTokens: fc.integer({ min: 1, max: 1_000_000 }),
        tokens: count,
        usd: count,
        unpricedCalls: count,
        estimatedCalls: count,
      },
      {
        requiredKeys: [
          ...['modelCalls', 'toolCalls', 'inputTokens', 'outputTokens', 'cachedTokens'],
          ...['tokens', 'usd', 'unpricedCalls', 'estimatedCalls'],
        ] as (keyof Usage)[],
      },
    ) as fc.Arbitrary<Usage>;
    fc.assert(
      fc.property(usage, usage, usage, (a, b, c) => {
        expect(addUsage(a, b)).toEqual(addUsage(b, a));
        expect(addUsage(addUsage(a, b), c)).toEqual(addUsage(a, addUsage(b, c)));
        expect(addUsage(a, noUsage)).toEqual(a);
      }),
    );
  });
});
