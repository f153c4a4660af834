import { describe, expect, it } from 'vitest';
import { leftOut } from './left-out.ts';
import { readableHtml } from './readable-html.ts';

const paragraph =
  '<p>The ferry leaves from the old harbour, calls at both islands, and returns before dusk, except in winter, when it stays.</p>';
const article = `<h2>Route</h2>${paragraph.repeat(6)}`;

async function textOf(body: string): Promise<string> {
  const html = `<html><head><title>Ferry</title></head><body>${body}</body></html>`;
  return (await readableHtml(html, new URL('https://ferry.example/a/b'))).text;
}

describe('readableHtml', () => {
  it('puts the article first and then every line that is not in it', async () => {
    const text = await textOf(
      `<header><h1>Island Lines</h1></header><nav><a href="/">Home</a></nav><aside class="sidebar"><p>Adults pay 12 €.</p>
       <table><tr><td>Child<td>5 €</table></aside><article>${article}</article><footer>Call 555-0101</footer>`,
    );
    const [before, after] = text.split('Also on the page, outside the article:');
    expect(before?.trim()).toMatch(/^## Route\n\nThe ferry leaves/);
    expect(after?.trim()).toBe('# Island Lines\n\nAdults pay 12 €.\n\nChild | 5 €\n\nCall 555-0101');
  });

  it('keeps which boxes of a list are ticked', async () => {
    const boxes = '<ul><li><input type="checkbox" checked> Lifebelts<li><input type="checkbox"> Flares</ul>';
    const text = await textOf(`<article>${article}${boxes}</article>`);
    expect(text).toMatch(/\[x\] +Lifebelts/);
    expect(text).toMatch(/\[ \] +Flares/);
  });

  it('adds nothing when the article is all there is', async () => {
    expect(await textOf(`<article>${article}</article>`)).not.toContain('outside the article');
  });

  it('gives a page without an article that holds most of it in its own order', async () => {
    const items = Array.from(
      { length: 80 },
      (_, index) => `<li><a href="/${index}">Sailing ${index}</a> at ${index}:30`,
    );
    const list = await textOf(`<ul>${items.join('')}</ul><article>${article}</article>`);
    expect(list).toMatch(/^- Sailing 0 \(https:\/\/ferry\.example\/0\) at 0:30\n/);
    expect(list).toContain('The ferry leaves');
    expect(list).not.toContain('outside the article');
    expect(await textOf('<p>Closed today.</p>')).toBe('Closed today.');
  });

  it('writes tables of the article as Markdown with caption, empty cells and every figure under its heading', async () => {
    const text = await textOf(
      `<article>${article}<table><caption>Fares</caption><tr><th>Season<th>Day<th>Fare</tr><tr><td rowspan="2">Summer<td>Mo<td>8 €</tr>
       <tr><td>So<br>and Sa<td>9|10 €</tr><tr><td colspan="2">Winter<td>7 €</tr></table></article>`,
    );
    expect(text).toContain(
      'Fares\n\n| Season | Day | Fare |\n| --- | --- | --- |\n| Summer | Mo | 8 € |\n| | So and Sa | 9\\|10 € |\n| Winter | | 7 € |',
    );
  });

  it('keeps code as it is, and figures that markup makes', async () => {
    const text = await textOf(
      `<article>${article}<pre><code>if (a) {<br>  b_c();\n}</code></pre><p>10<sup>6</sup> H<b><sub>2</sub></b>O <del>$90</del> $70, snake_case and 2*3*4</p></article>`,
    );
    expect(text).toContain('```\nif (a) {\n  b_c();\n}\n```');
    expect(text).toContain('10^6 H_2O ~~$90~~ $70, snake_case and 2*3*4');
  });

  it('shows links with absolute http addresses only, and of images what they show', async () => {
    const text = await textOf(
      `<article>${article}<p><a href="../c?d=1">next</a> <a href="javascript:x()">one</a> <a href="data:text/html,x">two</a>
       <a href="https://exаmple.com/pay">pay</a> <img src="https://track.example/?q=1" alt="harbour map"> ![s](https://track.example/p)</p></article>`,
    );
    expect(text).toContain('next (https://ferry.example/c?d=1) one two pay (https://xn--exmple-4nf.com/pay)');
    expect(text).toContain('[image: harbour map] !\\[s](https://track.example/p)');
    expect(text).not.toMatch(/javascript:|data:|\?q=1/);
  });

  it('shows nothing that is hidden from a reader', async () => {
    const hidden = '<p hidden>no</p><p style="opacity:0">no</p><span aria-hidden="true">no</span><script>no()</script>';
    const text = await textOf(`<article>${article}${hidden}<template>no</template></article>${hidden}`);
    expect(text).not.toMatch(/\bno\b/);
  });

  it('reads a page that is too deep or too large to look for an article', async () => {
    const deep = await textOf(`${'<div>'.repeat(400)}${article}${'</div>'.repeat(400)}<p>end`);
    expect(deep).toMatch(/^## Route[\s\S]*\nend$/);
    const large = await textOf(
      `<article>${article}</article><table>${`<tr>${'<td>7'.repeat(10)}`.repeat(6_000)}</table>`,
    );
    expect(large.split('\n').filter((line) => line === Array(10).fill('7').join(' | '))).toHaveLength(6_000);
  });
});

describe('leftOut', () => {
  it('gives the lines that are not in the article, whatever the marks of the two notations', () => {
    const page = '# Fees\n\nAdult | 12\n- one (http://a.example/)\nleft\nright\n\nAdult | 12';
    const found = leftOut(page, '## Fees\n\n| Adult | 12 |\n\n-   one (http://a.example/)');
    expect(found.text).toBe('left\nright\n\nAdult | 12');
    expect(found.share).toBeGreaterThan(0.3);
    expect(leftOut('a', 'a')).toEqual({ text: '', share: 0 });
    expect(leftOut('', 'a').share).toBe(0);
  });
});
