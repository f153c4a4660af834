import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { attemptWith } from '../testing/attempt.ts';
import { arithmetic, wrongComputations } from './arithmetic.ts';
import { wrongConversions } from './conversions.ts';
import { equationsIn } from './equations.ts';
import { offlineContext } from './offline.ts';

describe('right computations', () => {
  it.each([
    '23 × 41 = 943',
    '5,210 - 10% = 4,689',
    '20% of 350 is 70',
    '14 + 9 = 23 元',
    'Together that is $14 + $9.50 = $23.50.',
    'USD 14 + USD 9 = USD 23',
    '20 / 7 = 2.86',
    '20/7 ≈ 2.9',
    '23 × 41 ≈ 900',
    '23 × 41 is about 940',
    '14元+9元=23元，共计23元',
    '8 加 5 等于 13',
    '6乘以7等于42',
    '3 × (5 + 6) = 33',
    '(260 - 200) / 200 = 30%',
    '17 / 60 × 100 = 28.33%',
    '30% + 15% = 45%',
    '3% + 6 = 9%',
    '**Sum:** 8 + 5 = **13** (checked)',
    '**8** × **5** = **40**',
    '\\(6 \\times 7 = 42\\)',
    '$6 \\times 7 = 42$',
    '\\frac{1}{8} + 2 = 2.125',
    '4! = 24',
    '2.5 million × 3 = 7.5 million',
    '4 + 5 million = 9 million',
    '6 tickets × 8 EUR = 48 EUR',
    '90 km / 3 h = 30 km/h',
    '8 + 5 = 13 = 26 / 2',
    '2^12 = 4096',
    '2**5 = 32',
    '-8 + 5 = -3',
    '- 8 + 5 = 13',
    '2. 8 + 5 = 13',
    '23 times 41 is 943',
    '9 / 2 = 5',
    '5 / 2 = 2',
    '6 × 7\n= 42',
    'So it is 8 + 5 = 13!',
    '总价为 4 × 25 = 100 元',
    '(1 + 4%) × 200 = 208',
    '6 x 7 = 42',
    '`6 * 7 = 42`',
    '1e3 + 1 = 1,001',
    '2 dozen + 3 = 27',
    '40-5-10-8-4 = 13',
    '0.1 + 0.2 = 0.30000000000000004',
    '8 / 3 = 2.6666666666666665',
  ])('%j is read and accepted', (text) => {
    expect(equationsIn(text)).not.toEqual([]);
    expect(wrongComputations(text)).toEqual([]);
  });
});

describe('wrong computations', () => {
  it.each([
    ['23 × 41 = 944', '943'],
    ['5,210 - 10% = 5,200', '4689'],
    ['20% of 350 is 75', '70'],
    ['5% of 300 = 1500', '15'],
    ['14 + 9 = 24 元', '23'],
    ['$14 + $9.50 = $24.50', '23.5'],
    ['20 / 7 = 2.87', '2.857142'],
    ['2 / 3 = 0.66', '0.666'],
    ['9 / 2 = 4.4', '4.5'],
    ['7 / 2 = 3', '3.5'],
    ['20/7 ≈ 3.9', '2.857'],
    ['23 × 41 ≈ 1,900', '943'],
    ['14元+9元=24元', '23'],
    ['8 加 5 等于 14', '13'],
    ['6乘以7等于43', '42'],
    ['8 + 5 共计 14 元', '13'],
    ['3 × (5 + 6) = 21', '33'],
    ['(260 - 200) / 200 = 60%', '30%'],
    ['30/120 = 0.25%', '25%'],
    ['30% + 15% = 50%', '45%'],
    ['**Sum:** 8 + 5 = **14**', '13'],
    ['$6 \\times 7 = 43$', '42'],
    ['4! = 25', '24'],
    ['2.5 million × 3 = 9 million', '7500000'],
    ['90 km / 3 h = 35 km/h', '30'],
    ['8 + 5 = 13 = 28 / 2', '14'],
    ['23 times 41 is 953', '943'],
    ['6 × 7\n= 43', '42'],
    ['8 + 5 = 14!', '13'],
    ['| sum | 8 + 5 = 14 |', '13'],
    ['It was 6 × 7 = 43, which is fine.', '42'],
    ['x = 6 × 7 = 43', '42'],
    ['Year 2 = 200 + 10 = 220', '210'],
    ['6 × 7 = 43 – a nice sum', '42'],
  ])('%j gives %s', (text, right) => {
    const [wrong, ...more] = wrongComputations(text);
    expect(more).toEqual([]);
    expect(wrong?.computed).toContain(right);
  });
});

describe('what is no computation', () => {
  it.each([
    '2023-11-05 = Sunday',
    '2023-11-05 is day 309',
    '5/11/2023 = 309',
    'FY 2021-2022 = 14%',
    '2-4 days is 3 on average',
    'pages 30-40 = 11 pages',
    'call 555-987-6543 = front desk',
    'version 2.4.1 - 1 = 7',
    'y = 12',
    '3x + 4 = 19',
    '3m + 4 = 19',
    '¾ x 3/3 = 9/12',
    'on 5/11/2023 - 4 = 7',
    'y + 8 + 5 = 20',
    'f(4) = 8 + 5',
    'g(8 + 5) = 9',
    'run `8 + 5 = 14;` now',
    '```\nconst sum = 8 + 5 = 14;\n```',
    'https://b.example/?q=8+5=14',
    '| 8 | 5 | = 14 |',
    '|---|---|',
    '3 weeks + 2 days = 23 days',
    '2 km + 300 m = 2,300 m',
    '250 g × 4 = 1 kg',
    '3 × 50 cents = $1.50',
    '23 / 7 = 3 remainder 2',
    '23 ÷ 7 = 3 R 2',
    '23÷7=3……2',
    '1 1/2 + 1 = 2 1/2',
    '2,5 + 1,5 = 4',
    '1 + 0,5 + 8 = 9,5',
    'Year 2 = 200 + 10',
    'log 1000 + 2 = 5',
    'the square root of 9 + 16 = 5',
    'half of 12 + 2 = 8',
    'R^2 = 0.81',
    'p = 0.05',
    '8 + 5 ≠ 14',
    '8 + 5 != 14',
    '8 + 5 >= 5',
    '8 + 5 -> 14',
    'at 09:30 + 2 = 11',
    'the 4-1 win is 1 of 10',
    'open 24/7 is 1 rule',
    '8 + 5 = 13 + y',
    '4 apples + 3 pears = 8 pieces',
    '12 in = 30.48 cm',
    '2022年增加8%为20',
    '增长了2-4%，是去年的3倍',
    'GPT-4 - 3 = 7',
    '7 / 0 = 0',
    '8 + 5 = 12 ± 1',
    '1e400^1e9 = 3',
  ])('%j', (text) => {
    expect(wrongComputations(text)).toEqual([]);
  });

  it('never throws, and needs little time for a long text', () => {
    const piece = fc.constantFrom(
      '1',
      '23',
      '4.5',
      '1,000',
      '+',
      '-',
      '*',
      '×',
      '/',
      '^',
      '(',
      ')',
      '=',
      '≈',
      '%',
      '$',
    );
    const word = fc.constantFrom(' ', 'is', 'of', 'kg', '元', '等于', '**', '|', '\n', '!', 'x', '`', 'million', '.');
    fc.assert(
      fc.property(fc.array(fc.oneof(piece, word), { maxLength: 40 }), (parts) => {
        wrongComputations(parts.join(''));
      }),
      { numRuns: 2_000 },
    );
    const started = performance.now();
    for (const part of ['8 + 5 = 13 and ', '(', '1 + ', '* ', '= ', '8 of ', '\\frac{', 'x '])
      wrongComputations(part.repeat(5_000));
    expect(performance.now() - started).toBeLessThan(5_000);
  });
});

it('tells every true sum from every false one', () => {
  const sum = fc.tuple(
    fc.integer({ min: 0, max: 9_999 }),
    fc.integer({ min: 1, max: 999 }),
    fc.integer({ min: 1, max: 50 }),
  );
  fc.assert(
    fc.property(sum, ([a, b, off]) => {
      const text = (result: number): string =>
        `Adding up, ${a.toLocaleString('en-US')} + ${b} = ${result}, as it must.`;
      expect(wrongComputations(text(a + b))).toEqual([]);
      expect(wrongComputations(text(a + b + off))).toHaveLength(1);
    }),
  );
});

it('reports a computation once, with the claim it stands in', async () => {
  const attempt = attemptWith({
    answer: 'All in all 6 × 7 = 43. And 8 + 5 = 14.',
    claims: [{ text: '6 × 7 = 43', evidence: [] }],
  });
  const issues = await arithmetic.run(attempt, { input: 'x', constraints: [], checks: [] }, offlineContext());
  expect(issues).toMatchObject([
    { type: 'wrong_computation', claim: '6 × 7 = 43', detail: expect.stringContaining('6 × 7 is 42') },
    { type: 'wrong_computation', detail: expect.stringContaining('8 + 5 is 13') },
  ]);
  expect(issues[1]).not.toHaveProperty('claim');
});

describe('units', () => {
  it.each([
    ['72 km/h = 25 m/s', '20 m/s'],
    ['5 km = 500 m', '5000 m'],
    ['2.5 kg is 250 g', '2500 g'],
    ['2 kg + 300 g = 5 kg', '2.3 kg'],
    ['30 min × 60 km/h = 1800 km', '30 km'],
    ['3 h × 60 km/h = 180 m', '180000 m'],
    ['90 km / 3 h = 30 m/s', '8.33333 m/s'],
    ['90 minutes = 2.5 hours', '1.5 hours'],
    ['1 GB = 100 MB', '1000 MB'],
    ['5 lb ≈ 3.5 kg', '2.26796 kg'],
    ['5公里等于500米', '5000 米'],
    ['3天等于36小时', '72 小时'],
    ['$5 + €5 = $10', 'exchange rate'],
    ['12元 + 5美元 = 17元', 'exchange rate'],
  ])('%j do not fit', (text, right) => {
    expect(wrongConversions(text)).toMatchObject([{ computed: expect.stringContaining(right) }]);
  });

  it.each([
    '72 km/h = 20 m/s',
    '20 m/s = 72 km/h',
    '2 kg + 300 g = 2.3 kg',
    '30 min × 60 km/h = 30 km',
    '5 mi = 8 km',
    '1 lb = 0.45 kg',
    '1 GB = 1024 MB and 1.5 GB = 1500 MB',
    '2 days = 16 hours, 1 week = 5 days',
    '1 month = 30 days',
    '$5 + €5 = $10.50',
    'The 5 km race is 3000 m longer',
    '30 min is 5 min more than 25 min',
    'From 5 kg to 3 kg = 2 kg',
    '8 oz = 240 ml',
    '2 m = 120 s',
    '1斤=500克，一共 3 小时 = 180 分钟',
  ])('%j fit or are not known to', (text) => {
    expect(wrongConversions(text)).toEqual([]);
    expect(wrongComputations(text)).toEqual([]);
  });

  it('are part of the check', async () => {
    const attempt = attemptWith({ answer: 'That is 72 km/h = 25 m/s.' });
    const task = { input: 'x', constraints: [], checks: [] };
    expect(await arithmetic.run(attempt, task, offlineContext())).toMatchObject([{ type: 'wrong_computation' }]);
  });
});
