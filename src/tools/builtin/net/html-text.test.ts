import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { htmlText } from './html-text.ts';

async function textOf(html: string, base?: string): Promise<string> {
  return (await htmlText(html, base === undefined ? undefined : new URL(base))).text;
}

describe('htmlText', () => {
  it('gives the title of the document, not of a drawing in it', async () => {
    const page = await htmlText(
      '<svg><title>Logo</title></svg><head><title> Opening\n hours &amp; fees </title></head><title>Other</title><p>x',
    );
    expect(page).toEqual({ title: 'Opening hours & fees', text: 'x' });
  });

  it('writes headings, paragraphs and line breaks', async () => {
    expect(await textOf('<h1>Fees</h1><p>One<br>Two</p><p>Three</p><h3>More</h3>end')).toBe(
      '# Fees\n\nOne\nTwo\n\nThree\n\n### More\n\nend',
    );
  });

  it('writes lists with their depth and numbers', async () => {
    expect(await textOf('<ul><li>a<ul><li>b</li></ul></li><li><div>c</div></li></ul>')).toBe('- a\n  - b\n- c');
    expect(await textOf('<ol start="3"><li>a<li>b</ol>')).toBe('3. a\n4. b');
    expect(await textOf('<ul><li></li></ul>after')).toBe('after');
  });

  it('writes links with their absolute address', async () => {
    const html =
      '<p>See <a href="../fees?x=1&amp;y=2">the <b>fees</b></a>, <a href="#top">top</a> <a href="javascript:x()">y</a></p>';
    expect(await textOf(html, 'https://site.example/a/b/c')).toBe(
      'See the fees (https://site.example/a/fees?x=1&y=2), top y',
    );
    expect(await textOf('<base href="/z/"><a href="q">q</a>', 'http://h.example/')).toBe('q (http://h.example/z/q)');
    expect(await textOf('<a href="http://h.example/">http://h.example/</a>')).toBe('http://h.example/');
  });

  it('writes each table row on one line, with empty cells', async () => {
    const html =
      '<table><caption>Prices</caption><thead><tr><th>Size<th>Price</thead><tr><td><p>small</p></td><td>4<br>EUR</td></tr><tr><td></td><td>9</td></tr></table>';
    expect(await textOf(html)).toBe('Prices\nSize | Price\nsmall | 4 EUR\n| 9');
  });

  it('keeps figures under their heading where cells reach over columns and rows', async () => {
    const html =
      '<table><tr><th>Season<th>Day<th>Fare</tr><tr><td rowspan="2">Summer<td>Mo<td>8</tr><tr><td>So<td>9</tr><tr><td colspan="2">Winter<td>7</tr></table>';
    expect(await textOf(html)).toBe('Season | Day | Fare\nSummer | Mo | 8\n| So | 9\nWinter | | 7');
  });

  it('stays short where a short page asks for very much text', async () => {
    const cells = await textOf(`<table>${'<tr><td colspan=1000 rowspan=1000>x'.repeat(20_000)}</table>`);
    expect(cells.length).toBeLessThan(400_000);
    expect(cells.match(/x/g)).toHaveLength(20_000);
    const links = await textOf(
      `<base href="/${'y'.repeat(1_900)}/">${'<a href=x>z</a>'.repeat(20_000)}`,
      'http://h.example/',
    );
    expect(links.length).toBeLessThan(1_200_000);
    expect(links.match(/z/g)).toHaveLength(20_000);
    expect(await textOf(`<a href="http://h.example/${'x'.repeat(5_000)}">here</a>`)).toBe('here');
  });

  it('leaves no text that a viewer would take for an image from elsewhere', async () => {
    expect(await textOf('see ![s](http://t.example/p?q) ![a [b]](http://t.example) ![c][d] vec![1]')).toBe(
      'see !\\[s](http://t.example/p?q) !\\[a [b]](http://t.example) !\\[c][d] vec![1]',
    );
  });

  it('keeps the rows of a table inside a table apart', async () => {
    expect(await textOf('<table><tr><td><table><tr><td>a<td>b<tr><td>c<td>d</table></td></tr></table>')).toBe(
      'a | b\nc | d',
    );
  });

  it('keeps preformatted text as it is', async () => {
    expect(await textOf('<p>Run</p><pre>  if x:\n\n    y()  z\n</pre>')).toBe('Run\n\n  if x:\n\n    y()  z');
  });

  it('drops scripts, styles, navigation and hidden elements with all they contain', async () => {
    const hidden = [
      '<script>var a = "<p>no</p>"</script><style>p{}</style><template><p>no</p></template>',
      '<nav><ul hidden><li>no</li></ul>no</nav><div role="navigation">no</div><button>no</button>',
      '<p hidden>no</p><div style="color:red; display : none"><p>no</p></div><i aria-hidden="true">no</i>',
      '<span style="font-size:0px">no</span><span style="opacity:0.0">no</span><dialog>no</dialog>',
    ].join('');
    expect(await textOf(`a ${hidden} b <span style="opacity:0.5">half</span>`)).toBe('a b half');
  });

  it('shows a page whose body is hidden until a script runs', async () => {
    expect(await textOf('<body style="visibility:hidden">text</body>')).toBe('text');
  });

  it('does not turn powers, indices and struck prices into other figures', async () => {
    expect(await textOf('10<sup>6</sup> H<sub>2</sub>O <del>$90</del> $70 <s></s>')).toBe('10^6 H_2O ~~$90~~ $70');
  });

  it('says what an image shows and decodes entities', async () => {
    expect(await textOf('<p>A<img src="x.png" alt="a map">&lt;&eacute;&nbsp;&#x4e2d;')).toBe('A [image: a map] <é 中');
  });

  it('reads 20,000 nested elements and a table with 100,000 cells without blocking the event loop', async () => {
    const nested = `${'<div><font>'.repeat(20_000)}deep end<script>no()</script>${'</font></div>'.repeat(20_000)}`;
    const table = `<table>${`<tr>${'<td>7</td>'.repeat(10)}</tr>`.repeat(10_000)}</table>`;
    const unclosed = `${'<b>'.repeat(300_000)}deep${'</i>'.repeat(300_000)}`;
    let longest = 0;
    let last = performance.now();
    const timer = setInterval(() => {
      longest = Math.max(longest, performance.now() - last);
      last = performance.now();
    }, 5);
    try {
      expect(await textOf(nested)).toBe('deep end');
      expect((await textOf(table)).split('\n')).toHaveLength(10_000);
      expect(await textOf(unclosed)).toBe('deep');
      expect(await textOf('a<sup>1</sup>'.repeat(100_000))).toHaveLength(300_000);
    } finally {
      clearInterval(timer);
    }
    expect(longest).toBeLessThan(500);
  });

  it('never throws and never shows what a script holds', async () => {
    const piece = fc.constantFrom(
      '<p>',
      '</p>',
      '<td>',
      '</table>',
      '<table>',
      '<tr>',
      '<a href="/x">',
      '</a>',
      '<li>',
      '<ol>',
    );
    const noise = fc.constantFrom(
      '<script>SECRET</script>',
      '<!-- SECRET -->',
      '<pre>',
      '<sup>',
      '<del>',
      '</',
      '<',
      '&#x;',
      'text',
    );
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(piece, noise), { maxLength: 40 }), async (pieces) => {
        expect(await textOf(pieces.map((part) => (part === '</' ? '</ >' : part)).join(' '))).not.toContain('SECRET');
      }),
    );
  });
});
