import { describe, expect, it } from 'vitest';
import { maxResultLength, readResult } from './results.ts';

function read(result: unknown): unknown {
  return readResult(result, 's');
}

describe('readResult', () => {
  it('joins texts, and labels what is no text with its type and size', () => {
    const png = Buffer.alloc(100).toString('base64');
    const content = [
      { type: 'text', text: 'One.' },
      { type: 'image', data: png, mimeType: 'image/png' },
      { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' },
      { type: 'resource', resource: { uri: 'file:///a.txt', mimeType: 'text/plain', text: 'Inside.' } },
      { type: 'resource', resource: { uri: 'file:///b.bin', blob: png } },
      { type: 'resource_link', uri: 'https://x.example/', name: 'Home', description: 'The\nfirst [page]' },
    ];
    expect(read({ content })).toBe(
      [
        'One.',
        '[image, image/png, 100 bytes]',
        '[audio, audio/wav, 3 bytes]',
        '[resource file:///a.txt, text/plain]',
        'Inside.',
        '[resource file:///b.bin, no type, 100 bytes]',
        '[link https://x.example/, Home, The first page]',
      ].join('\n'),
    );
  });

  it('gives the structured value once, whether or not the text repeats it', () => {
    const value = { rows: [1, 2] };
    expect(read({ content: [], structuredContent: value })).toEqual(value);
    expect(read({ content: [{ type: 'text', text: '{ "rows": [1, 2] }' }], structuredContent: value })).toEqual(value);
    expect(read({ content: [{ type: 'text', text: 'Two rows.' }], structuredContent: value })).toBe(
      'Two rows.\n\nStructured content: {\n  "rows": [\n    1,\n    2\n  ]\n}',
    );
    expect(read({ toolResult: 7 })).toBe(7);
  });

  it('throws what the server calls an error', () => {
    expect(() => read({ content: [{ type: 'text', text: 'no such row' }], isError: true })).toThrow(/^no such row$/);
    expect(() => read({ structuredContent: { code: 4 }, isError: true })).toThrow('{"code":4}');
    expect(() => read({ content: [], isError: true })).toThrow('gave no reason');
  });

  it('names parts that it cannot read, and refuses what is no result', () => {
    const content = [{ type: 'text' }, { type: 'hologram\n]', data: 1 }, 'bare', null, { type: 'image', data: 4 }];
    expect(read({ content })).toBe(
      [
        '[a part of type text that cannot be read]',
        '[a part of type hologram that cannot be read]',
        '[a part of type nameless that cannot be read]',
        '[a part of type nameless that cannot be read]',
        '[a part of type image that cannot be read]',
      ].join('\n'),
    );
    for (const wrong of [{}, { content: 'text' }, null, { content: [], isError: 'yes' }, { task: { taskId: 't' } }]) {
      expect(() => read(wrong), JSON.stringify(wrong)).toThrow('"s" answered with something that is no tool result');
    }
  });

  it('takes results up to the limit and no larger ones', () => {
    const text = 'x'.repeat(maxResultLength);
    expect(read({ content: [{ type: 'text', text }] })).toHaveLength(maxResultLength);
    expect(() => read({ content: [{ type: 'text', text: `${text}x` }] })).toThrow('ask for less');
  });
});
