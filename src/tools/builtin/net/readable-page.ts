import * as z from 'zod';
import { messageOf } from '../../../core/errors.ts';
import { callWorker, WorkerError } from '../../process/call-worker.ts';
import { decodeText } from './decode-text.ts';
import type { Page } from './get-page.ts';
import { type HtmlText, htmlText } from './html-text.ts';
import { FetchError, shownUrl } from './page-url.ts';

/** What the worker is asked. */
export type ReadRequest =
  | { type: 'html'; html: string; url: string }
  | { type: 'pdf'; base64: string; maxPages: number };

/** What the model reads of a page. */
export interface Readable {
  /** The final URL, the title, and what there is to say of the reading, one a line. */
  head: string[];
  text: string;
}

export interface ReadingLimits {
  extractionMs: number;
  maxPdfPages: number;
  signal: AbortSignal;
}

/** It reads its own code and nothing of a caller: no files are written, no programs started. */
const confined = ['--permission', '--allow-fs-read=*', '--disallow-code-generation-from-strings'];

const htmlAnswer: z.ZodType<HtmlText> = z.object({ title: z.string(), text: z.string() });
const pdfAnswer = z.object({ title: z.string(), text: z.string(), pages: z.number(), pagesRead: z.number() });

/** The page as text. Rejects with `FetchError` when it is none, or with the reason of the signal. */
export async function readablePage(page: Page, limits: ReadingLimits): Promise<Readable> {
  if (page.type.endsWith('pdf')) return readPdf(page, limits);
  const source = decodeText(page);
  if (source.includes('\0')) {
    throw new FetchError(`${shownUrl(page.url)} holds binary data: only text can be read; look for another page`);
  }
  const isHtml = page.type === '' ? /^\s*</.test(source) : /html/.test(page.type);
  const { title, text, notes } = isHtml
    ? await readHtml(source, page.url, limits)
    : { title: '', text: source, notes: [] };
  const cut = `Truncated: only the first ${page.body.length} bytes of the page were read`;
  return {
    head: headOf(page, title, page.truncated ? [cut, ...notes] : notes),
    text: text.trim() === '' ? emptyText(isHtml) : text,
  };
}

/** The page in the form of a result; `keptSince` when it comes from memory. */
export function shownPage({ head, text }: Readable, keptSince?: string): string {
  const kept = keptSince === undefined ? [] : [`From the cache: read at ${keptSince}`];
  return [...head, ...kept, '', text].join('\n');
}

function headOf(page: Page, title: string, notes: string[]): string[] {
  return [`URL: ${page.url.href}`, `Title: ${title || '(none)'}`, ...notes];
}

/** By the worker, or in the plain way when the worker fails at it. */
async function readHtml(html: string, url: URL, limits: ReadingLimits): Promise<HtmlText & { notes: string[] }> {
  const request: ReadRequest = { type: 'html', html, url: url.href };
  try {
    return { ...htmlAnswer.parse(await askWorker(request, limits)), notes: [] };
  } catch (error) {
    limits.signal.throwIfAborted();
    const reason =
      error instanceof WorkerError && error.reason === 'timeout' ? messageOf(error) : 'the extraction failed';
    return { ...(await htmlText(html, url)), notes: [`Read without looking for an article: ${reason}`] };
  }
}

async function readPdf(page: Page, limits: ReadingLimits): Promise<Readable> {
  const where = shownUrl(page.url);
  if (page.truncated) {
    throw new FetchError(
      `${where} is a PDF of more than ${page.body.length} bytes: look for an HTML version, or the user can raise maxPdfBytes`,
    );
  }
  const base64 = Buffer.from(page.body).toString('base64');
  try {
    const answer = await askWorker({ type: 'pdf', base64, maxPages: limits.maxPdfPages }, limits);
    const { title, text, pages, pagesRead } = pdfAnswer.parse(answer);
    const count = `PDF: ${pages === 1 ? '1 page' : `${pages} pages`}`;
    const note = pagesRead < pages ? `${count}; only the first ${pagesRead} of them` : count;
    return { head: headOf(page, title, [note]), text: text || '(the PDF has no text: its pages may be images)' };
  } catch (error) {
    limits.signal.throwIfAborted();
    throw new FetchError(`${where} could not be read as PDF: ${messageOf(error)}`);
  }
}

function askWorker(request: ReadRequest, { extractionMs, signal }: ReadingLimits): Promise<unknown> {
  return callWorker('readable-page', request, {
    timeoutMs: extractionMs,
    maxOutputBytes: 16 * 1024 * 1024,
    signal,
    nodeOptions: confined,
  });
}

function emptyText(isHtml: boolean): string {
  return isHtml
    ? '(the page has no text without its scripts, and scripts are not run: look for another page)'
    : '(the page is empty)';
}
