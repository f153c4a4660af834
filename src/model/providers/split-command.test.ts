import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UsageError } from '../../core/errors.ts';
import { splitCommand } from './split-command.ts';

describe('splitCommand', () => {
  it.each([
    ['ask --model small', ['ask', '--model', 'small']],
    ['  ask\t-v\n ', ['ask', '-v']],
    [`ask 'two words' "three more words"`, ['ask', 'two words', 'three more words']],
    [`ask --a='b c'd`, ['ask', '--a=b cd']],
    [`ask "say \\"hi\\" \\\\ \\n"`, ['ask', 'say "hi" \\ \\n']],
    [`ask '\\' ''`, ['ask', '\\', '']],
    ['my\\ tool a\\"b', ['my tool', 'a"b']],
    ['ask $HOME | tee; rm *', ['ask', '$HOME', '|', 'tee;', 'rm', '*']],
  ])('%s', (line, words) => {
    expect(splitCommand(line)).toEqual(words);
  });

  it.each(['', '   ', "''", 'ask "open', "ask 'open"])('refuses %j', (line) => {
    expect(() => splitCommand(line)).toThrow(UsageError);
  });

  it('gives back any words that were quoted', () => {
    const word = fc.string().filter((text) => !text.includes("'"));
    fc.assert(
      fc.property(fc.array(word, { maxLength: 5 }), (words) => {
        expect(splitCommand(['ask', ...words.map((text) => `'${text}'`)].join(' '))).toEqual(['ask', ...words]);
      }),
    );
  });
});
