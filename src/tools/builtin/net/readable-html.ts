import { markdownArticle } from './article.ts';
import { type HtmlText, readWhole } from './html-text.ts';
import { leftOut } from './left-out.ts';

/** Beyond these the article is not looked for: the cost of that grows faster than the page. */
const deepest = 250;
const mostElements = 50_000;

/** A shorter article is a teaser, and one that leaves out more than this share of the text is not what the page is about. */
const shortestArticle = 500;
const mostLeftOut = 0.5;

const restHeading = 'Also on the page, outside the article:';

/**
 * The text of a page: its article first, with tables as Markdown, then every line that is not in it; or the whole page in its own
 * order where there is no article that holds most of it. Nothing `htmlText` shows is lost either way.
 */
export async function readableHtml(html: string, url: URL): Promise<HtmlText> {
  const page = await readWhole(html, url);
  const { title, text } = page;
  if (page.depth > deepest || page.elements > mostElements) return { title, text };
  const article = attempt(() => markdownArticle(html, url));
  if (article === undefined || article.length < shortestArticle) return { title, text };
  const rest = leftOut(text, `${title}\n${article}`);
  if (rest.share > mostLeftOut) return { title, text };
  return { title, text: rest.text === '' ? article : `${article}\n\n${restHeading}\n\n${rest.text}` };
}

/** A page that the extraction fails at is read without it. */
function attempt(extract: () => string | undefined): string | undefined {
  try {
    return extract();
  } catch {
    return undefined;
  }
}
