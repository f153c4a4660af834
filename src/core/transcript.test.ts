import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from './json.ts';
import { append, transcriptOf, userMessage } from './transcript.ts';

describe('transcript', () => {
  it('leaves the shorter one as it was', () => {
    const short = transcriptOf(userMessage('a'));
    const long = append(short, userMessage('b'));
    expect(short.messages).toHaveLength(1);
    expect(long.messages).toHaveLength(2);
    expect(long.fingerprint).not.toBe(short.fingerprint);
  });

  it('gives equal fingerprints to equal histories, and different ones to different texts', () => {
    const text = fc.string({ minLength: 1 });
    fc.assert(
      fc.property(fc.array(text, { minLength: 1 }), text, (texts, other) => {
        const build = (items: string[]) =>
          items.reduce((made, item) => append(made, userMessage(item)), transcriptOf());
        expect(build(texts).fingerprint).toBe(build([...texts]).fingerprint);
        if (other !== texts[0])
          expect(build([other, ...texts.slice(1)]).fingerprint).not.toBe(build(texts).fingerprint);
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
