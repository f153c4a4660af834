const page = /^\s*(?:<\?xml[^>]*>\s*)?(?:<!--[^>]*-->\s*)*(?:<!doctype\s+html|<html[\s>])/i;

/** A result that is a whole HTML page as its text, which is what it says; any other result as it is. */
export async function withoutMarkup(text: string): Promise<string> {
  if (!page.test(text)) return text;
  // The reader of HTML is loaded by the first page, not by the start of the program.
  const { htmlText } = await import('./builtin/net/html-text.ts');
  const { title, text: content } = await htmlText(text);
  return `${title === '' ? '' : `${title}\n\n`}${content}`;
}
