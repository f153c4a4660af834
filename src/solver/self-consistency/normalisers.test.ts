import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { choiceAnswer, exactAnswer, type Normaliser, setAnswer } from './normalisers.ts';
import { numericAnswer } from './numeric-answer.ts';

function same(normalise: Normaliser, answers: string[]): void {
  const votes = answers.map(normalise);
  expect(votes[0]).toBeDefined();
  expect(new Set(votes)).toEqual(new Set([votes[0]]));
}

describe('exactAnswer', () => {
  it('counts answers as one that differ in dress only', () => {
    same(exactAnswer, ['Oslo', ' oslo. ', '**Oslo**', '"Oslo"', 'The answer is: Oslo', 'Ｏｓｌｏ']);
    same(exactAnswer, ['{"a":1,"b":[2]}', '{ "b": [2], "a": 1 }']);
  });

  it('keeps apart what differs in substance, and abstains on texts', () => {
    expect(exactAnswer('Oslo')).not.toBe(exactAnswer('Bergen'));
    expect(exactAnswer('not safe')).not.toBe(exactAnswer('safe'));
    expect(exactAnswer('')).toBeUndefined();
    expect(exactAnswer('word '.repeat(60))).toBeUndefined();
  });
});

describe('numericAnswer', () => {
  it.each<[string, string[]]>([
    ['separators', ['1234.5', '1,234.50', '1.234,5', '1 234.5', '1,234.5 euros', '€1,234.5']],
    ['fractions', ['0.75', '3/4', '.75 of it is 0.75']],
    ['mixed numbers', ['2.5', '2 1/2 cups', '2,5']],
    ['percent', ['20%', '20 percent', '20', '20 %']],
    ['scale words', ['1200000', '1.2 million', '120万', '1.2e6']],
    ['signs', ['-4', '−4', 'x = -4', '-4.0', '-8/2', '$-4', '-$4']],
    [
      'announcements',
      [
        'The answer is 18.\nThat is 3 times 6.',
        '18',
        'There were 3 boxes. The answer is 18 apples',
        '5 + 13 = 18',
        '#### 18',
        '\\boxed{18}',
        '答案是18个',
      ],
    ],
    ['references', ['12', 'it is 12 [3]', 'obs-4 says 12', '１２']],
  ])('reads %s alike', (_, answers) => same(numericAnswer, answers));

  it('keeps apart numbers that differ', () => {
    const votes = ['4', '-4', '40', '0.4', '4 million', '1/4', '12345678901234567890', '12345678901234567891'];
    expect(new Set(votes.map(numericAnswer)).size).toBe(votes.length);
    expect(numericAnswer('10-4')).toBe('4');
    // A number in words is one among the others, where it stands.
    expect(numericAnswer('He sold 3 twenty cent stamps, so he has 17')).toBe('17');
  });

  it('abstains where there is no number', () => {
    expect(numericAnswer('it cannot be known')).toBeUndefined();
    expect(numericAnswer('')).toBeUndefined();
  });

  it('reads every number it wrote itself, with and without separators', () => {
    fc.assert(
      fc.property(fc.integer({ min: -1e9, max: 1e9 }), (number) => {
        expect(numericAnswer(String(number))).toBe(String(number));
        expect(numericAnswer(`so it is ${number.toLocaleString('en-US')} units.`)).toBe(String(number));
      }),
    );
  });
});

describe('setAnswer', () => {
  it('counts lists as one whatever their order and form', () => {
    same(setAnswer, [
      'Oslo, Rome and Lima',
      'rome; lima; oslo',
      '- Lima\n- Rome\n- Oslo',
      '["Rome","Oslo","Lima"]',
      'They are: Oslo, Rome, Lima.',
    ]);
    same(
      setAnswer,
      ['甲、乙和丙', '丙，乙，甲'].map((text) => text.replace('和', '、')),
    );
  });

  it('tells lists apart that differ in one item, and keeps numbers whole', () => {
    expect(setAnswer('a, b')).not.toBe(setAnswer('a, b, c'));
    expect(setAnswer('1,234 and 5')).toBe(setAnswer('5, 1,234'));
    expect(setAnswer('  ')).toBeUndefined();
  });
});

describe('choiceAnswer', () => {
  it('finds the chosen letter', () => {
    same(choiceAnswer, [
      'B',
      '(b)',
      'B.',
      'B) because A) is too short',
      'The answer is (B).',
      'Option B',
      '答案是B',
      'I think (B) fits',
    ]);
  });

  it('abstains where no one letter is chosen', () => {
    for (const answer of ['A ship sails', '(A) or (B)', 'either (A) or (C)', 'none of them']) {
      expect(choiceAnswer(answer)).toBeUndefined();
    }
  });
});
