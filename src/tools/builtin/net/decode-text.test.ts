import { describe, expect, it } from 'vitest';
import { decodeText } from './decode-text.ts';

function text(body: Uint8Array, charset?: string): string {
  return decodeText({ body, charset, truncated: false });
}

describe('decodeText', () => {
  it('follows the charset of the header', () => {
    expect(text(Uint8Array.of(0xd6, 0xd0), 'gb2312')).toBe('中');
    expect(text(Uint8Array.of(0x82, 0xa0), 'Shift_JIS')).toBe('あ');
  });

  it('follows a charset declared in the document when the header names none or an unknown one', () => {
    const html = Buffer.from('<meta http-equiv="x" content="text/html; charset=iso-8859-2">\xb1', 'latin1');
    expect(text(html)).toMatch(/ą$/);
    expect(text(html, 'no-such-charset')).toMatch(/ą$/);
    expect(text(Buffer.from('<?xml version="1.0" encoding="koi8-r"?>\xc1', 'latin1'))).toMatch(/а$/);
  });

  it('lets a byte order mark win and removes it', () => {
    expect(text(Buffer.from('\ufeffhé', 'utf8'), 'latin1')).toBe('hé');
    expect(text(Buffer.from('\ufeffhé', 'utf16le'))).toBe('hé');
  });

  it('takes UTF-8 without a declaration, and windows-1252 when that does not fit', () => {
    expect(text(Buffer.from('naïve 中'))).toBe('naïve 中');
    expect(text(Uint8Array.of(0x80, 0x6e, 0xe9))).toBe('€né');
  });

  it('does not mind a UTF-8 text that was cut inside a character', () => {
    expect(decodeText({ body: Buffer.from('a中').subarray(0, 3), charset: undefined, truncated: true })).toBe('a');
  });
});
