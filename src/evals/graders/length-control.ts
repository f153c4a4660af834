/** What a set of comparisons by a judge says once the order and the length of the answers are taken out of it. */
import type { Estimate } from '../evaluation.ts';

/** One answer against that of a baseline, judged in both orders. */
export interface PairJudgement {
  task: string;
  /** `tie` also where the two orders disagree. */
  winner: 'answer' | 'baseline' | 'tie';
  /** The judge named the same place in both orders: it went by the position. */
  flipped: boolean;
  /** The longer answer had won, and the judge was asked again with the word that length is no merit. */
  reasked: boolean;
  /** In characters. */
  answerLength: number;
  baselineLength: number;
}

/** Win rates from 0 to 1; a tie is half a win. */
export interface LengthControlledWinRate {
  /** As judged. */
  raw: number;
  /** At equal length, with the 95 % interval of the fit. */
  controlled: Estimate;
  /** What the judge gives for length, in logits from equal to much longer; above 0 it favours the longer answer. */
  lengthEffect: number;
}

const points: Readonly<Record<PairJudgement['winner'], number>> = { answer: 1, tie: 0.5, baseline: 0 };

/** The share of comparisons in which the judge went by the position; NaN of none. */
export function flipRate(pairs: readonly PairJudgement[]): number {
  return pairs.filter(({ flipped }) => flipped).length / pairs.length;
}

/** Pearson's correlation of winning (a tie is half) with the logarithm of the ratio of lengths; NaN where either does not vary. */
export function lengthCorrelation(pairs: readonly PairJudgement[]): number {
  const ratios = pairs.map(({ answerLength, baselineLength }) =>
    Math.log(Math.max(1, answerLength) / Math.max(1, baselineLength)),
  );
  const wins = pairs.map(({ winner }) => points[winner]);
  const [meanRatio, meanWin] = [mean(ratios), mean(wins)];
  let [together, ratioSquares, winSquares] = [0, 0, 0];
  ratios.forEach((ratio, place) => {
    const [byRatio, byWin] = [ratio - meanRatio, (wins[place] ?? 0) - meanWin];
    together += byRatio * byWin;
    ratioSquares += byRatio ** 2;
    winSquares += byWin ** 2;
  });
  return together / Math.sqrt(ratioSquares * winSquares);
}

/** A normal prior of variance 10 on both coefficients: a fit exists where one side wins all or the length decides all. */
const ridge = 0.1;
const steps = 50;
const z95 = 1.959963984540054;

interface Coefficients {
  quality: number;
  length: number;
}

/**
 * The win rate at equal length (length-controlled AlpacaEval, Dubois et al. 2024, section 3, without its term for the difficulty of the
 * instruction): a logistic regression of winning on a constant and tanh of the difference of lengths over its standard deviation,
 * of which the constant is kept. NaN without a pair.
 */
export function lengthControlledWinRate(pairs: readonly PairJudgement[]): LengthControlledWinRate {
  const differences = pairs.map(({ answerLength, baselineLength }) => answerLength - baselineLength);
  const average = mean(differences);
  const deviation = Math.sqrt(mean(differences.map((difference) => (difference - average) ** 2)));
  // Where all differ alike there is no scale to measure by, and nothing that could be told from quality.
  const lengths = differences.map((difference) => (deviation > 0 ? Math.tanh(difference / deviation) : 0));
  const wins = pairs.map(({ winner }) => points[winner]);
  const { quality, length, error } = fitted(lengths, wins);
  return {
    raw: mean(wins),
    controlled: {
      value: pairs.length === 0 ? Number.NaN : logistic(quality),
      low: pairs.length === 0 ? Number.NaN : logistic(quality - z95 * error),
      high: pairs.length === 0 ? Number.NaN : logistic(quality + z95 * error),
    },
    lengthEffect: length,
  };
}

/** Newton's method on the penalised log-likelihood; `error` is the standard error of `quality`. */
function fitted(lengths: readonly number[], wins: readonly number[]): Coefficients & { error: number } {
  let [quality, length, error] = [0, 0, 0];
  for (let step = 0; step < steps; step++) {
    let [slopeQuality, slopeLength] = [-ridge * quality, -ridge * length];
    let [curveQuality, curveBoth, curveLength] = [ridge, 0, ridge];
    lengths.forEach((x, place) => {
      const chance = logistic(quality + length * x);
      const miss = (wins[place] ?? 0) - chance;
      const weight = chance * (1 - chance);
      slopeQuality += miss;
      slopeLength += miss * x;
      curveQuality += weight;
      curveBoth += weight * x;
      curveLength += weight * x * x;
    });
    const determinant = curveQuality * curveLength - curveBoth ** 2;
    const moveQuality = (curveLength * slopeQuality - curveBoth * slopeLength) / determinant;
    const moveLength = (curveQuality * slopeLength - curveBoth * slopeQuality) / determinant;
    // From the middle the first steps of a lopsided set would go too far.
    const scale = Math.min(1, 2 / Math.max(1e-12, Math.hypot(moveQuality, moveLength)));
    quality += scale * moveQuality;
    length += scale * moveLength;
    error = Math.sqrt(curveLength / determinant);
    if (Math.hypot(moveQuality, moveLength) < 1e-10) break;
  }
  return { quality, length, error };
}

function logistic(value: number): number {
  return 1 / (1 + Math.exp(-value));
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
