import { Readability } from '@mozilla/readability';
import { parseHTML } from 'linkedom';
import { markdownOf } from './markdown.ts';
import { prepareDocument } from './page-dom.ts';

/**
 * The main article of a page as Markdown-like text, in the notation of `htmlText` (links as `text (url)`) but with tables and code
 * blocks of Markdown; `undefined` when there is none. Runs for long or without end on some pages: for workers only.
 */
export function markdownArticle(html: string, url: URL): string | undefined {
  const { document } = parseHTML(withBody(html));
  prepareDocument(document, url);
  // JSON-LD is not seen by a reader of the page. Classes name the language of code blocks.
  const options = { disableJSONLD: true, keepClasses: true, serializer: (node: unknown) => node };
  const content = new Readability(document, options).parse()?.content;
  return content ? markdownOf(content) : undefined;
}

/** The tags of html, head and body may be left out in HTML, but this parser does not put them in. */
function withBody(html: string): string {
  if (/<body[\s>]/i.test(html)) return html;
  return `<html><body>${html.replace(/<!doctype[^>]*>|<\/?(?:html|head)(?:\s[^>]*)?>/gi, '')}</body></html>`;
}
