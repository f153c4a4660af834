import fc from 'fast-check';
import { expect, test } from 'vitest';
import { originalText, storedKey, storedText } from './stored-text.ts';

/** Of code units, so that NUL and halves of surrogate pairs are among them. */
const units = fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code));
const texts = fc.string({ unit: fc.oneof(units, fc.constantFrom('\u0000', '\ud800', '\udc00', '\\', '"', 'u', '0')) });

test('every text is stored as one that PostgreSQL takes, and comes back', () => {
  fc.assert(
    fc.property(texts, (text) => {
      const stored = storedText(text);
      expect(stored).not.toContain('\u0000');
      expect(stored.isWellFormed()).toBe(true);
      expect(originalText(stored)).toBe(text);
    }),
  );
});

test('an ordinary text is stored as it is', () => {
  expect(storedKey('trial-2/samples/1:tool.call#3')).toBe('trial-2/samples/1:tool.call#3');
  expect(storedKey('发票 🚢')).toBe('发票 🚢');
});

test('keys fit an index, and different texts have different ones', () => {
  const long = 'é'.repeat(5_000);
  const near = ['a', 'a"', 'a\\"', long, `${long}1`, storedKey(`${long}2`), `${long}2`];
  expect(new Set(near.map(storedKey)).size).toBe(near.length);
  const longest = ['\u0000', 'é', '票', '\u{1f600}'].map((unit) => unit.repeat(250 / unit.length));
  for (const text of [...near, ...longest]) expect(Buffer.byteLength(storedKey(text))).toBeLessThan(1_300);
});
