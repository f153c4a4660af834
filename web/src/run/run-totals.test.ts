import { describe, expect, it } from 'vitest';
import type { Result, Usage } from '../api/shapes.ts';
import { eventOf } from '../testing/event-of.ts';
import { totalsOf } from './run-totals.ts';

const usage = (more: Partial<Usage>): Partial<Usage> => ({
  modelCalls: 1,
  inputTokens: 10,
  outputTokens: 2,
  tokens: 12,
  ...more,
});

describe('what a run took', () => {
  it('is summed from its events while it runs', () => {
    const events = [
      eventOf('', { type: 'turn.start', turn: 1 }),
      eventOf('', { type: 'model.call', usage: usage({ usd: 0.5, cachedTokens: 4 }) }),
      eventOf('a/0', { type: 'tool.result', status: 'ok' }),
      eventOf('a/0', { type: 'model.call', usage: usage({ usd: 0.25 }) }),
    ];
    expect(totalsOf({}, events)).toMatchObject({
      turns: 1,
      activeMs: undefined,
      usage: { modelCalls: 2, toolCalls: 1, inputTokens: 20, cachedTokens: 4, usd: 0.75 },
    });
  });

  it('is what the Result says once there is one', () => {
    // Only the figures are read.
    const result = { usage: usage({ usd: 3 }), metrics: { turns: 7, activeMs: 90 } } as unknown as Result;
    expect(totalsOf({ result }, [eventOf('', { type: 'turn.start', turn: 1 })])).toEqual({
      usage: result.usage,
      turns: 7,
      activeMs: 90,
    });
  });
});
