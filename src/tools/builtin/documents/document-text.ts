import { fileText } from '../files/file-text.ts';
import { htmlText } from '../net/html-text.ts';

/** What a document is split by. */
export type DocumentKind = 'markdown' | 'text' | 'csv' | 'json' | 'json-lines' | 'html';

/** A document as lines of text; HTML is turned into Markdown-like text first, and lines count in that. */
export interface DocumentText {
  kind: DocumentKind;
  text: string;
}

const kinds: Record<string, DocumentKind> = {
  md: 'markdown',
  markdown: 'markdown',
  mdx: 'markdown',
  csv: 'csv',
  tsv: 'csv',
  json: 'json',
  jsonl: 'json-lines',
  ndjson: 'json-lines',
  html: 'html',
  htm: 'html',
  xhtml: 'html',
};

/** The text of a file's bytes (UTF-8, or UTF-16 with a byte order mark), or the reason why it is none. Lines end in `\n`. */
export async function documentText(path: string, bytes: Uint8Array): Promise<DocumentText | { refused: string }> {
  const kind = kinds[/\.([a-z]+)$/i.exec(path)?.[1]?.toLowerCase() ?? ''] ?? 'text';
  const decoded = fileText(bytes);
  if ('refused' in decoded) return decoded;
  const text = decoded.text.replace(/\r\n?/g, '\n');
  return kind === 'html' ? { kind, text: await htmlDocument(text) } : { kind, text };
}

async function htmlDocument(html: string): Promise<string> {
  const { title, text } = await htmlText(html);
  return title === '' || text.startsWith(`# ${title}\n`) ? text : `# ${title}\n\n${text}`;
}
