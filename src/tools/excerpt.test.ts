import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { excerpt } from './excerpt.ts';

function readAll(content: string, max: number): string[] {
  const parts: string[] = [];
  for (let from = 0; from < content.length; ) {
    const part = excerpt(content, { max, from });
    expect(part.from).toBe(from);
    expect(part.to).toBeGreaterThan(from);
    parts.push(part.text);
    from = part.to;
  }
  return parts;
}

const someText = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        'word ',
        'line\n',
        '👩‍👩‍👦',
        '🇨🇭🇯🇵',
        'e\u0301',
        '👍🏿',
        '你好。',
        '\r\n',
        '🏳️‍🌈',
        '\ud800',
        '𝔘',
        ' \u0301',
      ),
      fc.string({ unit: 'binary', maxLength: 5 }),
    ),
    { maxLength: 40 },
  )
  .map((parts) => parts.join(''));

describe('excerpt', () => {
  it('gives a short text whole', () => {
    expect(excerpt('short', { max: 5 })).toEqual({ text: 'short', from: 0, to: 5, total: 5 });
    expect(excerpt('', { max: 5 })).toEqual({ text: '', from: 0, to: 0, total: 0 });
  });

  it('ends after a line when one ends near the limit', () => {
    const part = excerpt('first line here\nsecond line', { max: 18 });
    expect(part.text).toBe('first line here\n');
  });

  it('ends after a word when no line ends near the limit', () => {
    expect(excerpt('alpha beta gamma delta', { max: 19 }).text).toBe('alpha beta gamma ');
    expect(excerpt('今天天气很好，明天下雨吗', { max: 8 }).text).toBe('今天天气很好，');
  });

  it('does not give up most of the room for a far line end', () => {
    expect(excerpt(`a\n${'x'.repeat(100)}`, { max: 50 }).text).toHaveLength(50);
  });

  it('starts at a given offset, also beyond the end and inside a surrogate pair', () => {
    expect(excerpt('0123456789', { max: 4, from: 6 })).toEqual({ text: '6789', from: 6, to: 10, total: 10 });
    expect(excerpt('abc', { max: 4, from: 99 })).toEqual({ text: '', from: 3, to: 3, total: 3 });
    expect(excerpt('a😀b', { max: 9, from: 2 }).text).toBe('😀b');
  });

  it('never cuts an emoji, and gives one that is longer than the limit whole', () => {
    const family = '👩‍👩‍👧‍👦';
    expect(excerpt(`ab${family}`, { max: 8 }).text).toBe('ab');
    expect(excerpt(`${family}ab`, { max: 3 }).text).toBe(family);
    expect(readAll('🇨🇭🇯🇵🇧🇷🇰🇪', 6)).toEqual(['🇨🇭', '🇯🇵', '🇧🇷', '🇰🇪']);
  });

  it('is bounded when one character has thousands of marks', () => {
    const parts = readAll(`a${'\u0301'.repeat(5_000)}`, 100);
    expect(Math.max(...parts.map((part) => part.length))).toBeLessThanOrEqual(100);
    const pairs = readAll(`ab${'\u{1d165}'.repeat(500)}`, 99);
    expect(pairs.every((part) => part.isWellFormed() && part.length <= 99)).toBe(true);
  });

  it('covers any text without loss when read on from `to`', () => {
    fc.assert(
      fc.property(someText, fc.integer({ min: 1, max: 60 }), (content, max) => {
        const parts = readAll(content, max);
        expect(parts.join('')).toBe(content);
      }),
    );
  });

  it('keeps the limit except for a single character, and cuts between characters only', () => {
    const characters = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
    fc.assert(
      fc.property(someText, fc.integer({ min: 1, max: 60 }), (content, max) => {
        const starts = new Set([...characters.segment(content)].map(({ index }) => index));
        const part = excerpt(content, { max });
        const single = [...characters.segment(part.text)].length === 1;
        if (part.text.length > max) expect(single).toBe(true);
        expect(part.to === content.length || starts.has(part.to)).toBe(true);
      }),
    );
  });
});
