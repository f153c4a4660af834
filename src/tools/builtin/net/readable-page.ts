import { decodeText } from './decode-text.ts';
import type { Page } from './get-page.ts';
import { htmlText } from './html-text.ts';

/** What the model reads of a page: the final URL, the title, whether it was cut, and the text. */
export async function readablePage(page: Page): Promise<string> {
  const source = decodeText(page);
  if (source.includes('\0')) throw new Error(`${page.url.href} holds binary data: only text can be read`);
  const isHtml = page.type === '' ? /^\s*</.test(source) : /html/.test(page.type);
  const { title, text } = isHtml ? await htmlText(source, page.url) : { title: '', text: source };
  const lines = [`URL: ${page.url.href}`, `Title: ${title || '(none)'}`];
  if (page.truncated) lines.push(`Truncated: only the first ${page.body.length} bytes of the page were read`);
  lines.push('', text.trim() === '' ? emptyText(isHtml) : text);
  return lines.join('\n');
}

function emptyText(isHtml: boolean): string {
  return isHtml
    ? '(the page has no text without its scripts, and scripts are not run: look for another page)'
    : '(the page is empty)';
}
