import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { answerValue, expectedOf, gives, givesAll, isTelling, soughtIn, Text } from './expected-value.ts';

const nothing = new Text('');

describe('Text', () => {
  it('finds a number as a number, however it is written, and not inside another', () => {
    fc.assert(
      fc.property(fc.integer({ min: 10, max: 9_999_999 }), (number) => {
        const value = { text: String(number), number };
        expect(new Text(`It has ${number.toLocaleString('en')} of them.`).holds(value)).toBe(true);
        expect(new Text(`It has 1${number} of them.`).holds(value)).toBe(false);
        expect(new Text(`共有${number}个`).holds(value)).toBe(true);
      }),
    );
  });

  it('finds a text at word boundaries', () => {
    expect(new Text('He met Ann Lee there.').holds({ text: 'Ann Lee' })).toBe(true);
    expect(new Text('He met Joann Lee there.').holds({ text: 'Ann Lee' })).toBe(false);
    expect(new Text('负责人是林安达。').holds({ text: '林安达' })).toBe(true);
  });

  it('gives the lines of a value', () => {
    expect(new Text('a 41\nb 36').placesOf({ text: '36', number: 36 })).toEqual(['b 36']);
  });
});

describe('expected values', () => {
  it('has parts for a list, and none for what cannot be looked for', () => {
    expect(expectedOf(['a', 3])?.parts).toEqual([{ text: 'a' }, { text: '3', number: 3 }]);
    expect(expectedOf({ rows: 2 })).toBeUndefined();
    expect(expectedOf(['a', { b: 1 }])).toBeUndefined();
    expect(expectedOf(undefined)).toBeUndefined();
  });

  it('leaves out quotation marks, an article and a note in brackets', () => {
    expect(expectedOf('"Read It and Weep" (2006)')?.parts).toEqual([{ text: 'Read It and Weep' }]);
    expect(expectedOf('the Twist')?.parts).toEqual([{ text: 'Twist' }]);
  });

  it.each([
    ['The answer is 1,250.', 1250, true],
    ['It is 41 of 50', 41, false],
    ['It was Ann Lee.', 'Ann Lee', true],
    ['Ann', 'Ann Lee', false],
    ['yes', true, true],
    ['The yes vote won', true, false],
  ])('judges %o for %o: %o', (answer, expected, right) => {
    expect(givesAll(answer, expectedOf(expected) ?? { parts: [] })).toBe(right);
  });

  it('does not look for labels and digits, which stand everywhere', () => {
    for (const text of ['SUPPORTS', 'NOT ENOUGH INFO', 'B', '否']) expect(isTelling({ text }), text).toBe(false);
    expect(isTelling({ text: '7', number: 7 })).toBe(false);
    expect(isTelling({ text: '70', number: 70 })).toBe(true);
  });

  it('looks for the figures of a sentence that the task does not give', () => {
    const task = new Text('How long does train 30 take?');
    const sentence = { text: 'Train 30 of the northern line takes 88 minutes from one end to the other.' };
    expect(soughtIn(sentence, task)).toEqual([{ text: '88', number: 88 }]);
    expect(answerValue('Train 30 takes 98 minutes.', { parts: [sentence] }, task)).toEqual({ text: '98', number: 98 });
  });

  it('takes the value out of the words around it', () => {
    expect(answerValue('It was Ann Lee.', undefined, nothing)).toEqual({ text: 'ann lee' });
    expect(answerValue('是林安达。', { parts: [{ text: '林安达' }] }, nothing)).toEqual({ text: '林安达' });
    expect(gives('答案是12。', { text: '12', number: 12 })).toBe(true);
  });
});
