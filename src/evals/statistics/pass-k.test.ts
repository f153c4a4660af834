import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { passAtK, passCurves, passHatK } from './pass-k.ts';

describe('passAtK', () => {
  // The estimator that Chen et al. 2021 print in figure 3, run with numpy 1.24.2.
  it.each([
    [13, 200, 1, 0.065],
    [13, 200, 10, 0.4975511147306061],
    [13, 200, 100, 0.9999194971988055],
    [3, 10, 5, 0.9166666666666666],
    [5, 5, 2, 1],
    [0, 5, 3, 0],
    [100, 100_000, 1_000, 0.6341507511953774],
  ])('of %i successes in %i trials, k = %i', (successes, trials, k, chance) => {
    expect(passAtK(successes, trials, k)).toBeCloseTo(chance, 12);
  });
});

describe('passHatK', () => {
  // scipy 1.10.1: comb(c, k, exact=True) / comb(n, k, exact=True), and hypergeom.pmf for the large one.
  it.each([
    [3, 4, 2, 0.5],
    [5, 8, 4, 0.07142857142857142],
    [9, 10, 10, 0],
    [190, 200, 20, 0.3397743762367859],
    [99_000, 100_000, 1_000, 4.1033126308216326e-5],
  ])('of %i successes in %i trials, k = %i', (successes, trials, k, chance) => {
    expect(passHatK(successes, trials, k)).toBeCloseTo(chance, 12);
  });

  it('counts the draws that hold nothing but successes', () => {
    const setting = fc
      .integer({ min: 1, max: 9 })
      .chain((trials) =>
        fc.tuple(fc.integer({ min: 0, max: trials }), fc.constant(trials), fc.integer({ min: 1, max: trials })),
      );
    fc.assert(
      fc.property(setting, ([successes, trials, k]) => {
        const draws = Array.from({ length: 2 ** trials }, (_, bits) => bits).filter((bits) => ones(bits) === k);
        const all = draws.filter((bits) => bits < 2 ** successes);
        const any = draws.filter((bits) => bits % 2 ** successes > 0);
        expect(passHatK(successes, trials, k)).toBeCloseTo(all.length / draws.length, 12);
        expect(passAtK(successes, trials, k)).toBeCloseTo(any.length / draws.length, 12);
      }),
    );
  });

  it.each([
    [1, 4, 5],
    [5, 4, 1],
    [-1, 4, 1],
    [1, 4, 0],
  ])('refuses %i successes in %i trials with k = %i', (successes, trials, k) => {
    expect(() => passHatK(successes, trials, k)).toThrow(RangeError);
    expect(() => passAtK(successes, trials, k)).toThrow(RangeError);
  });
});

describe('passCurves', () => {
  it('averages over tasks', () => {
    const curves = passCurves([
      { successes: 4, trials: 4 },
      { successes: 2, trials: 4 },
      { successes: 0, trials: 4 },
    ]);
    expect(curves.passHatK).toEqual([0.5, (1 + 1 / 6) / 3, 1 / 3, 1 / 3].map((value) => expect.closeTo(value, 12)));
    expect(curves.passAtK).toEqual([0.5, (1 + 5 / 6) / 3, 2 / 3, 2 / 3].map((value) => expect.closeTo(value, 12)));
  });

  it('takes for each k the tasks that were tried so often', () => {
    const curves = passCurves([
      { successes: 2, trials: 2 },
      { successes: 0, trials: 1 },
    ]);
    expect(curves).toEqual({ passHatK: [0.5, 1], passAtK: [0.5, 1] });
    expect(passCurves([])).toEqual({ passHatK: [], passAtK: [] });
  });
});

function ones(bits: number): number {
  return bits.toString(2).replaceAll('0', '').length;
}
