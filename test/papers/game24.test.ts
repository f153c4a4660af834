import { describe, expect, it } from 'vitest';
import { expressionOf, solves } from '../../bench/papers/game24-answer.ts';
import { matchingLevels, search } from '../../bench/papers/game24-search.ts';
import { judgements, type SearchedPuzzle } from '../../bench/papers/game24-thinker.ts';
import { curves, scoredSamples, vote } from '../../bench/papers/game24-votes.ts';
import { Tally } from '../../bench/papers/part.ts';

const puzzles = new Map([['p', { id: 'p', task: '1 2 3 4' }]]);

describe('an answer to the game of 24', () => {
  it.each([
    ['Answer: 1 * 2 * 3 * 4 = 24', true],
    ['3 * 4 = 12\nAnswer: (4 * 3) * 2 * 1 = 24\n', true],
    ['Answer: 4 * 3 * 2 = 24', false],
    ['Answer: 4 * 3 * 2 * 1 * 1 = 24', false],
    ['Answer: 4 + 3 + 2 + 1 = 24', false],
    ['Answer: None', false],
    ['', false],
  ])('%j: %s', (answer, right) => {
    expect(solves('1 2 3 4', answer)).toBe(right);
  });

  it('votes for its expression', () => {
    expect(expressionOf('Steps\nANSWER: 4 * 6 = 24')).toBe('4 * 6');
  });
});

describe('recorded samples', () => {
  const [right, wrong] = ['Answer: 1*2*3*4 = 24', 'Answer: 1+2+3+4 = 24'];
  const row = { id: 'p', outputs: [right, wrong, wrong, wrong], correct: [1, 0, 0, 0] };
  const scored = [scoredSamples(row, puzzles)];
  const material = (figures: object) => ({
    ...{ traces: '', data: '' },
    metrics: { 'game24:io': figures } as Parameters<typeof curves>[0]['metrics'],
  });

  it('are drawn and voted on in a run, and no more than can change the vote', async () => {
    const tally = new Tally();
    expect(await vote([row], puzzles, tally)).toEqual({ solved: 0, drawn: 4, planned: 4 });
    const clear = { ...row, outputs: [right, right, right, wrong] };
    expect(await vote([clear], puzzles, tally)).toEqual({ solved: 1, drawn: 3, planned: 4 });
    expect(tally.work).toMatchObject({ runs: 2, modelCalls: 7 });
  });

  it('give curves that a figure from random draws explains only when it is near', () => {
    const standings = (share: number) =>
      curves(material({ 'majority@k': { 1: share }, 'best@k': { 1: share, 4: 1 } }), 'io', scored);
    expect(standings(0.25)[1]).toMatchObject({ ours: [0.25, 1], recorded: [0.25, 1] });
    expect(standings(0.3).map(({ explained }) => explained !== undefined)).toEqual([true, true]);
    expect(standings(0.9).map(({ explained }) => explained)).toEqual([undefined, undefined]);
    expect(standings(0.3001).map(({ explained }) => explained)).toEqual([undefined, undefined]);
  });

  it('explain nothing where every draw would come out the same', () => {
    const [majority] = curves(material({ 'majority@k': { 4: 0.5 }, 'best@k': { 4: 1 } }), 'io', scored);
    expect(majority).toMatchObject({ ours: [0], recorded: [0.5] });
    expect(majority?.explained).toBeUndefined();
  });
});

describe('a recorded search', () => {
  it.each([
    [60, ['sure', 'sure', 'sure']],
    [22, ['sure', 'likely', 'likely']],
    [1.002, ['likely', 'impossible', 'impossible']],
    [2, ['likely', 'likely', 'unreadable']],
  ])('has for the value %d the judgements %j', (value, expected) => {
    expect(judgements(value)).toEqual(expected);
  });

  const level = (ys: string[], children: [state: string, value: number][], select: string[]) => ({
    ...{ ys, new_ys: children.map(([state]) => state), values: children.map(([, value]) => value) },
    select_new_ys: select,
  });
  const answer = 'b\nd\nf\nAnswer: 1*2*3*4 = 24\n';
  const row: SearchedPuzzle = {
    id: 'p',
    steps: [
      // The second `b` is a repetition, which the authors' code values nothing and may keep.
      level(
        [''],
        [
          ['a\n', 1.002],
          ['b\n', 60],
          ['b\n', 0],
          ['c\n', 1.002],
        ],
        ['b\n', 'a\n', 'c\n', 'b\n'],
      ),
      level(
        ['b\n', 'a\n', 'c\n'],
        [
          ['b\nd\n', 22],
          ['a\ne\n', 22],
        ],
        ['b\nd\n', 'a\ne\n'],
      ),
      level(['b\nd\n', 'a\ne\n'], [['b\nd\nf\n', 0.003]], ['b\nd\nf\n']),
      level(
        ['b\nd\nf\n'],
        [
          ['b\nd\nf\ng\n', 0],
          [answer, 0],
        ],
        ['b\nd\nf\ng\n', answer],
      ),
    ],
  };

  it('is repeated by ours state for state, equal values in the order they were proposed', async () => {
    const tally = new Tally();
    const [searched] = await search([row], { puzzles, tally });
    expect(searched?.levels.map(({ states }) => states)).toEqual([4, 2, 1, 2]);
    expect(searched?.levels.map(({ kept }) => kept)).toEqual([
      ['b\n', 'a\n', 'c\n'],
      ['b\nd\n', 'a\ne\n'],
      ['b\nd\nf\n'],
      ['b\nd\nf\ng\n', answer],
    ]);
    expect(matchingLevels(searched!)).toBe(4);
    // The first of the beam is no answer.
    expect(searched?.answer).toBeUndefined();
    // One proposal for each state that was gone on from, three judgements for each that is worth something.
    expect(tally.work).toMatchObject({ runs: 1, modelCalls: 1 + 3 + 2 + 1 + 3 * 6 });
  });

  it('counts a level as different when another state, or another order, was kept', async () => {
    const [first, ...rest] = row.steps;
    const other = { ...row, steps: [{ ...first!, select_new_ys: ['a\n', 'b\n', 'c\n'] }, ...rest] };
    const [searched] = await search([other], { puzzles, tally: new Tally() });
    expect(matchingLevels(searched!)).toBe(3);
  });

  it('ends at the answer when code knows that it is one', async () => {
    const [searched] = await search([row], { puzzles, tally: new Tally(), calculator: true });
    expect(searched?.answer).toBe(answer);
  });
});
