import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from './json.ts';
import { append, seal, transcriptOf, userMessage } from './transcript.ts';

describe('transcript', () => {
  it('leaves the shorter one as it was', () => {
    const short = transcriptOf(userMessage('a'));
    const long = append(short, userMessage('b'));
    expect(short.messages).toHaveLength(1);
    expect(long.messages).toHaveLength(2);
    expect(seal(long).fingerprint).not.toBe(seal(short).fingerprint);
  });

  it('gives equal fingerprints to histories that grew alike, and different ones to different texts', () => {
    const text = fc.string({ minLength: 1 });
    const turn = fc.record({ text, sealed: fc.boolean() });
    fc.assert(
      fc.property(fc.array(turn, { minLength: 1 }), text, (turns, other) => {
        const grown = (first: string) =>
          turns.reduce((made, { text, sealed }, at) => {
            const longer = append(made, userMessage(at === 0 ? first : text));
            return sealed ? seal(longer) : longer;
          }, transcriptOf());
        const first = turns[0]?.text ?? '';
        expect(seal(grown(first))).toEqual(seal(grown(first)));
        if (other !== first) expect(seal(grown(other)).fingerprint).not.toBe(seal(grown(first)).fingerprint);
      }),
    );
  });
});

describe('canonicalJson', () => {
  it('does not see the order of keys, and sees everything else', () => {
    expect(canonicalJson({ b: [1, { d: null, c: 'x' }], a: true })).toBe('{"a":true,"b":[1,{"c":"x","d":null}]}');
    expect(canonicalJson({ a: undefined })).toBe('{}');
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        const turned = Object.fromEntries(Object.entries(value).reverse());
        expect(canonicalJson(turned)).toBe(canonicalJson(value));
      }),
    );
  });
});
