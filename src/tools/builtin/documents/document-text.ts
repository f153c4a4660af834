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
  const decoded = decode(bytes);
  if (typeof decoded !== 'string') return decoded;
  const text = decoded.replace(/\r\n?/g, '\n');
  return kind === 'html' ? { kind, text: await htmlDocument(text) } : { kind, text };
}

async function htmlDocument(html: string): Promise<string> {
  const { title, text } = await htmlText(html);
  return title === '' || text.startsWith(`# ${title}\n`) ? text : `# ${title}\n\n${text}`;
}

function decode(bytes: Uint8Array): string | { refused: string } {
  const wide = wideEncoding(bytes);
  if (wide) return new TextDecoder(wide).decode(bytes);
  if (bytes.includes(0)) return { refused: 'it is a binary file' };
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return { refused: 'it is not UTF-8 text: convert it to UTF-8' };
  }
}

function wideEncoding(bytes: Uint8Array): string | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  return undefined;
}
