import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { costScale, linearScale, logScale } from './scale.ts';

describe('a linear scale', () => {
  it('puts its ends at the ends, and what is outside too', () => {
    const { at } = linearScale({ domain: [0, 1], range: [40, 240] });
    expect([at(0), at(0.5), at(1), at(-3), at(7)]).toEqual([40, 140, 240, 40, 240]);
  });

  it('may run upwards', () => {
    const { at } = linearScale({ domain: [0, 100], range: [200, 0] });
    expect([at(0), at(25), at(100)]).toEqual([200, 150, 0]);
  });

  it('has round ticks', () => {
    expect(linearScale({ domain: [0, 1], range: [0, 1] }).ticks).toEqual([0, 0.2, 0.4, 0.6, 0.8, 1]);
    expect(linearScale({ domain: [3, 97], range: [0, 1] }).ticks).toEqual([20, 40, 60, 80]);
  });
});

describe('a logarithmic scale', () => {
  it('puts equal ratios equally far apart', () => {
    const { at } = logScale({ domain: [1, 100], range: [0, 200] });
    expect([at(1), at(10), at(100), at(0)]).toEqual([0, 100, 200, 0]);
  });

  it('has ticks that people read', () => {
    expect(logScale({ domain: [1, 1_000], range: [0, 1] }).ticks).toEqual([1, 3, 10, 30, 100, 300, 1_000]);
    expect(logScale({ domain: [400, 2_500], range: [0, 1] }).ticks).toEqual([500, 1_000, 2_000]);
  });
});

describe('the scale of costs', () => {
  it('is logarithmic only where the costs are far apart', () => {
    const far = costScale([100, 10_000], [0, 1]);
    expect(far.at(1_000)).toBeCloseTo((Math.log10(1_000) - Math.log10(80)) / (Math.log10(12_500) - Math.log10(80)));
    expect(costScale([100, 200], [0, 220]).at(100)).toBeCloseTo(100);
  });

  it('holds for no cost and for costs of nothing', () => {
    expect(costScale([], [0, 10]).at(1)).toBe(10);
    expect(costScale([0, 0], [0, 10]).at(0)).toBe(0);
  });
});

describe('every scale', () => {
  const range = [10, 310] as const;
  const amounts = fc.array(fc.double({ min: 1e-7, max: 1e9, noNaN: true }), { minLength: 1, maxLength: 12 });

  it('places every value on the axis in its order, with ticks that are few and on it too', () => {
    fc.assert(
      fc.property(amounts, (values) => {
        const { at, ticks } = costScale(values, range);
        const places = values.toSorted((a, b) => a - b).map(at);
        for (const place of [...places, ...ticks.map(at)]) {
          expect(place).toBeGreaterThanOrEqual(range[0]);
          expect(place).toBeLessThanOrEqual(range[1]);
        }
        expect(places).toEqual(places.toSorted((a, b) => a - b));
        expect(ticks.length).toBeLessThan(20);
        expect(ticks.length).toBeGreaterThan(0);
      }),
    );
  });
});
