import { describe, expect, it } from 'vitest';
import { attemptWith } from '../../testing/attempt.ts';
import { choice } from './choice.ts';

const withOptions = 'What keeps a boat in place? Answer choices: (A) sail (B) anchor (C) rudder (D) mast';

async function read(answer: string, expected = 'B', input = withOptions): Promise<boolean> {
  const task = { id: 't1', input, expected };
  return (await choice().grade({ task, answer, attempt: attemptWith() }, { step: () => Promise.reject() })).pass;
}

describe('choice', () => {
  it('finds the letter that is chosen', async () => {
    const answers = [
      ...['B', 'b', '(b)', 'B.', '**B**', 'Option B', 'option b', '答案是B', '选B', '\\boxed{B}', '\\boxed{\\text{B}}'],
      ...[
        'B) because A) is too light',
        'The answer is (B).',
        'Answer: B because it holds',
        'B: anchor',
        'B is correct',
      ],
      ...[
        'I think (B) fits',
        'The correct option is B',
        'I choose B',
        'The correct option is B because it holds.',
        'A and C move it.\nB',
        'Answer: B anchor',
      ],
    ];
    for (const answer of answers) expect([answer, await read(answer)]).toEqual([answer, true]);
  });

  it('chooses no letter that is denied', async () => {
    for (const answer of [
      'The answer is not B',
      'The answer is not (B).',
      "It isn't B",
      'B is wrong',
      'not B but C',
      'Neither A nor B',
    ])
      expect([answer, await read(answer)]).toEqual([answer, false]);
    for (const answer of [
      'not A but B',
      'The answer is not (A) but (B).',
      'B, since A is wrong',
      'The answer is B, not C.',
    ])
      expect([answer, await read(answer)]).toEqual([answer, true]);
  });

  it('does not look past what is announced, but for a letter alone on its line', async () => {
    expect(await read('(B) holds a little. The answer: none of these.')).toBe(false);
    expect(await read('B is heavy. The answer is unclear.')).toBe(false);
    expect(await read('B\n\nExplanation of the answer: it holds.')).toBe(true);
  });

  it('chooses none where two are offered', async () => {
    for (const answer of [
      'A or B',
      'B or C',
      '(A) or (B)',
      'B, C',
      'B and C',
      'B/C',
      'The answer is B or C',
      'either (A) or (B)',
      'The answer is A or (B).',
    ])
      expect([answer, await read(answer)]).toEqual([answer, false]);
  });

  it('takes no letter out of a word, and no article for one', async () => {
    for (const answer of ['Because it holds', 'Better so', 'Bob', 'AB', 'Vitamin B is good', 'A', ''])
      expect([answer, await read(answer)]).toEqual([answer, false]);
    for (const answer of ['A ship sails', 'The answer is a ship'])
      expect([answer, await read(answer, 'A', 'What is it?')]).toEqual([answer, false]);
    expect(await read('The answer is A.', '(A)')).toBe(true);
  });

  it('knows an option by its words where the task lists them', async () => {
    expect(await read('anchor')).toBe(true);
    expect(await read('The answer is: Anchor.')).toBe(true);
    expect(await read('anchor', 'B', 'What keeps a boat in place?')).toBe(false);
    expect(await read('mast')).toBe(false);
  });
});
