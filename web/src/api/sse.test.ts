import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type StreamMessage, StreamParser } from './sse.ts';

const parsed = (text: string): StreamMessage[] => new StreamParser().push(text);

describe('an event stream', () => {
  it.each([
    ['a message', 'data: a\n\n', [{ event: 'message', data: 'a', id: undefined }]],
    ['several lines of data', 'data: a\ndata: b\n\n', [{ event: 'message', data: 'a\nb', id: undefined }]],
    ['a name and an id', 'event: x\nid: 7\ndata:a\n\n', [{ event: 'x', data: 'a', id: '7' }]],
    ['CRLF', 'data: a\r\n\r\n', [{ event: 'message', data: 'a', id: undefined }]],
    ['signs of life', ': alive\n\n: alive\n\n', []],
    ['a message that is not over', 'data: a\n', []],
  ])('gives %s', (_, text, messages) => {
    expect(parsed(text)).toEqual(messages);
  });

  it('keeps the last id for the messages behind it', () => {
    expect(parsed('id: 1\ndata: a\n\ndata: b\n\n').map(({ id }) => id)).toEqual(['1', '1']);
  });

  it('tells how long to wait before coming back', () => {
    const parser = new StreamParser();
    parser.push('retry: 2500\n\n');
    expect(parser.retryMs).toBe(2_500);
  });

  it('comes out the same wherever its pieces are cut', () => {
    const line = fc.constantFrom('data: a', 'data: {"x":1}', 'id: 3', 'event: e', ': c', '', 'retry: 10', 'data');
    const text = fc
      .tuple(fc.array(line, { maxLength: 20 }), fc.constantFrom('\n', '\r\n'))
      .map(([lines, end]) => lines.map((one) => one + end).join('') + end);
    fc.assert(
      fc.property(text, fc.array(fc.nat(200), { maxLength: 8 }), (whole, places) => {
        const cuts = [0, ...places.map((place) => place % (whole.length + 1)).sort((a, b) => a - b), whole.length];
        const parser = new StreamParser();
        const pieces = cuts.slice(1).flatMap((to, index) => parser.push(whole.slice(cuts[index], to)));
        expect(pieces).toEqual(parsed(whole));
      }),
    );
  });
});
