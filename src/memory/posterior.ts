/**
 * What a record of wins and losses says of a lesson.
 *
 * The chance that a run ends well with the lesson has the prior Beta(1, 1): before the first outcome every chance is as likely as any
 * other. After w wins and l losses it is Beta(1 + w, 1 + l). Old outcomes weigh less: their weight halves every 30 days since the last one.
 *
 * Both rules below use the upper bound that the chance stays under with 90 %. It is high for what works and for what was hardly
 * tried, so that a new lesson gets its try and a proven one is not dropped for one bad day (optimism in the face of uncertainty; Auer,
 * Cesa-Bianchi and Fischer 2002; with quantiles of the posterior: Kaufmann, Cappé and Garivier 2012, Bayes-UCB).
 */
import type { Lesson } from '../core/lesson.ts';

export const halfLifeMs: number = 30 * 24 * 60 * 60 * 1000;
const certainty = 0.9;

type Outcomes = Pick<Lesson, 'wins' | 'losses'>;

/**
 * Whether a lesson hurts: with 90 % certainty the chance of a run with it is below `baseline`, the share of runs that end well anyway.
 * With the default of one half: after 3 losses and no win, 5 losses and 1 win, 6 losses and 2 wins.
 */
export function hurts({ wins, losses }: Outcomes, baseline: number): boolean {
  return below(baseline, 1 + wins, 1 + losses) > certainty;
}

/** How good the lesson may be, 0 to 1: the upper bound of its chance at this time. */
export function promise({ wins, losses, checked }: Outcomes & Pick<Lesson, 'checked'>, now: number): number {
  const weight = 0.5 ** (Math.max(0, now - checked) / halfLifeMs);
  const [a, b] = [1 + wins * weight, 1 + losses * weight];
  let [low, high] = [0, 1];
  // Enough halvings for differences far smaller than one outcome makes.
  for (let round = 0; round < 30; round++) {
    const middle = (low + high) / 2;
    if (below(middle, a, b) < certainty) low = middle;
    else high = middle;
  }
  return low;
}

/** The probability that a Beta(a, b) variable is below x: the regularised incomplete beta function, for a and b of at least 1. */
export function below(x: number, a: number, b: number): number {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  // The continued fraction converges fast on this side of the mean only.
  if (x > (a + 1) / (a + b + 2)) return 1 - below(1 - x, b, a);
  const scale = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x));
  return (scale * continuedFraction(x, a, b)) / a;
}

/** Lentz's method for the continued fraction of the incomplete beta function (DLMF 8.17.22). */
function continuedFraction(x: number, a: number, b: number): number {
  const tiny = 1e-300;
  const nonzero = (value: number): number => (Math.abs(value) < tiny ? tiny : value);
  let c = 1;
  let d = 1 / nonzero(1 - ((a + b) * x) / (a + 1));
  let result = d;
  for (let m = 1; m <= 500; m++) {
    const before = result;
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    for (const term of [even, odd]) {
      d = 1 / nonzero(1 + term * d);
      c = nonzero(1 + term / c);
      result *= c * d;
    }
    if (Math.abs(result - before) < 1e-14 * Math.abs(result)) break;
  }
  return result;
}

/** Stirling's series with the argument raised until it is exact to double precision (DLMF 5.11.1). */
function logGamma(value: number): number {
  let z = value;
  let shift = 0;
  for (; z < 10; z++) shift -= Math.log(z);
  const inverse = 1 / (z * z);
  const series = (1 / 12 - inverse * (1 / 360 - inverse * (1 / 1260 - inverse / 1680))) / z;
  return shift + (z - 0.5) * Math.log(z) - z + 0.5 * Math.log(2 * Math.PI) + series;
}
