import type { DocumentText } from './document-text.ts';
import { jsonLinesPassages, jsonPassages } from './json-passages.ts';
import type { Passage } from './lines.ts';
import { markdownPassages, textPassages } from './markdown-passages.ts';
import { tablePassages } from './table-passages.ts';

/** Splits a document into passages that can be read alone, in the order of their lines. */
export function passagesOf({ kind, text }: DocumentText): Passage[] {
  switch (kind) {
    case 'markdown':
    case 'html':
      return markdownPassages(text);
    case 'text':
      return textPassages(text);
    case 'csv':
      return tablePassages(text);
    case 'json':
      return jsonPassages(text);
    case 'json-lines':
      return jsonLinesPassages(text);
    default:
      return kind satisfies never;
  }
}
