import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type DocumentKind, documentText } from './document-text.ts';
import { longestPassage, type Passage } from './lines.ts';
import { passagesOf } from './passages.ts';

function split(kind: DocumentKind, text: string): Passage[] {
  return passagesOf({ kind, text });
}

function places(passages: Passage[]): string[] {
  return passages.map(({ from, to, heading }) => `${from}-${to} ${heading}`);
}

describe('Markdown', () => {
  it('is split into sections with the path of their headings', () => {
    const text = 'Intro\n\n# Boats\n\n## Hire\n\nBy the hour.\n\n## Deposit ##\n50\n\n# Contact\nMail us\n';
    expect(places(split('markdown', text))).toEqual([
      '1-1 ',
      '5-7 Boats > Hire',
      '9-10 Boats > Deposit',
      '12-13 Contact',
    ]);
    expect(split('markdown', text)[1]?.text).toBe('## Hire\n\nBy the hour.');
  });

  it('knows underlined headings, front matter and code', () => {
    const text = '---\ntitle: x\n---\nTop\n===\na\n\nSub\n---\nb\n\n```sh\n# no heading\n\nls\n```\n';
    expect(places(split('markdown', text))).toEqual(['1-3 ', '4-6 Top', '8-16 Top > Sub']);
  });

  it('keeps a heading that has nothing below it', () => {
    expect(places(split('markdown', '# Only\n'))).toEqual(['1-1 Only']);
    expect(places(split('markdown', '# A\n# B\nb'))).toEqual(['1-1 A', '2-3 B']);
  });

  it('splits a long section between paragraphs, each with the heading', () => {
    const text = `# Long\n\n${Array.from({ length: 20 }, (_, index) => `Paragraph ${index} ${'word '.repeat(40)}`).join('\n\n')}`;
    const passages = split('markdown', text);
    expect(passages.length).toBeGreaterThan(2);
    expect(passages.every(({ heading }) => heading === 'Long')).toBe(true);
    expect(passages.every(({ text: part }) => /^(?:# Long|Paragraph)/.test(part))).toBe(true);
  });
});

describe('CSV', () => {
  it('gives each row with the header, also when a field holds a line break or a semicolon separates', () => {
    const text = 'boat;seats;note\n"Lark";4;"calm\nwater; ""only"""\nHeron;6;\n';
    expect(split('csv', text)).toEqual([
      { from: 2, to: 3, heading: '', text: 'boat;seats;note\n"Lark";4;"calm\nwater; ""only"""' },
      { from: 4, to: 4, heading: '', text: 'boat;seats;note\nHeron;6;' },
    ]);
  });

  it('takes a quote inside a field, and one that is never closed, as a character', () => {
    expect(places(split('csv', 'size,name\n5" nail,a\n6" nail,b\n'))).toEqual(['2-2 ', '3-3 ']);
    expect(places(split('csv', 'size,name\n1,"open\n2,b\n'))).toEqual(['2-2 ', '3-3 ']);
  });

  it('gives the header of a table without rows', () => {
    expect(places(split('csv', 'a,b\n'))).toEqual(['1-1 ']);
  });
});

describe('JSON', () => {
  it('gives the elements of a list word for word', () => {
    const text = '[\n  {"id": 1, "t": "a, ]}"},\n  {"id": 2}\n]\n';
    expect(split('json', text)).toEqual([
      { from: 2, to: 2, heading: '[0]', text: '{"id": 1, "t": "a, ]}"}' },
      { from: 3, to: 3, heading: '[1]', text: '{"id": 2}' },
    ]);
  });

  it('keeps a short object whole and splits a long one by its keys', () => {
    expect(places(split('json', '{"a": 1, "b": [2, 3]}'))).toEqual(['1-1 ']);
    const long = { name: 'x', zones: { north: 'n'.repeat(700), south: [1] }, open: true, fee: 3 };
    expect(split('json', JSON.stringify(long)).map(({ heading, text }) => `${heading} ${text.slice(0, 12)}`)).toEqual([
      'name "name":"x"',
      'zones.north "north":"nnn',
      'zones.south "south":[1]',
      ' "open":true,',
    ]);
  });

  it('takes a broken file as plain text', () => {
    expect(places(split('json', '{"a": 1,\n'))).toEqual(['1-1 ']);
  });

  it('reads JSON Lines one by one', () => {
    expect(places(split('json-lines', '{"a":1}\n\n{"a":2}\n'))).toEqual(['1-1 ', '3-3 ']);
  });

  it('covers every value of any JSON document', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.constantFrom(0, 2), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        const shown = split('json', text)
          .map((passage) => passage.text)
          .join('\n');
        for (const [scalar, isKey] of text.matchAll(/"(?:[^"\\]|\\.)*"(\s*:)?|-?\d[\d.e+-]*|true|false/g)) {
          if (isKey === undefined) expect(shown).toContain(scalar);
        }
      }),
    );
  });
});

describe('every kind', () => {
  const piece = fc.constantFrom(
    '# h',
    '',
    ' ',
    'text',
    '"',
    '{',
    '[1,',
    ']',
    ',',
    '```',
    '---',
    '| a | b |',
    '\ttab',
    '中文。'.repeat(30),
    'x'.repeat(800),
    '😀'.repeat(500),
  );
  const document = fc
    .array(piece, { maxLength: 30 })
    .chain((parts) => fc.constantFrom('\n', ' ').map((mark) => parts.join(mark)));

  it('gives passages that stand word for word at their lines and are not too long', () => {
    fc.assert(
      fc.property(fc.constantFrom<DocumentKind>('markdown', 'text', 'json', 'json-lines'), document, (kind, text) => {
        const lines = text.split('\n');
        for (const passage of split(kind, text)) {
          expect(lines.slice(passage.from - 1, passage.to).join('\n')).toContain(passage.text.replace(/\n$/, ''));
          expect(passage.text.length).toBeLessThanOrEqual(longestPassage);
        }
      }),
    );
  });

  it('loses no text of a document that is prose', () => {
    fc.assert(
      fc.property(fc.constantFrom<DocumentKind>('markdown', 'text'), document, (kind, text) => {
        const shown = split(kind, text)
          .map((passage) => passage.text)
          .join('\n');
        for (const word of ['text', '中文', '| a | b |']) expect(shown.includes(word)).toBe(text.includes(word));
      }),
    );
  });

  it('splits megabytes in one line or in many in a moment', () => {
    const started = performance.now();
    split('csv', `a,b\n1,"${'x'.repeat(1_500_000)}"\n`);
    split('csv', `a,b\n1,"${'x\n'.repeat(500_000)}`);
    split('json', JSON.stringify({ a: 'y'.repeat(1_500_000), b: Array.from({ length: 100_000 }, (_, n) => n) }));
    split('json', `${'['.repeat(5_000)}${']'.repeat(5_000)}`);
    split('text', 'a\n\n'.repeat(300_000));
    split('markdown', '# a\n'.repeat(150_000));
    expect(performance.now() - started).toBeLessThan(15_000);
  });
});

describe('documentText', () => {
  const encode = (text: string, encoding: BufferEncoding = 'utf8') => Buffer.from(text, encoding);

  it('reads UTF-8 and UTF-16 with a byte order mark and makes every line end alike', async () => {
    expect(await documentText('a.md', encode('\ufeffa\r\nb\rc'))).toEqual({ kind: 'markdown', text: 'a\nb\nc' });
    expect(await documentText('a.txt', encode('\ufeff中', 'utf16le'))).toEqual({ kind: 'text', text: '中' });
    expect(await documentText('a.txt', encode('\ufeff中', 'utf16le').swap16())).toEqual({ kind: 'text', text: '中' });
  });

  it('refuses binary files and other encodings with the reason', async () => {
    expect(await documentText('a.md', Uint8Array.of(65, 0, 66))).toEqual({ refused: 'it is a binary file' });
    expect(await documentText('a.md', Uint8Array.of(0xd6, 0xd0))).toEqual({
      refused: expect.stringContaining('not UTF-8'),
    });
  });

  it('turns HTML into text with its title as heading', async () => {
    const html = '<title>Boats</title><h2>Hire</h2><p>By the <b>hour</b>.';
    const document = await documentText('a/b.HTM', encode(html));
    expect(document).toEqual({ kind: 'html', text: '# Boats\n\n## Hire\n\nBy the hour.' });
  });
});
