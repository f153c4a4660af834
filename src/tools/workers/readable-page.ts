/** Turns a page of a stranger into text, in a process of its own: the parsers may hang or crash on it. */
import { pdfText } from '../builtin/net/pdf-text.ts';
import { readableHtml } from '../builtin/net/readable-html.ts';
import type { ReadRequest } from '../builtin/net/readable-page.ts';
import { serveWorker } from '../process/serve-worker.ts';

await serveWorker((request) => {
  // Only `readable-page` calls this worker.
  const asked = request as ReadRequest;
  return asked.type === 'pdf'
    ? pdfText(Buffer.from(asked.base64, 'base64'), { maxPages: asked.maxPages })
    : readableHtml(asked.html, new URL(asked.url));
});
