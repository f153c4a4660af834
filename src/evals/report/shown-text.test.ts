import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nastyTexts } from './report-fixture.ts';
import { cutText, shownLine, shownText } from './shown-text.ts';

const unseen = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b\u202a-\u202e\u2066-\u2069\ufeff\ufffe\uffff]/;

describe('shownText', () => {
  it('writes out what a reader could not see', () => {
    expect(shownText('abc\u202etxt\u200b \u0000')).toBe('abc\\u{202e}txt\\u{200b} \\u{0}');
    expect(shownText('\u001b[31mred\u001b[0m')).toBe('red');
  });

  it('leaves languages, emoji and lines alone', () => {
    const text = '价格是 4,386\nשלום 👩‍👩‍👧 é';
    expect(shownText(text)).toBe(text);
  });

  it('leaves nothing that hides, reorders or breaks, whatever is put in', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom(...nastyTexts)), fc.nat(50), (text, most) => {
        for (const shown of [shownText(text), shownLine(text, most + 1)]) {
          expect(shown).not.toMatch(unseen);
          expect(shown.isWellFormed()).toBe(true);
        }
        expect(shownLine(text, most + 1).length).toBeLessThanOrEqual(most + 1);
        expect(shownLine(text, most + 1)).not.toMatch(/[\n\t]/);
      }),
    );
  });

  it('cuts no character in two', () => {
    expect(cutText('ab👩cd', 4)).toBe('ab…');
  });
});
