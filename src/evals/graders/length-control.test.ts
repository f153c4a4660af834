import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { flipRate, lengthControlledWinRate, lengthCorrelation, type PairJudgement } from './length-control.ts';

type Winner = PairJudgement['winner'];

function pair(winner: Winner, answerLength = 100, baselineLength = 100, flipped = false): PairJudgement {
  return { task: 't', winner, flipped, reasked: false, answerLength, baselineLength };
}

/** Sixty comparisons in which the longer answer mostly wins. */
const sixty = Array.from({ length: 60 }, (_, i) => {
  const [answer, baseline] = [200 + ((i * 37) % 400), 200 + ((i * 53) % 400)];
  const wins = (answer > baseline && i % 5 !== 0) || i % 7 === 0;
  return pair(wins ? 'answer' : i % 11 === 0 ? 'tie' : 'baseline', answer, baseline);
});

describe('length control', () => {
  it('fits as another implementation does', () => {
    // By scipy 1.x, minimize (BFGS) of the same penalised likelihood, and pearsonr.
    const { raw, controlled, lengthEffect } = lengthControlledWinRate(sixty);
    expect(raw).toBeCloseTo(0.5083333333, 9);
    expect(controlled.value).toBeCloseTo(0.53649209, 7);
    expect(controlled.low).toBeCloseTo(0.39100902, 7);
    expect(controlled.high).toBeCloseTo(0.67601752, 7);
    expect(lengthEffect).toBeCloseTo(1.879496, 5);
    expect(lengthCorrelation(sixty)).toBeCloseTo(0.4882052489, 9);
  });

  it('takes away what length alone won', () => {
    const long = Array.from({ length: 40 }, (_, i) => pair(i % 10 === 0 ? 'baseline' : 'answer', 900 + i, 300));
    const short = Array.from({ length: 10 }, (_, i) => pair('baseline', 200 + i, 900));
    const { raw, controlled, lengthEffect } = lengthControlledWinRate([...long, ...short]);
    expect(raw).toBeGreaterThan(0.7);
    expect(controlled.value).toBeLessThan(0.6);
    expect(lengthEffect).toBeGreaterThan(0);
  });

  it('leaves a win rate at equal length as it is, and stays sane where one side wins all', () => {
    const equal = [
      ...Array.from({ length: 30 }, () => pair('answer')),
      ...Array.from({ length: 10 }, () => pair('baseline')),
    ];
    expect(lengthControlledWinRate(equal).controlled.value).toBeCloseTo(0.75, 2);
    const { controlled } = lengthControlledWinRate(sixty.map((one) => ({ ...one, winner: 'answer' })));
    expect(controlled.value).toBeGreaterThan(0.95);
    expect(controlled.low).toBeGreaterThan(0.8);
  });

  it('gives rates inside 0 and 1, the other way round where the sides change places', () => {
    const length = fc.integer({ min: 0, max: 5000 });
    const one = fc.record({ winner: fc.constantFrom<Winner>('answer', 'baseline', 'tie'), a: length, b: length });
    fc.assert(
      fc.property(fc.array(one, { minLength: 1, maxLength: 40 }), (made) => {
        const pairs = made.map(({ winner, a, b }) => pair(winner, a, b));
        const turned = pairs.map(({ winner, answerLength: a, baselineLength: b }) =>
          pair(winner === 'tie' ? 'tie' : winner === 'answer' ? 'baseline' : 'answer', b, a),
        );
        const { value, low, high } = lengthControlledWinRate(pairs).controlled;
        expect(low >= 0 && low <= value && value <= high && high <= 1).toBe(true);
        expect(lengthControlledWinRate(turned).controlled.value).toBeCloseTo(1 - value, 6);
      }),
    );
  });

  it('counts flips, and has no figure for nothing', () => {
    expect(flipRate([pair('tie', 1, 1, true), pair('tie'), pair('answer'), pair('answer')])).toBe(0.25);
    expect(flipRate([])).toBeNaN();
    expect(lengthCorrelation([pair('answer'), pair('baseline')])).toBeNaN();
    expect(lengthControlledWinRate([])).toMatchObject({ raw: Number.NaN, controlled: { value: Number.NaN } });
  });
});
