import fc from 'fast-check';
import { parseHTML } from 'linkedom';
import { describe, expect, it } from 'vitest';
import { html, trusted } from './html.ts';
import { nastyTexts } from './report-fixture.ts';
import { shownText } from './shown-text.ts';

describe('html', () => {
  it('keeps a text a text, in content and in attributes', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.constantFrom(...nastyTexts)), (text) => {
        const { markup } = html`<p title="${text}">${text}</p>`;
        expect(markup.match(/</g)).toHaveLength(2);
        const { document } = parseHTML(`<html><body>${markup}</body></html>`);
        expect(document.body.children).toHaveLength(1);
        expect(document.querySelector('p')?.textContent).toBe(shownText(text));
        expect(document.querySelector('p')?.getAttribute('title')).toBe(shownText(text));
      }),
    );
  });

  it('joins lists and markup of its own, and leaves out what is undefined', () => {
    const item = (text: string) => html`<li>${text}</li>`;
    expect(html`<ul>${['<a>', 'b'].map(item)}${undefined}${trusted('<!-- own -->')}${3}</ul>`.markup).toBe(
      '<ul><li>&lt;a&gt;</li><li>b</li><!-- own -->3</ul>',
    );
  });
});
