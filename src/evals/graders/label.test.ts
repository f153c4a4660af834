import { describe, expect, it } from 'vitest';
import { attemptWith } from '../../testing/attempt.ts';
import { type Labels, label } from './label.ts';

const verdicts = ['SUPPORTS', 'REFUTES', 'NOT ENOUGH INFO'];

/** Of the labels the one that passes, if one does. */
async function read(labels: Labels, answer: string): Promise<string | undefined> {
  const names = Array.isArray(labels) ? (labels as readonly string[]) : Object.keys(labels);
  const grader = label(labels);
  for (const expected of names) {
    const task = { id: 't1', input: 'Is it so?', expected };
    const { pass } = await grader.grade({ task, answer, attempt: attemptWith() }, { step: () => Promise.reject() });
    if (pass) return expected;
  }
  return undefined;
}

describe('label', () => {
  it('reads the label in whatever case and form', async () => {
    expect(await read(verdicts, 'supports')).toBe('SUPPORTS');
    expect(await read(verdicts, 'The claim is refuted.')).toBe('REFUTES');
    expect(await read(verdicts, 'NOT_ENOUGH_INFO')).toBe('NOT ENOUGH INFO');
    expect(await read(verdicts, 'Answer: REFUTES, although one source supports it')).toBe('REFUTES');
    expect(await read(['yes', 'no'], 'No. It is true that boats float.')).toBe('no');
    expect(await read(['yes', 'no'], 'So the answer is: **Yes**.')).toBe('yes');
  });

  it('takes true for yes and 不是 for no, where they are no labels of their own', async () => {
    expect(await read(['yes', 'no'], 'TRUE')).toBe('yes');
    expect(await read(['yes', 'no'], 'not true')).toBe('no');
    expect(await read(['yes', 'no'], '是的')).toBe('yes');
    expect(await read(['yes', 'no'], '不是')).toBe('no');
    expect(await read(['yes', 'no', 'true'], 'true')).toBe('true');
    expect(await read({ hot: ['warm'], cold: ['chilly'] }, 'It is warm')).toBe('hot');
  });

  it('reads none where two are offered, one is denied, or one is part of a word', async () => {
    for (const answer of [
      'SUPPORTS or REFUTES',
      'It supports a part and refutes the other',
      'not supported',
      'It does not support it',
      '',
    ])
      expect([answer, await read(verdicts, answer)]).toEqual([answer, undefined]);
    for (const answer of ['yes and no', 'Nobody knows', 'Yesterday', 'Yes/no'])
      expect([answer, await read(['yes', 'no'], answer)]).toEqual([answer, undefined]);
  });

  it('refuses labels that cannot be told apart', () => {
    expect(() => label(['yes'])).toThrow('two labels');
    expect(() => label({ yes: ['ok'], no: ['ok'] })).toThrow('two labels');
  });
});
