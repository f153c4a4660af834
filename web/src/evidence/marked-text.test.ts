import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { aroundMarks, type MarkedPiece, markedPieces, type Span } from './marked-text.ts';

/** A text with its marks in brackets. */
function shown(pieces: readonly MarkedPiece[]): string {
  return pieces.map(({ type, text }) => (type === 'mark' ? `[${text}]` : type === 'gap' ? '…' : text)).join('');
}

const span = fc.record({ from: fc.integer({ min: -3, max: 40 }), to: fc.integer({ min: -3, max: 40 }) });

describe('quotes in a text', () => {
  it.each<[what: string, text: string, spans: Span[], shown: string]>([
    ['one', 'total 42 EUR', [{ from: 6, to: 8 }], 'total [42] EUR'],
    ['none', 'total 42', [], 'total 42'],
    [
      'in any order',
      'a b c',
      [
        { from: 4, to: 5 },
        { from: 0, to: 1 },
      ],
      '[a] b [c]',
    ],
    [
      'that overlap as one',
      'abcdef',
      [
        { from: 1, to: 4 },
        { from: 2, to: 5 },
      ],
      'a[bcde]f',
    ],
    [
      'one inside another',
      'abcdef',
      [
        { from: 1, to: 5 },
        { from: 2, to: 3 },
      ],
      'a[bcde]f',
    ],
    [
      'that touch as one',
      'abcd',
      [
        { from: 0, to: 2 },
        { from: 2, to: 3 },
      ],
      '[abc]d',
    ],
    [
      'as far as the text goes',
      'abc',
      [
        { from: -5, to: 1 },
        { from: 2, to: 99 },
      ],
      '[a]b[c]',
    ],
    ['not where the text has ended', 'abc', [{ from: 7, to: 9 }], 'abc'],
    ['not where they end before they begin', 'abc', [{ from: 2, to: 1 }], 'abc'],
    ['counted in UTF-16 units', '😀 42 😀', [{ from: 3, to: 5 }], '😀 [42] 😀'],
    ['with whole characters', 'a😀b', [{ from: 2, to: 3 }], 'a[😀]b'],
    ['with whole characters at their end', 'a😀b', [{ from: 0, to: 2 }], '[a😀]b'],
    ['not at offsets that are no numbers', 'abc', [{ from: Number.NaN, to: Number.NaN }], 'abc'],
  ])('marks %s', (_, text, spans, result) => {
    expect(shown(markedPieces(text, spans))).toBe(result);
  });

  it('loses nothing of the text, and marks each unit of each span', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 30 }), fc.array(span, { maxLength: 5 }), (text, spans) => {
        const pieces = markedPieces(text, spans);
        expect(pieces.map((piece) => piece.text).join('')).toBe(text);
        const marked = new Set(
          pieces.flatMap(({ type, from, text: { length } }) =>
            type === 'mark' ? Array.from({ length }, (__, at) => from + at) : [],
          ),
        );
        for (const { from, to } of spans) {
          for (let at = Math.max(0, from); at < Math.min(to, text.length); at++) expect(marked).toContain(at);
        }
      }),
    );
  });
});

describe('a long text', () => {
  const around = (text: string, spans: Span[]): MarkedPiece[] => aroundMarks(markedPieces(text, spans), 3);

  it('is shown around its quotes', () => {
    const text = 'aaaaaaaaaaXbbbbbbbbbbbbbbbYcccccccccc';
    expect(
      shown(
        around(text, [
          { from: 10, to: 11 },
          { from: 26, to: 27 },
        ]),
      ),
    ).toBe('…aaa[X]bbb…bbb[Y]ccc…');
  });

  it('is whole where it is short, and where nothing is marked', () => {
    expect(shown(around('aaaaaX', [{ from: 5, to: 6 }]))).toBe('aaaaa[X]');
    expect(shown(around('aaaaaaaaaaaaaaaaaaaa', []))).toBe('aaaaaaaaaaaaaaaaaaaa');
  });

  it('is all there when the gaps are opened, and is cut between characters', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), fc.array(span, { maxLength: 3 }), (text, spans) => {
        const pieces = around(text, spans);
        expect(pieces.map((piece) => piece.text).join('')).toBe(text);
        if (text.isWellFormed()) for (const piece of pieces) expect(piece.text.isWellFormed()).toBe(true);
      }),
    );
  });
});
