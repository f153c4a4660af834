import * as path from 'node:path';
import * as z from 'zod';
import { type Tool, tool } from '../tool.ts';
import type { DocumentIndex, SearchOutcome } from './documents/document-index.ts';

export { checkFolder } from './documents/folder.ts';

export interface SearchDocsOptions {
  /** Files beyond this number are left out, with a note in the results. Default 5,000. */
  maxFiles?: number;
  /** A larger file is left out, with a note in the results. Default 5 MiB. */
  maxFileBytes?: number;
  /** Of all files together. Default 32 MiB. */
  maxTotalBytes?: number;
}

const mebibyte = 1024 * 1024;
const defaultFileBytes = 5 * mebibyte;
const shownNames = 40;

/**
 * A tool that searches the Markdown, text, CSV, JSON and HTML files below `folder` (English, Chinese and others; BM25+)
 * and returns the best passages word for word with path and lines. The index is built on first use and follows changes.
 */
export function searchDocs(folder: string, options: SearchDocsOptions = {}): Tool {
  const root = path.resolve(folder);
  const limits = { maxFiles: 5_000, maxFileBytes: defaultFileBytes, maxTotalBytes: 32 * mebibyte, ...options };
  let index: DocumentIndex | undefined;
  return tool({
    name: 'searchDocs',
    description:
      'Searches the local documents and returns the best passages word for word, each with its file and lines. Use the words a document would use; readDoc shows more of a file.',
    input: z.object({
      query: z.string().trim().min(1).max(1_000).describe('What to look for: a few telling words.'),
      limit: z.int().min(1).max(10).default(5).describe('How many passages to return.'),
    }),
    effect: 'read',
    timeoutMs: 120_000,
    run: async ({ query, limit }) => {
      // The search engine is loaded by the first call, not by the start of the program.
      const module = await import('./documents/document-index.ts');
      index ??= new module.DocumentIndex(root, limits);
      return searchResult(query, await index.search(query, limit));
    },
  });
}

function searchResult(query: string, { found, files, notes }: SearchOutcome): string {
  const passages = found.map(({ path: file, from, to, heading, text }, index) => {
    const place = heading === '' ? '' : `, ${heading}`;
    return `${index + 1}. ${file}, ${lineRange(from, to)}${place}\n\n${text}`;
  });
  const head =
    found.length === 0
      ? `No passage matches "${query}": try other words, or read a file with readDoc. Files: ${shortList(files)}`
      : `The best ${found.length === 1 ? 'passage' : `${found.length} passages`} for "${query}" in ${files.length} files:`;
  const left = notes.length === 0 ? [] : [`Left out: ${shortList(notes)}`];
  return [head, ...passages, ...left].join('\n\n');
}

function lineRange(from: number, to: number): string {
  return from === to ? `line ${from}` : `lines ${from}-${to}`;
}

function shortList(items: string[]): string {
  const more = items.length > shownNames ? `; and ${items.length - shownNames} more` : '';
  return items.length === 0 ? '(none)' : items.slice(0, shownNames).join('; ') + more;
}

export interface ReadDocOptions {
  /** Characters of text in one result; a longer part is cut between lines. Default 20,000. */
  maxChars?: number;
  /** A larger file is refused. Default 5 MiB. */
  maxFileBytes?: number;
}

/**
 * A tool that returns lines of one document below `folder` with the range stated and how to read on. Paths that are
 * absolute, hidden or lead out of the folder, also by links, are refused with the reason, and so are binary files.
 */
export function readDoc(folder: string, options: ReadDocOptions = {}): Tool {
  const root = path.resolve(folder);
  const limits = { maxChars: 20_000, maxFileBytes: defaultFileBytes, ...options };
  return tool({
    name: 'readDoc',
    description: 'Returns the text of one local document, or some lines of it, by the path that searchDocs shows.',
    input: z.object({
      path: z.string().min(1).max(1_000).describe('Relative to the folder, for example guide/start.md.'),
      from: z.int().min(1).default(1).describe('The first line.'),
      lines: z.int().min(1).optional().describe('How many lines; without it, as many as fit.'),
    }),
    effect: 'read',
    run: async (part) => (await import('./documents/read-document.ts')).readDocument(root, part, limits),
  });
}
