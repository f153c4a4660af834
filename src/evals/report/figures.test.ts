import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { count, duration, money, percent, points, pointsText, pText, ratio, shareText } from './figures.ts';

describe('figures', () => {
  it('have the digits a reader needs', () => {
    expect([percent(0.463), percent(0), percent(1), percent(0.5, 0)]).toEqual(['46.3 %', '0 %', '100 %', '50 %']);
    expect([money(0.00119), money(0.4649), money(12.3), money(1234.5), money(0)]).toEqual([
      '$0.0012',
      '$0.46',
      '$12.30',
      '$1,234.50',
      '$0',
    ]);
    expect([duration(240), duration(1234), duration(200_000), duration(7_500_000)]).toEqual([
      '240 ms',
      '1.2 s',
      '3 min 20 s',
      '2 h 5 min',
    ]);
    expect([count(4210), ratio(1.84), ratio(54.2), ratio(0.04)]).toEqual(['4,210', '1.8×', '54×', '0.04×']);
    expect([pText(0.0004), pText(0.034), pText(0.5)]).toEqual(['p < 0.001', 'p = 0.034', 'p = 0.50']);
  });

  it('show a share and a difference with their intervals', () => {
    expect(shareText({ count: 110, of: 240, rate: 0.458, low: 0.396, high: 0.521 })).toBe('46 % (40–52)');
    expect(pointsText({ value: 0.125, low: -0.014, high: 0.189 })).toBe('+12.5 points (−1.4 to +18.9)');
  });

  it('show what is not known as a dash, also when JSON made null of it', () => {
    // What a report reads from a file.
    const none: number = JSON.parse('null');
    for (const shown of [percent, money, duration, count, ratio, points]) {
      expect(shown(Number.NaN)).toBe('–');
      expect(shown(none)).toBe('–');
    }
    expect(shareText({ count: 0, of: 0, rate: Number.NaN, low: 0, high: 1 })).toBe('–');
  });

  it('never show less than all as all, nor more than none as none', () => {
    expect([percent(2399 / 2400), percent(1 / 5000), percent(239 / 240, 0)]).toEqual(['>99.9 %', '<0.1 %', '>99 %']);
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 100_000 }), fc.nat(100_000), fc.constantFrom(0, 1), (of, some, digits) => {
        const found = Math.min(some, of);
        const text = percent(found / of, digits);
        expect(text === '0 %').toBe(found === 0);
        expect(text === '100 %').toBe(found === of);
      }),
    );
  });

  it('keep a price within its two digits', () => {
    fc.assert(
      fc.property(fc.double({ min: 0.000_01, max: 1e6, noNaN: true }), (usd) => {
        const shown = Number(money(usd).replace(/[$,]/g, ''));
        expect(Math.abs(shown - usd)).toBeLessThanOrEqual(Math.max(0.051 * usd, 0));
      }),
    );
  });
});
