import { expect, test } from 'vitest';
import { styleFor, wantsColours } from './style.ts';

const terminal = { isTTY: true };
const file = { isTTY: undefined };

test('a terminal gets colours, a file does not', () => {
  expect(wantsColours(terminal, {})).toBe(true);
  expect(wantsColours(file, {})).toBe(false);
  expect(wantsColours(terminal, { TERM: 'dumb' })).toBe(false);
});

test('NO_COLOR takes them, FORCE_COLOR gives them, and wins', () => {
  expect(wantsColours(terminal, { NO_COLOR: '1' })).toBe(false);
  expect(wantsColours(terminal, { NO_COLOR: '' })).toBe(true);
  expect(wantsColours(file, { FORCE_COLOR: '1' })).toBe(true);
  expect(wantsColours(terminal, { FORCE_COLOR: '0' })).toBe(false);
  expect(wantsColours(file, { FORCE_COLOR: '1', NO_COLOR: '1' })).toBe(true);
});

test('without colours a text is left as it is', () => {
  expect(styleFor(false).red('no')).toBe('no');
  expect(styleFor(true).red('no')).toBe('\x1b[31mno\x1b[39m');
});
