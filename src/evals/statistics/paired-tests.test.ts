import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holm, mcnemar, signFlip, tasksForPower } from './paired-tests.ts';

describe('mcnemar', () => {
  // statsmodels 0.13.5, stats.contingency_tables.mcnemar(exact=True).
  it.each([
    [0, 0, 1],
    [1, 0, 1],
    [5, 0, 0.0625],
    [6, 0, 0.03125],
    [2, 12, 0.012939453125],
    [12, 2, 0.012939453125],
    [10, 10, 1],
    [40, 60, 0.05688793364098088],
    [400, 500, 0.0009564441369189373],
    [30_000, 30_500, 0.04248557441037182],
  ])('of %i against %i is %f', (onlyA, onlyB, pValue) => {
    expect(mcnemar(onlyA, onlyB)).toBeCloseTo(pValue, 10);
  });
});

describe('signFlip', () => {
  // scipy 1.10.1, stats.permutation_test(permutation_type='samples', n_resamples=inf).
  it.each([
    [[0.25, 0.5, -0.25, 0.75, 0, 0.25, 0.5, -0.5, 1, 0.25], 4, 0.12109375],
    [[1 / 3, 1 / 4, -1 / 3, 3 / 4, 2 / 3, 0, 1 / 3], 12, 0.15625],
  ])('agrees with all permutations of scipy', (differences, denominator, pValue) => {
    expect(signFlip(differences, denominator)).toBeCloseTo(pValue, 12);
  });

  it('is exact McNemar where tasks ran once', () => {
    const count = fc.integer({ min: 0, max: 60 });
    fc.assert(
      fc.property(count, count, count, (onlyA, onlyB, same) => {
        const differences = [...Array(onlyA).fill(-1), ...Array(same).fill(0), ...Array(onlyB).fill(1)];
        expect(signFlip(differences)).toBeCloseTo(mcnemar(onlyA, onlyB), 10);
      }),
    );
  });

  it('counts every way to flip the signs', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -6, max: 6 }), { maxLength: 9 }), (steps) => {
        const observed = Math.abs(steps.reduce((sum, step) => sum + step, 0));
        const ways = 2 ** steps.length;
        let extreme = 0;
        for (let way = 0; way < ways; way++) {
          const flipped = steps.reduce((sum, step, index) => sum + ((way >> index) & 1 ? step : -step), 0);
          if (Math.abs(flipped) >= observed) extreme++;
        }
        expect(
          signFlip(
            steps.map((step) => step / 6),
            6,
          ),
        ).toBeCloseTo(extreme / ways, 10);
      }),
    );
  });

  it('sees how large the differences are, which a count of tasks does not', () => {
    const differences = [...Array(8).fill(1), ...Array(8).fill(-0.25)];
    expect(mcnemar(8, 8)).toBe(1);
    expect(signFlip(differences, 4)).toBeLessThan(0.05);
  });

  it('finds nothing where nothing differs', () => {
    expect(signFlip([])).toBe(1);
    expect(signFlip([0, 0], 4)).toBe(1);
  });
});

describe('holm', () => {
  // statsmodels 0.13.5, stats.multitest.multipletests(method='holm').
  it.each([
    [
      [0.01, 0.02, 0.03, 0.04, 0.05],
      [0.05, 0.08, 0.09, 0.09, 0.09],
    ],
    [
      [0.0001, 0.4, 0.03, 0.03, 0.9],
      [0.0005, 0.8, 0.12, 0.12, 0.9],
    ],
    [
      [0.04, 0.01],
      [0.04, 0.02],
    ],
    [[0.5], [0.5]],
    [[], []],
  ])('adjusts %j', (pValues, adjusted) => {
    const ours = holm(pValues);
    expect(ours).toHaveLength(adjusted.length);
    for (const [index, value] of adjusted.entries()) expect(ours[index]).toBeCloseTo(value, 12);
  });

  it('keeps the order, and lies between the p-value and Bonferroni', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 20 }), (pValues) => {
        const adjusted = holm(pValues);
        for (const [index, value] of pValues.entries()) {
          expect(adjusted[index]).toBeGreaterThanOrEqual(value);
          expect(adjusted[index]).toBeLessThanOrEqual(Math.min(1, value * pValues.length));
          for (const [other, otherValue] of pValues.entries())
            if (otherValue < value) expect(adjusted[other]).toBeLessThanOrEqual(adjusted[index] ?? 0);
        }
      }),
    );
  });
});

describe('tasksForPower', () => {
  // The formula of Connor 1987, computed with scipy 1.10.1 (stats.norm.ppf).
  it.each([
    [10, 20, 100, 234],
    [2, 12, 50, 53],
    [5, 9, 240, 1646],
    [9, 5, 240, 1646],
  ])('asks for the tasks of Connor: %i against %i of %i', (onlyA, onlyB, tasks, needed) => {
    expect(tasksForPower({ onlyA, onlyB, tasks })).toBe(needed);
  });

  it('gives the exact test a power near the one that was asked for', () => {
    const needed = tasksForPower({ onlyA: 10, onlyB: 20, tasks: 100 }) ?? 0;
    const discordant = binomial(needed, 0.3);
    const power = discordant.reduce((sum, chance, both) => {
      if (chance < 1e-12) return sum;
      const won = binomial(both, 2 / 3).filter((_, onlyB) => mcnemar(both - onlyB, onlyB) < 0.05);
      return sum + chance * won.reduce((total, one) => total + one, 0);
    }, 0);
    // Enumerated with scipy 1.10.1 as well: 0.77555883.
    expect(power).toBeCloseTo(0.77555883, 6);
  });

  it('has no answer where nothing was seen to differ', () => {
    expect(tasksForPower({ onlyA: 3, onlyB: 3, tasks: 50 })).toBeUndefined();
    expect(tasksForPower({ onlyA: 0, onlyB: 0, tasks: 50 })).toBeUndefined();
    expect(tasksForPower({ onlyA: 0, onlyB: 0, tasks: 0 })).toBeUndefined();
  });

  it('never asks for so few that the exact test could not tell', () => {
    const needed = tasksForPower({ onlyA: 0, onlyB: 30, tasks: 30 }) ?? 0;
    expect(needed).toBe(6);
    expect(mcnemar(0, needed)).toBeLessThan(0.05);
    expect(mcnemar(0, needed - 1)).toBeGreaterThan(0.05);
  });

  it('asks for more tasks when more certainty is asked for', () => {
    const seen = { onlyA: 4, onlyB: 12, tasks: 80 };
    const usual = tasksForPower(seen) ?? 0;
    expect(tasksForPower({ ...seen, power: 0.9 })).toBeGreaterThan(usual);
    expect(tasksForPower({ ...seen, alpha: 0.01 })).toBeGreaterThan(usual);
  });
});

/** The chance of each number of successes. */
function binomial(trials: number, chance: number): number[] {
  let row = [1];
  for (let trial = 0; trial < trials; trial++)
    row = Array.from({ length: row.length + 1 }, (_, k) => (row[k] ?? 0) * (1 - chance) + (row[k - 1] ?? 0) * chance);
  return row;
}
