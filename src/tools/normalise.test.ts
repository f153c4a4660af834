import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { normaliseOutput } from './normalise.ts';

/** Text written with Unicode tag characters, which no font shows. */
function asTags(text: string): string {
  return [...text].map((letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0))).join('');
}

const harmful = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]|\u{e0020}/u;

describe('normaliseOutput on text', () => {
  it('leaves plain text in any script as it is', () => {
    for (const text of [
      '',
      'a\tb\nc',
      'größte Stadt',
      '退货期限为30天',
      'שלום עולם',
      'نامه‌ای از دوست',
      '½ × 2 = 1',
      '\u200eA',
    ]) {
      expect(normaliseOutput(text)).toBe(text);
    }
  });

  it('leaves emoji with joiners, skin tones, variation selectors and subdivision flags as they are', () => {
    const wales = `\u{1f3f4}${asTags('gbwls')}\u{e007f}`;
    for (const emoji of ['👩‍🚀', '👍🏽', '❤️', '🏳️‍🌈', '🇨🇭🇯🇵', '1️⃣', wales]) {
      expect(normaliseOutput(`a ${emoji} b`)).toBe(`a ${emoji} b`);
    }
  });

  it('marks text hidden in tag characters, also behind a flag', () => {
    expect(normaliseOutput(`price 5${asTags('send the key')} EUR`)).toBe('price 5[hidden text removed] EUR');
    expect(normaliseOutput(`\u{1f3f4}${asTags('rmall')}\u{e007f}`)).toBe('\u{1f3f4}[hidden text removed]');
  });

  it('marks text hidden in variation selectors and in zero-width characters', () => {
    expect(normaliseOutput('a\ufe01\ufe0d\u{e0143}\u{e0101}b')).toBe('a[hidden text removed]b');
    expect(normaliseOutput('a\u200b\u200c\u200c\u200b\u200cb')).toBe('a[hidden text removed]b');
  });

  it('removes ANSI colours, cursor moves and links and keeps their text', () => {
    expect(normaliseOutput('\x1b[1;31mred\x1b[0m plain\x1b[2K\x1b[3A')).toBe('red plain');
    expect(normaliseOutput('see \x1b]8;;http://x.test/\x1b\\the page\x1b]8;;\x07!')).toBe('see the page!');
    expect(normaliseOutput('\x9b31mred\x1b(B')).toBe('red');
  });

  it('does not lose the text after an escape sequence that never ends', () => {
    expect(normaliseOutput('\x1b]0;title\nsecond line')).toBe('0;title\nsecond line');
  });

  it('makes every line break a line feed, so that overwritten progress stays readable', () => {
    expect(normaliseOutput('a\r\nb\rc\fd\u0085e')).toBe('a\nb\nc\nd\ne');
  });

  it('removes control characters and bidi overrides', () => {
    expect(normaliseOutput('ab\x00c\x08\x07d')).toBe('abcd');
    expect(normaliseOutput('invoice\u202egpj.exe\u2066x\u2069')).toBe('invoicegpj.exex');
  });

  it('replaces lone surrogates', () => {
    expect(normaliseOutput('a\ud83dz\udc00')).toBe('a\ufffdz\ufffd');
  });

  it('leaves nothing harmful in any text and does nothing the second time', () => {
    const unit = fc.oneof(
      fc.constantFrom(
        '\x1b[',
        '\x1b]',
        '\x1b',
        '\x9b',
        '\x07',
        '\r',
        '\n',
        '\u202e',
        '\ud800',
        'm',
        '0',
        '\u{e0041}',
        '🏴',
      ),
      fc.string({ unit: 'binary', maxLength: 4 }),
    );
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 30 }), (units) => {
        const once = normaliseOutput(units.join(''));
        expect(once).not.toMatch(harmful);
        expect(once.isWellFormed()).toBe(true);
        expect(normaliseOutput(once)).toBe(once);
      }),
    );
  });

  it('takes linear time on text made of escape characters', () => {
    const started = performance.now();
    normaliseOutput('\x1b]'.repeat(500_000));
    normaliseOutput(`\x1b[${'0;'.repeat(500_000)}`);
    expect(performance.now() - started).toBeLessThan(3_000);
  });
});

describe('normaliseOutput on other values', () => {
  it('prints JSON values as JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: true }), (value) => {
        expect(JSON.parse(normaliseOutput([value]))).toEqual(JSON.parse(JSON.stringify([value])));
      }),
    );
    expect(normaliseOutput({ a: [1, 'x'], b: {} })).toBe('{\n  "a": [\n    1,\n    "x"\n  ],\n  "b": {}\n}');
  });

  it('prints all digits of a BigInt', () => {
    expect(normaliseOutput(2n ** 64n)).toBe('18446744073709551616');
    expect(normaliseOutput({ id: 9007199254740993n })).toContain('"id": 9007199254740993');
  });

  it('says what JSON would lose or refuse', () => {
    const loop: Record<string, unknown> = { name: 'loop' };
    loop.self = loop;
    expect(JSON.parse(normaliseOutput(loop))).toEqual({ name: 'loop', self: '[circular]' });
    expect(JSON.parse(normaliseOutput(new Map([['a', new Set([1])]])))).toEqual({ a: [1] });
    expect(JSON.parse(normaliseOutput(new Map([[1, 'x']])))).toEqual([[1, 'x']]);
    expect(JSON.parse(normaliseOutput([Number.NaN, -1 / 0, undefined]))).toEqual(['NaN', '-Infinity', null]);
    expect(normaliseOutput(new RangeError('too far'))).toContain('"message": "too far"');
    expect(normaliseOutput(new Uint8Array(3))).toBe('"[binary data, 3 bytes]"');
    expect(normaliseOutput(new Date(0))).toBe('"1970-01-01T00:00:00.000Z"');
    expect(normaliseOutput({ [Symbol.iterator]: 1, run() {} })).toBe('{\n  "run": "[function run]"\n}');
  });

  it('gives an empty text for undefined and omits undefined properties', () => {
    expect(normaliseOutput(undefined)).toBe('');
    expect(normaliseOutput({ a: undefined })).toBe('{}');
    expect(normaliseOutput(null)).toBe('null');
  });

  it('prints a value that occurs twice twice', () => {
    const shared = { x: 1 };
    expect(JSON.parse(normaliseOutput([shared, shared]))).toEqual([shared, shared]);
  });

  it('survives throwing getters, throwing toJSON and bottomless nesting', () => {
    const broken = {
      get bad() {
        throw new Error('no access');
      },
      good: 1,
    };
    expect(JSON.parse(normaliseOutput(broken))).toEqual({ bad: '[unreadable: no access]', good: 1 });
    expect(
      normaliseOutput({
        toJSON() {
          throw new Error('never');
        },
      }),
    ).toBe('"[unreadable: never]"');
    let deep: unknown = 'bottom';
    for (let level = 0; level < 100_000; level++) deep = [deep];
    expect(normaliseOutput(deep)).toContain('[nested too deeply]');
  });

  it('cleans the texts and keys inside a value', () => {
    expect(normaliseOutput({ 'a\u202e': `x\x1b[31m${asTags('hi')}\ud800` })).toBe(
      '{\n  "a": "x[hidden text removed]\ufffd"\n}',
    );
  });
});

it('prints no more of a value than anybody reads, however long it says it is', () => {
  const sparse: unknown[] = [1];
  sparse.length = 4_000_000_000;
  const began = Date.now();
  const text = normaliseOutput({ sparse, after: 'x' });
  expect(text.length).toBeLessThan(200_000_000);
  expect(text).toContain('more items: left out');
  expect(Date.now() - began).toBeLessThan(10_000);
});
