import { describe, expect, it } from 'vitest';
import { attemptWith } from '../../testing/attempt.ts';
import { pythonLiteral } from './python-literal.ts';
import { pythonValue } from './python-value.ts';

async function equal(expected: string, answer: string): Promise<boolean> {
  const task = { id: 't1', input: 'What does f return?', expected };
  return (await pythonLiteral().grade({ task, answer, attempt: attemptWith() }, { step: () => Promise.reject() })).pass;
}

describe('pythonLiteral', () => {
  it('compares as Python does', async () => {
    const same: [string, string][] = [
      ["'boat'", '"boat"'],
      ["'a\\n'", "'a\\x0a'"],
      ["'a' 'b'", "'ab'"],
      ["r'\\n'", "'\\\\n'"],
      ['1', 'True'],
      ['1.0', '1'],
      ['1.5e3', '1_500'],
      ['0x10', '16'],
      ['(1,)', '1,'],
      ['[1, (2, None)]', '[1,(2,None),]'],
      ["{'a': 1, 'b': [2]}", "{'b': [2], 'a': 1}"],
      ['{1, 2}', '{2, 1, 2}'],
      ['set()', 'set( )'],
      ['-1', '- 1'],
    ];
    for (const [expected, answer] of same)
      expect([expected, answer, await equal(expected, answer)]).toEqual([expected, answer, true]);
  });

  it('tells apart what Python tells apart', async () => {
    const different: [string, string][] = [
      ['(1,)', '(1)'],
      ['[1]', '(1,)'],
      ['{}', 'set()'],
      ["b'a'", "'a'"],
      ["'a'", 'a'],
      ["'aaa'", "'a' * 3"],
      ['1000000000000000000000001', '1000000000000000000000000'],
      ["'1'", '1'],
      ['[1, 2]', '[2, 1]'],
    ];
    for (const [expected, answer] of different)
      expect([expected, answer, await equal(expected, answer)]).toEqual([expected, answer, false]);
  });

  it('finds the literal where an answer puts it', async () => {
    for (const answer of ["The answer is 'a'.", "`'a'`", "```python\n'a'\n```", "It returns `'a'` here"])
      expect([answer, await equal("'a'", answer)]).toEqual([answer, true]);
  });

  it('reads no literal that Python would not', () => {
    for (const text of [
      '[1',
      '[1 2]',
      "'a",
      '{[1]: 2}',
      '{1: 2, 3}',
      '1 2',
      '01',
      'f(1)',
      '[,]',
      '1 +',
      '',
      '['.repeat(5000),
      '9'.repeat(5000),
    ])
      expect([text, pythonValue(text)]).toEqual([text, undefined]);
  });
});
