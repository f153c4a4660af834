/**
 * A search index over the documents of one folder.
 *
 * 1. It is built by the first search and rebuilt when a file came, went or changed (size, times or inode).
 * 2. Searches that run at the same time share one build; a failed build is tried again by the next search.
 */

import * as path from 'node:path';
import MiniSearch from 'minisearch';
import { documentText } from './document-text.ts';
import { type FolderFile, type Listing, listFiles, readBytes } from './folder.ts';
import type { Passage } from './lines.ts';
import { passagesOf } from './passages.ts';
import { queryTokens, tokens } from './tokens.ts';

interface IndexLimits {
  maxFiles: number;
  maxFileBytes: number;
  /** Of all files together. */
  maxTotalBytes: number;
}

/** A passage with the document it stands in. */
export interface Found extends Passage {
  path: string;
}

export interface SearchOutcome {
  /** Best first. */
  found: Found[];
  /** The paths of the documents that were searched. */
  files: string[];
  /** What was left out and why. */
  notes: string[];
}

interface Built {
  index: MiniSearch;
  passages: Found[];
  files: string[];
  notes: string[];
}

export class DocumentIndex {
  readonly #folder: string;
  readonly #limits: IndexLimits;
  #stamp: string | undefined;
  #built: Promise<Built> | undefined;

  constructor(folder: string, limits: IndexLimits) {
    this.#folder = folder;
    this.#limits = limits;
  }

  /** The passages that fit the query best, at most `limit`. Throws `UsageError` when the folder is gone. */
  async search(query: string, limit: number): Promise<SearchOutcome> {
    const { index, passages, files, notes } = await this.#current();
    const matches = index.search(query);
    // Equal scores keep the order of the documents.
    const ranked = matches.sort((a, b) => b.score - a.score || a.id - b.id).slice(0, limit);
    return { found: ranked.flatMap(({ id }) => passages[id] ?? []), files, notes };
  }

  async #current(): Promise<Built> {
    const listing = await listFiles(this.#folder, this.#limits.maxFiles);
    const stamp = JSON.stringify(listing);
    if (this.#built === undefined || this.#stamp !== stamp) {
      this.#stamp = stamp;
      const built = this.#build(listing);
      this.#built = built;
      built.catch(() => {
        if (this.#built === built) this.#built = undefined;
      });
    }
    return this.#built;
  }

  async #build(listing: Listing): Promise<Built> {
    const built: Built = { index: emptyIndex(), passages: [], files: [], notes: [...listing.notes] };
    let room = this.#limits.maxTotalBytes;
    for (const file of listing.files) {
      room -= file.size;
      const passages = room < 0 ? 'the documents together are too large' : await this.#passages(file);
      if (typeof passages === 'string') {
        built.notes.push(`${file.path}: ${passages}`);
        continue;
      }
      built.files.push(file.path);
      for (const passage of passages) built.passages.push({ ...passage, path: file.path });
    }
    const documents = built.passages.map((passage, id) => ({ id, ...passage }));
    await built.index.addAllAsync(documents, { chunkSize: 200 });
    return built;
  }

  /** The passages of a file, or the reason why it has none. */
  async #passages(file: FolderFile): Promise<Passage[] | string> {
    const read = await readBytes(path.join(this.#folder, file.path), this.#limits.maxFileBytes);
    if ('refused' in read) return read.refused;
    const document = await documentText(file.path, read.bytes);
    return 'refused' in document ? document.refused : passagesOf(document);
  }
}

/** Okapi BM25+ (the scoring of MiniSearch) over text, heading and path. */
function emptyIndex(): MiniSearch {
  const isLongWord = (term: string, least: number) => term.length >= least && /^\p{sc=Latin}+$/u.test(term);
  return new MiniSearch({
    fields: ['text', 'heading', 'path'],
    tokenize: tokens,
    // The terms are in their final form already.
    processTerm: (term) => term,
    searchOptions: {
      tokenize: queryTokens,
      processTerm: (term) => term,
      boost: { heading: 1.5 },
      // Other endings of a word and one slip in a long one; an identifier or a number matches exactly.
      prefix: (term) => isLongWord(term, 4),
      fuzzy: (term) => (isLongWord(term, 6) ? 1 : false),
      weights: { prefix: 0.4, fuzzy: 0.25 },
    },
  });
}
