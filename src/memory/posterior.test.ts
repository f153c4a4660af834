import fc from 'fast-check';
import { expect, test } from 'vitest';
import { below, halfLifeMs, hurts, promise } from './posterior.ts';

/** For whole numbers: the chance of at least `a` successes in `a + b - 1` tries. */
function exact(x: number, a: number, b: number): number {
  const tries = a + b - 1;
  let choose = 1;
  let sum = 0;
  for (let k = 0; k <= tries; k++) {
    if (k >= a) sum += choose * x ** k * (1 - x) ** (tries - k);
    choose = (choose * (tries - k)) / (k + 1);
  }
  return sum;
}

test('the incomplete beta function is exact where it can be counted', () => {
  const parameter = fc.integer({ min: 1, max: 30 });
  fc.assert(
    fc.property(fc.double({ min: 0, max: 1, noNaN: true }), parameter, parameter, (x, a, b) => {
      expect(below(x, a, b)).toBeCloseTo(exact(x, a, b), 9);
    }),
  );
  expect(below(0.5, 400.5, 400.5)).toBeCloseTo(0.5, 9);
});

test('a lesson hurts after three losses in a row, later when it has won before', () => {
  const lossesUntil = (wins: number, baseline = 0.5) => {
    let losses = 0;
    while (!hurts({ wins, losses }, baseline)) losses++;
    return losses;
  };
  expect([0, 1, 2, 3, 4].map((wins) => lossesUntil(wins))).toEqual([3, 5, 6, 8, 9]);
  expect(lossesUntil(0, 0.1)).toBeGreaterThan(15);
});

test('promise rises with a win, falls with a loss, and an old record is worth less in both directions', () => {
  const at = (wins: number, losses: number, age = 0) => promise({ wins, losses, checked: 0 }, age);
  expect(at(1, 0)).toBeGreaterThan(at(0, 0));
  expect(at(0, 1)).toBeLessThan(at(0, 0));
  expect(at(0, 0)).toBeCloseTo(0.9, 6);
  expect(at(5, 0, 6 * halfLifeMs)).toBeLessThan(at(5, 0));
  expect(at(0, 3, 6 * halfLifeMs)).toBeGreaterThan(at(0, 3));
  expect(at(4, 0, halfLifeMs)).toBeCloseTo(at(2, 0), 9);
  expect(at(2, 0, -halfLifeMs)).toBe(at(2, 0));
});
