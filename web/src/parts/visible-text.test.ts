import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { beginning, visiblePieces, visibleText } from './visible-text.ts';

describe('a text of a stranger', () => {
  it.each([
    ['right-to-left override', 'pay\u202e001 EUR', 'pay⟨U+202E⟩001 EUR'],
    ['zero-width space', 'ad\u200bmin', 'ad⟨U+200B⟩min'],
    ['ANSI colours', '\u001b[31mred\u001b[0m', '⟨ESC[31m⟩red⟨ESC[0m⟩'],
    ['a bare escape', '\u001bP', '⟨U+001B⟩P'],
    ['tag characters', `ok${String.fromCodePoint(0xe0041)}`, 'ok⟨U+E0041⟩'],
    ['a byte order mark', '\ufeffx', '⟨U+FEFF⟩x'],
    ['blank letters', 'a\u3164b\u2060', 'a⟨U+3164⟩b⟨U+2060⟩'],
    ['bytes hidden in variations', 'a\ufe0f\ufe01\u{e0101}', 'a\ufe0f⟨U+FE01⟩⟨U+E0101⟩'],
    ['joiners that join nothing', 'pay\u200dpal \u200c', 'pay⟨U+200D⟩pal ⟨U+200C⟩'],
    ['half a character', 'a\ud800b', 'a⟨U+D800⟩b'],
    ['emoji of several as they are', '👩🏽‍⚕️ 👨‍👩‍👧 ❤️‍🔥', '👩🏽‍⚕️ 👨‍👩‍👧 ❤️‍🔥'],
    ['joiners between letters they shape as they are', 'می‌خواهم क्‍ष', 'می‌خواهم क्‍ष'],
    ['line ends and tabs as they are', 'a\n\tb\r\n', 'a\n\tb\r\n'],
    ['other scripts as they are', '价格 שלום مرحبا 👍🏽', '价格 שלום مرحبا 👍🏽'],
  ])('shows %s', (_, text, shown) => {
    expect(visibleText(text)).toBe(shown);
  });

  it('loses nothing that can be seen, and shows nothing that hides', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const shown = visiblePieces(text).flatMap((piece) => (piece.type === 'text' ? [piece.text] : []));
        for (const piece of shown) expect(visibleText(piece)).toBe(piece);
        expect(text.replace(/\P{Letter}/gu, '')).toBe(shown.join('').replace(/\P{Letter}/gu, ''));
      }),
    );
  });

  it('is cut between characters', () => {
    expect(beginning('a😀b', 2)).toBe('a');
    expect(beginning('a😀b', 3)).toBe('a😀');
  });
});
