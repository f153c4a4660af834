import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { idAtEnds, LineReader, parseLoosely } from './json-lines.ts';

function readAll(chunks: readonly Buffer[], limit: number): { lines: string[]; dropped: string[][] } {
  const lines: string[] = [];
  const dropped: string[][] = [];
  const reader = new LineReader(limit, { line: (text) => lines.push(text), dropped: (...ends) => dropped.push(ends) });
  for (const chunk of chunks) reader.add(chunk);
  return { lines, dropped };
}

describe('LineReader', () => {
  it('gives the same lines however they were cut, also within a character', () => {
    const line = fc.string({ unit: fc.constantFrom('a', '你', '😀', ' ', '{', '"') });
    fc.assert(
      fc.property(fc.array(line), fc.array(fc.nat(20), { minLength: 1 }), (lines, sizes) => {
        const bytes = Buffer.from(lines.map((text) => `${text}\n`).join(''));
        const chunks: Buffer[] = [];
        for (let at = 0, n = 0; at < bytes.length; n++) {
          const size = 1 + (sizes[n % sizes.length] ?? 0);
          chunks.push(bytes.subarray(at, at + size));
          at += size;
        }
        expect(readAll(chunks, 1_000)).toEqual({ lines, dropped: [] });
      }),
    );
  });

  it('drops a line over the limit with its two ends, and goes on with the next', () => {
    const long = `{"jsonrpc":"2.0","id":4,"result":"${'x'.repeat(5_000)}","z":"end"}`;
    const bytes = Buffer.from(`first\r\n${long}\n\nlast\n`);
    for (const size of [1, 7, 300, 100_000]) {
      const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) =>
        bytes.subarray(n * size, n * size + size),
      );
      const { lines, dropped } = readAll(chunks, 1_000);
      expect(lines, String(size)).toEqual(['first', '', 'last']);
      expect(dropped, String(size)).toEqual([[long.slice(0, 200), long.slice(-200)]]);
    }
  });

  it('keeps nothing of what it drops', () => {
    const reader = new LineReader(1_000, { line: () => undefined, dropped: () => undefined });
    const chunk = Buffer.alloc(1024 * 1024, 'x');
    const before = process.memoryUsage().arrayBuffers;
    for (let n = 0; n < 300; n++) reader.add(chunk);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(50 * 1024 * 1024);
  });
});

describe('idAtEnds', () => {
  it.each([
    ['{"jsonrpc":"2.0","id":12,"result":{"content":[', '"}]}}', 12],
    ['{"id": 3, "jsonrpc"', '}', 3],
    ['{"result":{"content":[{"type":"text","text":"\\"id\\":9,', 'x"}]},"jsonrpc":"2.0","id":5}', 5],
    ['{"result":{"a":"', 'x"},"id":6,"jsonrpc":"2.0"} ', 6],
    ['{"jsonrpc":"2.0","result":{"id":1,', '"id":5}}', undefined],
    ['some log text "id":4,', 'more', undefined],
  ])('finds whose answer %s … %s was', (head, tail, id) => {
    expect(idAtEnds(head, tail)).toBe(id);
  });
});

describe('parseLoosely', () => {
  it('reads JSON as JSON.parse does, and bare NaN and Infinity as texts', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(parseLoosely(text)).toEqual(JSON.parse(text));
      }),
    );
    expect(parseLoosely('[NaN,-Infinity,Infinity,"NaN","a\\"NaN\\\\"]')).toEqual([
      'NaN',
      '-Infinity',
      'Infinity',
      'NaN',
      'a"NaN\\',
    ]);
    for (const broken of ['[NaN', 'NaNa', '{"a":NaN,}', 'Server ready'])
      expect(() => parseLoosely(broken), broken).toThrow();
  });

  it('takes no more than linear time for quotes without end', () => {
    const started = performance.now();
    expect(() => parseLoosely(`NaN ${'\\"'.repeat(2_000_000)}`)).toThrow();
    expect(performance.now() - started).toBeLessThan(2_000);
  });
});
