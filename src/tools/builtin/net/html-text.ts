import { setImmediate } from 'node:timers/promises';
import { HtmlReader } from './html-reader.ts';

/** The readable content of an HTML document. */
interface HtmlText {
  /** On one line; empty when the document has none. */
  title: string;
  text: string;
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
  return { title: usable.title, text: usable.toString() };
}

/** The same document with a space in place of every tag that is not needed to tell text from code. */
function withoutNesting(html: string): string {
  return html.replace(/<\/?(?!(?:script|style|title|textarea|template)\b)[a-z][^<>]*>/gi, ' ');
}
