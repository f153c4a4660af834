import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { normalQuantile } from './normal-quantile.ts';
import { wilson, wilsonOfTasks } from './share.ts';

describe('wilson', () => {
  // Newcombe 1998, Statistics in Medicine 17, table I, method 3.
  it.each([
    [81, 263, 0.2553, 0.3662],
    [15, 148, 0.0624, 0.1605],
    [0, 20, 0, 0.1611],
    [1, 29, 0.0061, 0.1718],
  ])('gives the published interval of %i of %i', (count, of, low, high) => {
    const share = wilson(count, of);
    expect(share).toMatchObject({ count, of, rate: count / of });
    expect(share.low).toBeCloseTo(low, 4);
    expect(share.high).toBeCloseTo(high, 4);
  });

  // statsmodels 0.13.5, proportion_confint(method='wilson').
  it.each([
    [7, 10, 0.99, { low: 0.32002467920110256, high: 0.9204336834769342 }],
    [143, 240, 0.9, { low: 0.5429420617838038, high: 0.646588013818694 }],
    [5, 1_000_000, 0.95, { low: 2.1357029684685578e-6, high: 1.1705702681035748e-5 }],
    [20, 20, 0.95, { low: 0.8388748419471804, high: 1 }],
  ])('agrees with statsmodels on %i of %i at %f', (count, of, confidence, { low, high }) => {
    const share = wilson(count, of, confidence);
    expect(share.low).toBeCloseTo(low, 12);
    expect(share.high).toBeCloseTo(high, 12);
  });

  it('knows nothing of a share of nothing', () => {
    expect(wilson(0, 0)).toEqual({ count: 0, of: 0, rate: Number.NaN, low: 0, high: 1 });
  });

  it('refuses what is no share', () => {
    expect(() => wilson(3, 2)).toThrow(RangeError);
    expect(() => wilson(-1, 2)).toThrow(RangeError);
    expect(() => wilson(Number.NaN, 2)).toThrow(RangeError);
  });

  it('holds the rate, stays within 0 and 1, and mirrors for the failures', () => {
    const counts = fc
      .integer({ min: 1, max: 5_000 })
      .chain((of) => fc.tuple(fc.integer({ min: 0, max: of }), fc.constant(of)));
    fc.assert(
      fc.property(counts, ([count, of]) => {
        const { low, high, rate } = wilson(count, of);
        expect(low).toBeGreaterThanOrEqual(0);
        expect(high).toBeLessThanOrEqual(1);
        expect(low).toBeLessThanOrEqual(rate);
        expect(high).toBeGreaterThanOrEqual(rate);
        expect(wilson(of - count, of).low).toBeCloseTo(1 - high, 12);
      }),
    );
  });
});

describe('wilsonOfTasks', () => {
  it('is the interval of Wilson where every task was counted once', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { minLength: 1, maxLength: 60 }), (passes) => {
        const tallies = passes.map((pass) => ({ count: Number(pass), of: 1 }));
        expect(wilsonOfTasks(tallies)).toEqual(wilson(passes.filter(Boolean).length, passes.length));
      }),
    );
  });

  // statsmodels 0.13.5: the cluster-robust variance of an intercept over that of independent counts, then proportion_confint.
  it('widens with the design effect of repeats that agree', () => {
    const tallies = [
      [3, 4],
      [4, 4],
      [0, 4],
      [1, 4],
      [4, 4],
      [2, 3],
      [0, 4],
    ].map(([count = 0, of = 0]) => ({ count, of }));
    const share = wilsonOfTasks(tallies);
    expect(share).toMatchObject({ count: 14, of: 27, rate: 14 / 27 });
    expect(share.low).toBeCloseTo(0.23460044632499688, 12);
    expect(share.high).toBeCloseTo(0.7909613754930944, 12);
  });

  it('counts a task once where all repeats of all tasks came out alike', () => {
    const tallies = Array.from({ length: 10 }, () => ({ count: 5, of: 5 }));
    expect(wilsonOfTasks(tallies)).toMatchObject({ count: 50, of: 50, low: wilson(10, 10).low, high: 1 });
    const one = wilsonOfTasks([{ count: 3, of: 5 }]);
    expect(one.high - one.low).toBeGreaterThan(0.75);
  });

  it('leaves out tasks on which nothing was counted', () => {
    const tallies = [
      { count: 1, of: 1 },
      { count: 0, of: 0 },
      { count: 0, of: 1 },
    ];
    expect(wilsonOfTasks(tallies)).toEqual(wilson(1, 2));
    expect(wilsonOfTasks([])).toEqual(wilson(0, 0));
  });

  it('is never narrower than the interval of independent counts', () => {
    const tally = fc
      .integer({ min: 1, max: 8 })
      .chain((of) => fc.record({ count: fc.integer({ min: 0, max: of }), of: fc.constant(of) }));
    fc.assert(
      fc.property(fc.array(tally, { minLength: 2, maxLength: 30 }), (tallies) => {
        const { count, of, low, high } = wilsonOfTasks(tallies);
        const plain = wilson(count, of);
        expect(low).toBeLessThanOrEqual(plain.low + 1e-12);
        expect(high).toBeGreaterThanOrEqual(plain.high - 1e-12);
      }),
    );
  });
});

describe('normalQuantile', () => {
  // scipy 1.10.1, stats.norm.ppf.
  it.each([
    [1e-300, -37.0470962993612],
    [1e-10, -6.361340902404056],
    [0.02425, -1.972961051311885],
    [0.3, -0.5244005127080409],
    [0.5, 0],
    [0.8, 0.8416212335729143],
    [0.975, 1.959963984540054],
    [0.9999, 3.719016485455709],
  ])('of %f is %f', (probability, quantile) => {
    expect(normalQuantile(probability)).toBeCloseTo(quantile, 12);
  });
});
