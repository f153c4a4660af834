import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../../core/json.ts';
import { type Call, type ExpectedCall, mismatch } from './match-calls.ts';

const call = (args: Record<string, Json>, tool = 'f'): Call => ({ tool, args });
const fits = (args: Record<string, Json>, parameters: Record<string, Json[]>): boolean =>
  mismatch([call(args)], [{ f: parameters }]) === undefined;

describe('the values of a call', () => {
  it.each<[string, Json, Json[], boolean]>([
    ['one of the accepted', 'ft', ['feet', 'ft'], true],
    ['none of them', 'm', ['feet', 'ft'], false],
    ['text in another case, spacing and punctuation', 'april 1 2024', ['April 1, 2024'], true],
    ['text with other quotes', `the "x"`, [`the 'x'`], true],
    ['text with another letter', 'april 2 2024', ['April 1, 2024'], false],
    ['an integer for a float', 5, [5.0], true],
    ['a number for its text', 5, ['5'], false],
    ['text for a number', '5', [5], false],
    ['1 for true', 1, [true], false],
    ['null for the empty text', null, [''], false],
    ['a list', ['New York', 'Rome'], [['new york', 'rome']], true],
    ['a list in another order', ['Rome', 'New York'], [['new york', 'rome']], false],
    ['a list that is longer', ['a', 'b'], [['a']], false],
    [
      'a list of lists',
      [['A'], ['b']],
      [
        ['a', 'b'],
        [['a'], ['b']],
      ],
      true,
    ],
    ['an object with accepted values by key', { unit: 'FT' }, [{ unit: ['ft', 'm'] }], true],
    ['an object with a key too many', { unit: 'ft', x: 1 }, [{ unit: ['ft'] }], false],
    ['an object without a key that may be left out', { unit: 'ft' }, [{ unit: ['ft'], x: [1, ''] }], true],
    ['an object without a key that may not', { unit: 'ft' }, [{ unit: ['ft'], x: [1] }], false],
    ['a list of objects', [{ a: 1 }, { a: 2 }], [[{ a: [1] }, { a: [3, 2] }]], true],
    ['an object in an object', { a: { b: 'X' } }, [{ a: [{ b: ['x'] }] }], true],
    ['a list for an object', [], [{}], false],
  ])('%s', (_name, value, accepted, fit) => {
    expect(fits({ p: value }, { p: accepted })).toBe(fit);
  });

  it('may be left out only where the empty text is accepted', () => {
    expect(fits({}, { p: [1, ''] })).toBe(true);
    expect(fits({}, { p: [1] })).toBe(false);
  });

  it('may not be there unexpected, names of the prototype included', () => {
    expect(fits({ p: 1, q: 1 }, { p: [1] })).toBe(false);
    expect(fits({ constructor: 1 }, {})).toBe(false);
  });
});

describe('the calls of a task', () => {
  const expected: ExpectedCall[] = [{ 'math.add': { a: [1] } }, { f: { a: [1, 2] } }, { f: { a: [1] } }];

  it('come in any order, each for another expected call', () => {
    const calls = [call({ a: 1 }), call({ a: 1 }, 'math.add'), call({ a: 2 })];
    expect(mismatch(calls, expected)).toBeUndefined();
    expect(mismatch(calls.toReversed(), expected)).toBeUndefined();
  });

  it('are matched again where the first choice was wrong', () => {
    // The first call fits both; taken for `a: [1, 2]`, it leaves nothing for `a: [1]`.
    const calls = [call({ a: 1 }), call({ a: 2 })];
    expect(mismatch(calls, [{ f: { a: [1, 2] } }, { f: { a: [1] } }])).toBeUndefined();
  });

  it.each([
    ['too few', [call({ a: 1 })], '1 call was made, and 3 expected'],
    ['too many', [], '0 calls were made'],
    [
      'the same one twice for two',
      [call({ a: 1 }, 'math.add'), call({ a: 2 }), call({ a: 2 })],
      'a is 2, not one of [1]',
    ],
    ['another function', [call({ a: 1 }), call({ a: 1 }), call({ a: 1 }, 'math_add')], 'no call is {"math.add"'],
  ])('fail when they are %s', (_name, calls, why) => {
    expect(mismatch(calls, expected)).toContain(why);
  });

  it('match whatever the order of both sides, and never with one value changed to none that is accepted', () => {
    const values = fc.uniqueArray(fc.integer(), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(values, fc.infiniteStream(fc.nat()), (numbers, picks) => {
        const wanted = numbers.map((n): ExpectedCall => ({ f: { n: [n, n + 0.5] } }));
        const shuffled = numbers
          .map((n) => ({ n, at: picks.next().value }))
          .sort((a, b) => a.at - b.at)
          .map(({ n }) => call({ n }));
        expect(mismatch(shuffled, wanted)).toBeUndefined();
        expect(mismatch([...shuffled.slice(1), call({ n: 0.25 })], wanted)).toBeDefined();
      }),
    );
  });
});
