import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cleanLine, cleanText, escapeHidden } from './clean.ts';

test('escape sequences cannot move the cursor, colour text or set a title', () => {
  expect(cleanText('a\x1b[2J\x1b[31mb\x1b]0;title\x07c\x1b[0m')).toBe('abc');
  expect(cleanText('one\rtwo\x08\x7f')).toBe('one\ntwo');
});

test('characters that reorder or hide text are dropped', () => {
  expect(cleanText('pay \u202e001\u202c now\u200b\u2066\ufeff')).toBe('pay 001 now');
  expect(cleanText('tag\u{e0041}\u{e0042}ged')).toBe('tagged');
});

test('lines stay lines in a text and become spaces in a line', () => {
  expect(cleanText('a\r\nb\u2028c\td')).toBe('a\nb\nc  d');
  expect(cleanLine('  a\r\nb\u2028c\td ')).toBe('a b c d');
});

test('Chinese, accents and emoji are left as they are', () => {
  expect(cleanText('灯具 café 👩‍🚀 naïve')).toBe('灯具 café 👩‍🚀 naïve');
});

test('nothing a terminal acts on survives, whatever the text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(cleanText(text)).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
    }),
  );
});

test('what a human approves shows every hidden character by its number', () => {
  expect(escapeHidden('rm\u202e x\u0007\u00a0y\n')).toBe('rm\\u{202e} x\\u{7}\\u{a0}y\\u{a}');
  expect(escapeHidden('价格 12')).toBe('价格 12');
});

test('no character that a reader could not see is left in what a human approves', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(escapeHidden(text)).not.toMatch(
        /[\u0000-\u001f\u007f-\u00a0\u200b\u200e\u200f\u2028-\u202f\u2060-\u2069]/,
      );
    }),
  );
});
