import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bootstrapMean, pairedBootstrap } from './bootstrap.ts';
import { quantile } from './quantile.ts';
import { seededWords } from './seeded-words.ts';

describe('bootstrapMean', () => {
  // scipy 1.10.1, stats.bootstrap(method='percentile', n_resamples=200_000): 6.0 to 28.0625.
  it('gives the percentile interval', () => {
    const values = [12, 3, 4, 5.5, 100, 7, 8, 9, 2, 6, 11, 13, 4, 4, 5, 40];
    const { value, low, high } = bootstrapMean(values, { draws: 200_000 });
    expect(value).toBe(14.59375);
    expect(Math.abs(low - 6)).toBeLessThan(0.05);
    expect(Math.abs(high - 28.0625)).toBeLessThan(0.2);
  });

  it('draws the same for the same seed, and other samples for another', () => {
    const values = [1, 5, 2, 8, 13, 0.5, 7.25];
    expect(bootstrapMean(values, { seed: 'a' })).toEqual(bootstrapMean(values, { seed: 'a' }));
    expect(bootstrapMean(values, { seed: 'b' })).not.toEqual(bootstrapMean(values, { seed: 'a' }));
  });

  it('is narrower for less confidence', () => {
    const values = Array.from({ length: 40 }, (_, index) => index % 7);
    const [wide, narrow] = [bootstrapMean(values), bootstrapMean(values, { confidence: 0.5 })];
    expect(narrow.low).toBeGreaterThan(wide.low);
    expect(narrow.high).toBeLessThan(wide.high);
  });

  it('stays within the values and around their mean', () => {
    const values = fc.array(fc.integer({ min: -100, max: 100 }), { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(values, (some) => {
        const { value, low, high } = bootstrapMean(some, { draws: 200 });
        expect(low).toBeGreaterThanOrEqual(Math.min(...some));
        expect(high).toBeLessThanOrEqual(Math.max(...some));
        expect(low).toBeLessThanOrEqual(value);
        expect(high).toBeGreaterThanOrEqual(value);
      }),
      { numRuns: 50 },
    );
  });

  it('knows nothing of nothing, nor of what is not known', () => {
    const unknown = { value: Number.NaN, low: Number.NaN, high: Number.NaN };
    expect(bootstrapMean([])).toEqual(unknown);
    expect(bootstrapMean([1, Number.NaN, 3])).toEqual(unknown);
  });
});

describe('pairedBootstrap', () => {
  // scipy 1.10.1, as above: 0.0 to 0.45.
  it('is the interval of the mean difference', () => {
    const a = [1, 0, 1, 1, 0, 0, 1, 0, 1, 0, 1, 1, 0, 0, 0, 1, 0, 1, 0, 0];
    const b = [1, 1, 1, 1, 0, 1, 1, 0, 1, 1, 1, 0, 0, 1, 0, 1, 1, 1, 0, 0];
    const { value, low, high } = pairedBootstrap(a, b);
    expect(value).toBeCloseTo(0.2, 12);
    expect(low).toBe(0);
    expect(high).toBe(0.45);
  });

  it('does not blame the difficulty of the tasks, which both share', () => {
    const a = Array.from({ length: 60 }, (_, index) => index);
    expect(
      pairedBootstrap(
        a,
        a.map((value) => value + 1),
      ),
    ).toEqual({ value: 1, low: 1, high: 1 });
  });

  it('refuses what has no partner', () => {
    expect(() => pairedBootstrap([1, 2], [1])).toThrow(RangeError);
  });
});

describe('seededWords', () => {
  // sfc32 of PractRand, written once more in Python.
  it('is sfc32 with the SHA-256 of the seed for a state', () => {
    const word = seededWords('even');
    const words = Array.from({ length: 1_000 }, word);
    expect([words[0], words[1], words[2], words[999]]).toEqual([
      2_584_762_485, 1_139_247_456, 729_834_565, 3_818_331_191,
    ]);
  });

  it('fills the bins evenly', () => {
    const word = seededWords('even');
    const bins = new Array<number>(64).fill(0);
    const draws = 64_000;
    for (let draw = 0; draw < draws; draw++) {
      const bin = Math.floor((word() / 2 ** 32) * 64);
      bins[bin] = (bins[bin] ?? 0) + 1;
    }
    const expected = draws / 64;
    const chiSquare = bins.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
    // The 0.001 and 0.999 quantiles of chi-square with 63 degrees of freedom.
    expect(chiSquare).toBeGreaterThan(33.9);
    expect(chiSquare).toBeLessThan(103.4);
  });
});

describe('quantile', () => {
  // numpy 1.24.2, quantile (its default is type 7).
  it.each([
    [0, -1],
    [0.05, -0.725],
    [0.3, 1.65],
    [0.4, 3.2],
    [0.5, 5.1],
    [0.95, 10.875],
    [1, 12],
  ])('at %f is %f', (share, value) => {
    expect(quantile([3.2, -1, 7, 7.5, 0.1, 12], share)).toBeCloseTo(value, 12);
  });

  it('leaves its values in their order, and has none of nothing', () => {
    const values = [3, 1, 2];
    expect(quantile(values, 0.5)).toBe(2);
    expect(values).toEqual([3, 1, 2]);
    expect(quantile([], 0.5)).toBeNaN();
  });
});
