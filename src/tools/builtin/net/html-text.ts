import { setImmediate } from 'node:timers/promises';
import { withoutImages } from './html-meaning.ts';
import { HtmlReader } from './html-reader.ts';

/** The readable content of an HTML document. */
export interface HtmlText {
  /** On one line; empty when the document has none. */
  title: string;
  text: string;
}

/** The same with how large the document is: elements, and how many of them are open at once. */
export interface WholeText extends HtmlText {
  elements: number;
  depth: number;
}

/** Parsed between two turns of the event loop. */
const sliceLength = 16_384;

/** Deeper elements than this are ignored: the parser's cost grows with the depth, and no page for people is that deep. */
const deepest = 1_000;

/**
 * Turns HTML into text for reading: headings as `#`, list items as `-`, links as `text (url)`, table rows as `a | b`,
 * preformatted text as it is. Scripts, styles, navigation and hidden elements are left out. Links are resolved against
 * `base`. Long documents are parsed in slices, so that the event loop goes on.
 */
export async function htmlText(html: string, base?: URL): Promise<HtmlText> {
  const { title, text } = await readWhole(html, base);
  return { title, text };
}

/** `htmlText` for a reader that has more to do with the document. */
export async function readWhole(html: string, base?: URL): Promise<WholeText> {
  const { Parser } = await import('htmlparser2');
  const read = async (source: string): Promise<HtmlReader> => {
    const reader = new HtmlReader(base);
    const parser = new Parser({
      onopentag: (name, attributes) => reader.open(name, attributes),
      onclosetag: () => reader.close(),
      ontext: (text) => reader.text(text),
    });
    for (let from = 0; from < source.length && reader.deepest <= deepest; from += sliceLength) {
      if (from > 0) await setImmediate();
      parser.write(source.slice(from, from + sliceLength));
    }
    parser.end();
    return reader;
  };
  const reader = await read(html);
  const usable = reader.deepest <= deepest ? reader : await read(withoutNesting(html));
  const { title, elements } = usable;
  return { title, text: withoutImages(usable.toString()), elements, depth: reader.deepest };
}

/** The same document with a space in place of every tag that is not needed to tell text from code. */
function withoutNesting(html: string): string {
  return html.replace(/<\/?(?!(?:script|style|title|textarea|template)\b)[a-z][^<>]*>/gi, ' ');
}
