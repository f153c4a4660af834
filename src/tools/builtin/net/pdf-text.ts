import { messageOf } from '../../../core/errors.ts';

export interface PdfText {
  title: string;
  /** `[page n]` before the text of each page; empty when no page has any. */
  text: string;
  pages: number;
  pagesRead: number;
}

export interface PdfLimits {
  maxPages: number;
}

/** The rest is as good as unreadable. */
const mostCharacters = 4 * 1024 * 1024;
const longestTitle = 300;

/** The part of `unpdf` that is used. */
type PdfModule = Pick<typeof import('unpdf'), 'getDocumentProxy'>;
type PdfDocument = Awaited<ReturnType<PdfModule['getDocumentProxy']>>;

/** The text of a PDF's first pages, line by line as it is drawn. Throws when it is none, is protected, or `unpdf` is not installed. */
export async function pdfText(
  bytes: Uint8Array,
  { maxPages }: PdfLimits,
  load: () => Promise<PdfModule> = () => import('unpdf'),
): Promise<PdfText> {
  const { getDocumentProxy } = await loaded(load);
  const pdf = await opened(() => getDocumentProxy(new Uint8Array(bytes), { verbosity: 0 }));
  const parts: string[] = [];
  let characters = 0;
  let pagesRead = 0;
  while (pagesRead < Math.min(pdf.numPages, maxPages) && characters < mostCharacters) {
    const text = await pageText(pdf, ++pagesRead);
    characters += text.length;
    if (text !== '') parts.push(`[page ${pagesRead}]\n${text.slice(0, mostCharacters)}`);
  }
  return { title: await titleOf(pdf), text: parts.join('\n\n'), pages: pdf.numPages, pagesRead };
}

async function loaded(load: () => Promise<PdfModule>): Promise<PdfModule> {
  try {
    return await load();
  } catch (error) {
    if (Reflect.get(Object(error), 'code') !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new Error('the package that reads PDF is not installed; the user can run: npm install unpdf');
  }
}

async function opened(open: () => Promise<PdfDocument>): Promise<PdfDocument> {
  try {
    return await open();
  } catch (error) {
    const isProtected = error instanceof Error && error.name === 'PasswordException';
    throw new Error(isProtected ? 'it is protected by a password' : messageOf(error));
  }
}

async function pageText(pdf: PdfDocument, number: number): Promise<string> {
  const page = await pdf.getPage(number);
  const { items } = await page.getTextContent();
  page.cleanup();
  const pieces = items.map((item) => ('str' in item ? item.str + (item.hasEOL ? '\n' : '') : ''));
  return pieces
    .join('')
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

async function titleOf(pdf: PdfDocument): Promise<string> {
  const { info } = await pdf.getMetadata();
  const title: unknown = Reflect.get(info, 'Title');
  return typeof title === 'string' ? title.replace(/\s+/g, ' ').trim().slice(0, longestTitle) : '';
}
