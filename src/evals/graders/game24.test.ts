import { describe, expect, it } from 'vitest';
import { attemptWith } from '../../testing/attempt.ts';
import { game24 } from './game24.ts';

async function solves(answer: string, input = '2 3 5 12'): Promise<boolean> {
  const task = { id: 't1', input, expected: 24 };
  return (await game24().grade({ task, answer, attempt: attemptWith() }, { step: () => Promise.reject() })).pass;
}

describe('game24', () => {
  it('computes the expression of the last line, in whatever signs', async () => {
    const answers = [
      '12 / (3 - 5 / 2)',
      'Steps: 5 / 2 = 2.5\nAnswer: 12 / (3 - 5 / 2) = 24',
      '12 ÷ (3 − 5 ÷ 2) = 24.',
      '24 = 12/(3-5/2)',
      '**Answer:** $12 \\div (3 - 5 / 2) = 24$',
    ];
    for (const answer of answers) expect([answer, await solves(answer)]).toEqual([answer, true]);
    expect(await solves('12 / (3 - 5 / 2)', 'Make 24 of the numbers 2 3 5 12 with + - * /.')).toBe(true);
  });

  it('holds it to the four numbers, each once, to 24, and to four operations', async () => {
    const answers = [
      '12 + 12',
      '2 * 12',
      '2 + 3 + 5 + 12',
      '12 * 2 * (5 - 3 - 1)',
      '3! * 5 - 12 / 2',
      '25 - 3 + 12 - 12',
      '12 / (3 - 5 / 2',
      'none',
      '',
      '12 / (3 - 5 / 2) = 24\nThere is no solution.',
    ];
    for (const answer of answers) expect([answer, await solves(answer)]).toEqual([answer, false]);
    expect(await solves('12 / (3 - 3)', '12 3 3 0')).toBe(false);
  });
});
