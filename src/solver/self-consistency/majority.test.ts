import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { majority, nextWave, voteCurve } from './majority.ts';

describe('majority', () => {
  it('counts votes, names ties, and leaves out who abstained', () => {
    expect(majority(['b', 'a', undefined, 'a', 'b', 'c'])).toEqual({
      counts: [
        { vote: 'b', count: 2 },
        { vote: 'a', count: 2 },
        { vote: 'c', count: 1 },
      ],
      leaders: ['b', 'a'],
      abstained: 1,
    });
    expect(majority([undefined]).leaders).toEqual([]);
  });
});

const vote = fc.constantFrom('a', 'b', 'c', undefined);
const hasHalf = (votes: readonly (string | undefined)[]): boolean =>
  (majority(votes).counts[0]?.count ?? 0) * 2 >= votes.length;

describe('the next wave', () => {
  it('is none only when no votes to come can change the winner or whether it has half', () => {
    fc.assert(
      fc.property(fc.array(vote, { maxLength: 8 }), fc.array(vote, { maxLength: 5 }), (drawn, rest) => {
        if (nextWave(drawn, drawn.length + rest.length) !== 0) return;
        const all = [...drawn, ...rest];
        expect(majority(all).leaders).toEqual(majority(drawn).leaders);
        const padded = [...drawn, ...rest.map(() => undefined)];
        expect(hasHalf(all)).toBe(hasHalf(padded));
      }),
      { numRuns: 2_000 },
    );
  });

  it('is the fewest samples that could settle it, and never more than are left', () => {
    expect(nextWave([], 5)).toBe(3);
    expect(nextWave(['a', 'a', 'a'], 5)).toBe(0);
    expect(nextWave(['a', 'b', 'a'], 5)).toBe(1);
    expect(nextWave(['a', 'b', 'a', 'b'], 5)).toBe(1);
    expect(nextWave(['a', 'b'], 2)).toBe(0);
    expect(nextWave([], 1)).toBe(1);
  });

  it('always comes to an end', () => {
    fc.assert(
      fc.property(fc.array(vote, { minLength: 1, maxLength: 12 }), (votes) => {
        let drawn = 0;
        for (let wave = nextWave([], votes.length); wave > 0; wave = nextWave(votes.slice(0, drawn), votes.length)) {
          drawn += wave;
        }
        expect(drawn).toBeLessThanOrEqual(votes.length);
      }),
    );
  });
});

describe('the curve of a vote', () => {
  const right = { vote: 'r', correct: true };
  const wrong = (name: string) => ({ vote: name, correct: false });

  it('gives the share that one sample, a majority and the best of them get right', () => {
    const tasks = [
      [right, right, wrong('x'), wrong('y')],
      [wrong('x'), wrong('x'), wrong('x'), right],
    ];
    expect(voteCurve(tasks, [1, 4])).toEqual([
      { samples: 1, majority: (0.5 + 0.25) / 2, best: (0.5 + 0.25) / 2 },
      { samples: 4, majority: 0.5, best: 1 },
    ]);
  });

  it('averages over all neighbours, and a tie goes to the first', () => {
    expect(voteCurve([[right, wrong('x'), wrong('x')]], [2])).toEqual([{ samples: 2, majority: 1 / 3, best: 2 / 3 }]);
  });

  it('counts a task as wrong where everybody abstained', () => {
    expect(voteCurve([[{ vote: undefined, correct: false }]], [1])[0]?.majority).toBe(0);
  });
});
