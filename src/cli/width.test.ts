import fc from 'fast-check';
import { expect, test } from 'vitest';
import { styleFor } from './style.ts';
import { cut, pad, widthOf, wrap } from './width.ts';

const words = fc
  .array(fc.stringMatching(/^[a-z0-9]{1,12}$|^[灯绳价目表订单运费]{1,9}$/), { minLength: 1 })
  .map((list) => list.join(' '));

test('wide characters take two columns, marks and joiners none', () => {
  expect(widthOf('abc')).toBe(3);
  expect(widthOf('价目表')).toBe(6);
  expect(widthOf('e\u0301')).toBe(1);
  expect(widthOf('👩‍🚀')).toBe(2);
  expect(widthOf('，')).toBe(2);
});

test('style sequences take no columns', () => {
  expect(widthOf(styleFor(true).green('ok'))).toBe(2);
});

test('a cut text fits and says that it was cut', () => {
  expect(cut('short', 10)).toBe('short');
  expect(cut('a longer text', 8)).toBe('a longe…');
  expect(widthOf(cut('灯绳商行价目表', 7))).toBeLessThanOrEqual(7);
  expect(pad('价', 4)).toBe('价  ');
});

test('wrapped lines fit and lose nothing', () => {
  fc.assert(
    fc.property(words, fc.integer({ min: 12, max: 60 }), (text, columns) => {
      const lines = wrap(text, columns);
      for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(columns);
      expect(lines.join('').replaceAll(' ', '')).toBe(text.replaceAll(' ', ''));
    }),
  );
});

test('words are kept whole, Chinese breaks between characters, a comma never begins a line', () => {
  expect(wrap('alpha beta gamma', 11)).toEqual(['alpha beta', 'gamma']);
  expect(wrap('一二三四五，六七', 10)).toEqual(['一二三四', '五，六七']);
});

test('a word longer than a line is split, and an indented paragraph stays indented', () => {
  expect(wrap('x'.repeat(25), 10)).toEqual(['x'.repeat(10), 'x'.repeat(10), 'x'.repeat(5)]);
  expect(wrap('    one two three', 12)).toEqual(['    one two', '    three']);
});

test('empty lines stay', () => {
  expect(wrap('a\n\nb', 20)).toEqual(['a', '', 'b']);
});
