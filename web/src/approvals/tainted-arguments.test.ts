import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { argumentTexts, parseArguments, type TaintSource } from './tainted-arguments.ts';

const source = (at: string, text: string): TaintSource => ({
  at,
  text,
  source: 'obs-1 (readDoc)',
  observation: 'obs-1',
});

/** The marked words of the value at a place. */
function marked(args: unknown, sources: TaintSource[], at: string): string[] {
  const found = argumentTexts(args, sources).find((one) => one.at === at);
  return (found?.spans ?? []).map(({ from, to }) => found?.text.slice(from, to) ?? '');
}

describe('the arguments of a call that waits', () => {
  it('are told value by value, in their order, named as the server names them', () => {
    const args = { to: ['a@x.example', 'b@x.example'], mail: { subject: 'Hi', urgent: true, copies: 2, cc: [] } };
    expect(argumentTexts(args, []).map(({ at, text }) => `${at}=${text}`)).toEqual([
      'to[0]=a@x.example',
      'to[1]=b@x.example',
      'mail.subject=Hi',
      'mail.urgent=true',
      'mail.copies=2',
      'mail.cc=[]',
    ]);
  });

  it.each([
    ['as it is', 'Dear Ms Lindqvist,', 'Lindqvist', ['Lindqvist']],
    ['in another case', 'Dear Ms Lindqvist,', 'lindqvist', ['Lindqvist']],
    ['in another spacing', 'pay  to\nACME today', 'pay to acme', ['pay  to\nACME']],
    ['in another width', '发往ＡＣＭＥ', 'acme', ['ＡＣＭＥ']],
    ['through what is not seen', 'pay AC\u200bME now', 'acme', ['AC\u200bME']],
    ['behind characters of two units', '😀😀 acme', 'acme', ['acme']],
    ['each time', 'acme and acme', 'acme', ['acme', 'acme']],
    ['wholly where it is not found as it is', 'https://x.example/?q=%61cme', 'acme', ['https://x.example/?q=%61cme']],
  ])('have what came from elsewhere marked %s', (_, text, words, expected) => {
    expect(marked({ text }, [source('text', words)], 'text')).toEqual(expected);
  });

  it('are marked only where the source says', () => {
    const args = { to: 'acme', text: 'acme' };
    expect(marked(args, [source('to', 'acme')], 'text')).toEqual([]);
    expect(argumentTexts(args, [source('the name to', 'to')])[0]).toMatchObject({
      spans: [],
      sources: [{ text: 'to' }],
    });
  });

  it('are marked whole by themselves, whatever is in them', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (text) => {
        for (const { from, to } of argumentTexts({ text }, [source('text', text)])[0]?.spans ?? []) {
          expect(from).toBeLessThan(to);
          expect(to).toBeLessThanOrEqual(text.length);
        }
      }),
    );
  });
});

describe('arguments that somebody typed', () => {
  it('are an object, or it is said why not', () => {
    expect(parseArguments('{"to":"x"}')).toEqual({ ok: true, args: { to: 'x' } });
    expect(parseArguments('[1]')).toEqual({ ok: false, why: '' });
    expect(parseArguments('{"to":')).toMatchObject({ ok: false, why: expect.stringContaining('JSON') });
  });
});
