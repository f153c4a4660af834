import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LanguageModelV4, LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { collectStream } from '../../model/collect.ts';
import { RateLimiter } from '../../model/rate-limit/rate-limiter.ts';
import { finishedBy, partsOf, streamOf, usageFrom } from '../../model/reply-parts.ts';
import { type Meter, meteredModel, newMeter } from './metered-model.ts';
import { type ReplyCache, replyCache } from './reply-cache.ts';

let folder: string;
let cache: ReplyCache;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'metered-'));
  cache = replyCache(join(folder, 'replies.db'));
});
afterEach(() => {
  cache.close();
  rmSync(folder, { recursive: true });
});

const meterOf = (changes: Partial<Meter> = {}): Meter =>
  newMeter({
    ...{ limiter: new RateLimiter(), cache, repeat: 1, firstSample: 0 },
    priceOf: () => ({ inputPerMillion: 1_000_000, outputPerMillion: 1_000_000 }),
    ...changes,
  });

/** Counts its calls; each reply is another. */
function numbered(): { model: LanguageModelV4; samples: unknown[] } {
  const samples: unknown[] = [];
  const model: LanguageModelV4 = {
    ...{ specificationVersion: 'v4', provider: 'test', modelId: 'numbered', supportedUrls: {} },
    doGenerate: () => Promise.reject(new Error('only streams')),
    doStream: async ({ providerOptions }) => {
      samples.push(providerOptions?.['assay']?.['sample']);
      const usage = usageFrom({ inputTokens: 3, outputTokens: 2 });
      const content = [{ type: 'text' as const, text: `reply ${samples.length}` }];
      return { stream: streamOf(partsOf({ content, finishReason: finishedBy('stop'), usage })) };
    },
  };
  return { model, samples };
}

const call = (text: string): LanguageModelV4CallOptions => ({
  prompt: [{ role: 'user', content: [{ type: 'text', text }] }],
});
async function textOf(model: LanguageModelV4, options: LanguageModelV4CallOptions): Promise<string> {
  const { stream } = await model.doStream(options);
  const { content } = await collectStream(stream, { stream: true }, undefined);
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

describe('meteredModel', () => {
  it('numbers equal requests of one run as samples, and keeps each of them', async () => {
    const { model, samples } = numbered();
    const first = meteredModel(model, meterOf());
    expect([await textOf(first, call('a')), await textOf(first, call('a')), await textOf(first, call('b'))]).toEqual([
      'reply 1',
      'reply 2',
      'reply 3',
    ]);
    expect(samples).toEqual([0, 1, 0]);
    const meter = meterOf();
    const again = meteredModel(model, meter);
    expect([await textOf(again, call('a')), await textOf(again, call('a')), await textOf(again, call('b'))]).toEqual([
      'reply 1',
      'reply 2',
      'reply 3',
    ]);
    expect(samples).toHaveLength(3);
    expect(meter.saved).toMatchObject({ modelCalls: 3, tokens: 15, usd: 15 });
  });

  it('knows a request by its content, whatever fences its data', async () => {
    const { model } = numbered();
    const fenced = (mark: string) => call(`read\n<data ${mark}>\nx\n</data ${mark}>`);
    expect(await textOf(meteredModel(model, meterOf()), fenced('0123456789abcdef'))).toBe('reply 1');
    expect(await textOf(meteredModel(model, meterOf()), fenced('fedcba9876543210'))).toBe('reply 1');
    expect(await textOf(meteredModel(model, meterOf()), call('read other'))).toBe('reply 2');
  });

  it('draws anew for another repeat, and for a run that goes on after a kill', async () => {
    const { model } = numbered();
    await textOf(meteredModel(model, meterOf()), call('a'));
    expect(await textOf(meteredModel(model, meterOf({ repeat: 2 })), call('a'))).toBe('reply 2');
    expect(await textOf(meteredModel(model, meterOf({ firstSample: 1_000 })), call('a'))).toBe('reply 3');
  });

  it('keeps no reply that failed or broke off, and asks again under the same number', async () => {
    const { model, samples } = numbered();
    let fails = 1;
    const shaky: LanguageModelV4 = {
      ...model,
      doStream: async (options) => {
        const opened = await model.doStream(options);
        if (fails-- > 0) return { stream: streamOf([{ type: 'error', error: new Error('cut') }]) };
        return opened;
      },
    };
    const metered = meteredModel(shaky, meterOf());
    await expect(textOf(metered, call('a'))).rejects.toThrow('cut');
    expect(await textOf(metered, call('a'))).toBe('reply 2');
    expect(samples).toEqual([0, 0]);
  });

  it('asks a model that only gives whole replies', async () => {
    const { UnsupportedFunctionalityError } = await import('@ai-sdk/provider');
    const { model } = numbered();
    const whole: LanguageModelV4 = {
      ...model,
      doStream: () => Promise.reject(new UnsupportedFunctionalityError({ functionality: 'streaming' })),
      doGenerate: async () => ({
        ...{ content: [{ type: 'text', text: 'whole' }], finishReason: finishedBy('stop'), warnings: [] },
        usage: usageFrom(undefined),
      }),
    };
    expect(await textOf(meteredModel(whole, meterOf()), call('a'))).toBe('whole');
  });

  it('notes how long a call waited for its turn', async () => {
    const { model } = numbered();
    const limiter = new RateLimiter({ test: { requestsPerMinute: 600 } });
    const meter = meterOf({ limiter, cache: undefined });
    const metered = meteredModel(model, meter);
    await Promise.all(Array.from({ length: 601 }, (_, index) => textOf(metered, call(String(index)))));
    expect(meter.waits).toHaveLength(601);
    expect(Math.max(...meter.waits.map(({ from, to }) => to - from))).toBeGreaterThan(50);
  });
});
