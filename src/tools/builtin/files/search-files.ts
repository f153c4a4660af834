import { type Area, locate, placeOf } from './area.ts';
import { fileText } from './file-text.ts';
import { type Folder, inFolder } from './folder.ts';
import { type Glob, glob } from './glob.ts';
import { shortened } from './listed.ts';
import { readChild } from './read-bytes.ts';
import { shownName } from './shown-name.ts';
import { type Entry, walk } from './walk.ts';

export interface SearchWish {
  path: string;
  /** Literal text, within one line; without it, names alone are searched. */
  text?: string | undefined;
  glob?: string | undefined;
  ignoreCase: boolean;
  limit: number;
}

export interface SearchLimits {
  maxEntries: number;
  maxFileBytes: number;
  /** Of all files that are read, together. */
  maxSearchBytes: number;
}

const deepest = 32;
/** Characters of a matching line that are shown. */
const shownLine = 240;

/** Files by name, or lines by the text they hold. Nothing of it is a regular expression, so no pattern can hang the process. */
export async function searchFolder(
  area: Area,
  wish: SearchWish,
  options: { limits: SearchLimits; signal: AbortSignal },
): Promise<string> {
  const matches = glob(wish.glob ?? '**');
  const { parts } = locate(area, wish.path);
  return inFolder(area, parts, async (folder) => new Search(area, wish, options).run(folder, matches));
}

class Search {
  readonly #area: Area;
  readonly #wish: SearchWish;
  readonly #limits: SearchLimits;
  readonly #signal: AbortSignal;
  readonly #notes: string[] = [];
  readonly #found: string[] = [];
  #files = 0;
  #binary = 0;
  #bytes = 0;

  constructor(area: Area, wish: SearchWish, options: { limits: SearchLimits; signal: AbortSignal }) {
    this.#area = area;
    this.#wish = wish;
    this.#limits = options.limits;
    this.#signal = options.signal;
  }

  async run(folder: Folder, matches: Glob): Promise<string> {
    const { maxEntries } = this.#limits;
    const all = walk(this.#area, folder, { depth: deepest, maxEntries, signal: this.#signal, notes: this.#notes });
    for await (const entry of all) {
      if (entry.kind !== 'file' || !matches(entry.parts.slice(folder.parts.length))) continue;
      this.#files++;
      if (this.#wish.text === undefined) this.#found.push(placeOf(entry.parts).shown);
      else if (!(await this.#searchIn(entry, this.#wish.text))) break;
      if (this.#found.length >= this.#wish.limit) {
        this.#notes.push(`everything after the first ${this.#wish.limit} matches: narrow the search`);
        break;
      }
    }
    return this.#report(folder);
  }

  /** False when the search has read enough. */
  async #searchIn(entry: Entry, text: string): Promise<boolean> {
    const { shown } = placeOf(entry.parts);
    try {
      const { bytes } = await readChild(this.#area, entry.folder, entry.name, this.#limits.maxFileBytes);
      this.#bytes += bytes.length;
      const decoded = fileText(bytes);
      if ('refused' in decoded) this.#binary++;
      else this.#searchLines(shown, decoded.text, text);
    } catch (error) {
      this.#notes.push(error instanceof Error ? error.message : shown);
    }
    if (this.#bytes <= this.#limits.maxSearchBytes) return true;
    this.#notes.push(`all files after ${shown}, with which ${this.#bytes} bytes were read: name a smaller folder`);
    return false;
  }

  #searchLines(shown: string, content: string, text: string): void {
    const { ignoreCase, limit } = this.#wish;
    const folded = (each: string) => (ignoreCase ? each.toLowerCase() : each);
    const wanted = folded(text);
    if (!folded(content).includes(wanted)) return;
    for (const [index, line] of content.split(/\r\n?|\n/).entries()) {
      const at = folded(line).indexOf(wanted);
      if (at < 0) continue;
      this.#found.push(`${shown}:${index + 1}: ${around(line, at)}`);
      if (this.#found.length >= limit) return;
    }
  }

  #report(folder: Folder): string {
    const { text, glob: pattern } = this.#wish;
    if (this.#binary > 0) this.#notes.push(`binary files: ${this.#binary}`);
    const what = text === undefined ? `matching ${shownName(pattern ?? '**')}` : `with "${shownName(text)}"`;
    const kind = `${text === undefined ? 'file' : 'line'}${this.#found.length > 1 ? 's' : ''}`;
    const where = `below ${placeOf(folder.parts).shown}${text === undefined ? '' : ` (files searched: ${this.#files})`}`;
    const left = this.#notes.length === 0 ? [] : ['', `Left out: ${shortened(this.#notes)}`];
    return [`${this.#found.length || 'No'} ${kind} ${what} ${where}`, ...this.#found, ...left].join('\n');
  }
}

/** The part of a line around a match. */
function around(line: string, at: number): string {
  if (line.length <= shownLine) return line;
  const from = Math.max(0, Math.min(at - shownLine / 4, line.length - shownLine));
  const part = line.slice(from, from + shownLine).toWellFormed();
  return `${from > 0 ? '…' : ''}${part}${from + shownLine < line.length ? '…' : ''}`;
}
