import { describe, expect, it } from 'vitest';
import { amountText, intervalText, pointsText, pText, ratioText, shareText, timeText } from './figures.ts';

describe('figures of a report', () => {
  it('have their intervals with them', () => {
    expect(shareText({ count: 15, of: 16, rate: 0.9375, low: 0.7167, high: 0.9889 })).toBe('93.8 % (71.7–98.9 %)');
    expect(pointsText({ value: 0.125, low: -0.125, high: 0.375 })).toBe('+12.5 (-12.5 to +37.5)');
  });

  it('are short', () => {
    expect([ratioText(1.84), ratioText(12.74), pText(0.0042), pText(0.0004)]).toEqual([
      '1.8×',
      '13×',
      '0.004',
      '< 0.001',
    ]);
    expect([amountText(4_615.6, 'tokens'), amountText(0.25, 'usd'), timeText(1_500)]).toEqual([
      '4,616',
      '$0.2500',
      '1.5 s',
    ]);
  });

  it('are a dash where nobody knows them, and never a zero', () => {
    const nothing = { count: 0, of: 0, rate: null, low: null, high: null };
    expect([
      shareText(nothing),
      intervalText(nothing),
      pointsText({ value: null, low: null, high: null }),
      ratioText(null),
      pText(null),
      amountText(null, 'usd'),
      timeText(null),
    ]).toEqual(Array.from({ length: 7 }, () => '–'));
  });
});
