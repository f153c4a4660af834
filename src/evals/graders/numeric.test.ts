import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { attemptWith } from '../../testing/attempt.ts';
import type { Grade } from '../grader.ts';
import { type NumericOptions, numeric } from './numeric.ts';

type Case = [expected: number | string | (number | string)[], answer: string];

function graded([expected, answer]: Case, options: NumericOptions = {}): Grade {
  const task = { id: 't1', input: 'How many?', expected };
  // It asks nobody, so that it answers at once.
  return numeric(options).grade({ task, answer, attempt: attemptWith() }, { step: () => Promise.reject() }) as Grade;
}

function rightly(cases: Case[], options?: NumericOptions): void {
  for (const one of cases) expect([one, graded(one, options)]).toMatchObject([one, { pass: true, score: 1 }]);
}

function wrongly(cases: Case[], options?: NumericOptions): void {
  for (const one of cases) expect([one, graded(one, options)]).toMatchObject([one, { pass: false, score: 0 }]);
}

describe('numeric', () => {
  it('reads the number that is announced, else the last', () => {
    rightly([
      [42, 'The answer is 42.'],
      [42, 'The answer is 42, since 40 and 2 more were sold.'],
      [42, 'Answer: 42. This is because 6 times 9 is 54'],
      [42, 'Six rows of 7.\n#### 42'],
      [42, 'The answer is 6 * 7 = 42'],
      [42, 'So 12 + 30 = 42 apples in all'],
      [42, '**Answer:** $42$'],
      [0.75, 'So \\boxed{\\frac{3}{4}} of it'],
      [42, 'The answer is:\n\n42'],
      [18, '答案是18元'],
      [45, 'The price rose from 40 to 45.'],
    ]);
    wrongly([
      [2, 'The answer is 42, since 40 + 2.'],
      [7, 'Six rows of 7.\n#### 42'],
    ]);
  });

  it('does not count a number that is denied', () => {
    wrongly([
      [42, 'The answer is not 42'],
      [42, "It isn't 42."],
      [42, '42 is wrong'],
      [43, 'not 42 or 43'],
      [18, '答案不是18'],
      [41, '42 rather than 41'],
    ]);
    rightly([
      [43, 'not 42 but 43'],
      [43, 'It is 43, not 42.'],
      [41, '42 is wrong, it is 41'],
    ]);
  });

  it('takes none of several that are offered, unless all are the same', () => {
    for (const expected of [40, 42, 43, 45])
      wrongly([
        [expected, '42 or 43'],
        [expected, 'The answer is either 42 or 43.'],
        [expected, 'between 40 and 45'],
        [expected, 'between 40 km and 45 km'],
        [expected, '40-45'],
        [expected, '40–45'],
        [expected, '40 to 45'],
        [expected, '42, 43'],
        [expected, 'The answer is 42 and 43'],
        [expected, '40 + 2 + 43'],
      ]);
    wrongly([
      [4, '3:4'],
      [10, '2^10'],
    ]);
    rightly([
      [0.5, '1/2 or 50%'],
      [12, '12 or 12.0'],
    ]);
  });

  it('keeps signs, and takes no dash for one', () => {
    rightly([
      [-5, '-5'],
      [-5, '−5'],
      [-5, 'minus 5'],
      [-5, '-$5'],
      [-5, 'It fell to -5.'],
      [5, '- 5'],
      [5, '10 - 5 = 5'],
      [-0.75, '-3/4'],
    ]);
    wrongly([
      [-5, '5'],
      [5, '-5'],
      [5, '10 -5'],
    ]);
  });

  it('reads the notations people use', () => {
    rightly([
      [1234.5, '1,234.50'],
      [1234.5, '1.234,50'],
      [1234567, '1.234.567'],
      [1234567, '12,34,567'],
      [1234567, '1 234 567'],
      [3.5, '3,5'],
      [0.5, '.5'],
      [1.5, '1½ cups'],
      [1.5, '1 1/2'],
      [1.5, '$1\\frac{1}{2}$'],
      [1200, '1.2e3'],
      [1200, '1.2 × 10^3'],
      [0.000012, '1.2 × 10^{-5}'],
      [5000, '5k'],
      [1_200_000, '$1.2 million'],
      [100, 'USD100'],
      [30_000, '3 万'],
      [3500, '三千五百'],
      [7, '七'],
      [7, 'seven'],
      [12, 'The answer is twelve.'],
    ]);
    wrongly([
      [1.234, '1,234'],
      [1234, '1.234'],
      [5, '.5'],
    ]);
  });

  it('takes a percentage for itself and for its share', () => {
    rightly([
      [0.12, '12%'],
      [12, '12%'],
      ['12%', '0.12'],
      ['12%', '12 percent'],
    ]);
    wrongly([
      [0.12, '12'],
      [12, '0.12'],
      [1200, '12%'],
    ]);
  });

  it('gives no more room than it is told to: about 7 is 7', () => {
    rightly([[7, 'about 7']]);
    wrongly([
      [7.3, 'about 7'],
      [33.333, '33.3'],
    ]);
    rightly([[33.333, '33.3']], { tolerance: 0.05 });
    rightly([[1000, '1009']], { relative: 0.01 });
    wrongly([[1000, '1011']], { relative: 0.01 });
  });

  it('asks for the unit where one is named, and converts what it knows', () => {
    rightly(
      [
        ['72 km/h', '20 m/s'],
        ['5 km', '5,000 metres'],
        ['2公里', '2000米'],
        ['93 minutes', '1 hour 33 minutes'],
        ['$5', '5 dollars'],
        ['12%', '12%'],
        ['25 °C', '25 °C'],
      ],
      { units: true },
    );
    wrongly(
      [
        ['72 km/h', '72'],
        ['72 km/h', '72 mph'],
        ['72 km/h', '72 km'],
        ['5 km', '5 m'],
        ['$5', '€5'],
        ['12%', '12'],
        ['33 minutes', '1 hour 33 minutes'],
      ],
      { units: true },
    );
    rightly([[5, '5 apples']], { units: 'apple' });
    wrongly([[5, '5 pears']], { units: 'apple' });
    expect(() => graded([5, '5 km'], { units: true })).toThrow("'t1'");
  });

  it('takes one of several expected numbers', () => {
    rightly([[[12, '15'], '15']]);
    wrongly([[[12, 15], '13']]);
  });

  it('tells what it read', () => {
    expect(graded([42, '42 or 43']).why).toBe('read 42 and 43, expected 42');
    expect(graded([42, 'nobody knows']).why).toContain('no number');
  });

  it('reads back every number as it is written', () => {
    const number = fc.oneof(
      fc.integer({ min: -1e12, max: 1e12 }),
      fc.double({ min: -1e6, max: 1e6, noNaN: true }).map((value) => Math.round(value * 100) / 100),
    );
    const sentence = fc.constantFrom(
      (text: string) => text,
      (text: string) => `The answer is ${text}.`,
      (text: string) => `We get 7 * 3 = 21, so\n#### ${text}`,
      (text: string) => `**${text}** boats`,
    );
    fc.assert(
      fc.property(number, sentence, fc.boolean(), (value, said, isGrouped) => {
        const text = isGrouped ? value.toLocaleString('en-US', { maximumFractionDigits: 2 }) : value.toFixed(2);
        expect([text, graded([value, said(text)], { tolerance: 0.001 })]).toMatchObject([text, { pass: true }]);
        expect(graded([value + 1, said(text)], { tolerance: 0.001 }).pass).toBe(false);
      }),
    );
  });
});
