import { createHash } from 'node:crypto';
import { type Area, locate } from './area.ts';
import { fileText, isZip } from './file-text.ts';
import { inFolder } from './folder.ts';
import { readChild } from './read-bytes.ts';
import { type Part, shownLines } from './shown-lines.ts';
import { shownName } from './shown-name.ts';

export interface ReadWish extends Part {
  /** A file inside of the zip archive at `path`. */
  entry?: string | undefined;
}

export interface ReadLimits {
  maxChars: number;
  maxFileBytes: number;
  maxArchiveBytes: number;
}

/** The lines asked for, under a head that states range, size and digest. Throws with the reason when the file cannot be read. */
export async function readText(
  area: Area,
  wish: ReadWish,
  options: { limits: ReadLimits; signal: AbortSignal },
): Promise<string> {
  const bytes = await bytesOf(area, wish, options);
  const shown = shownName(wish.entry === undefined ? wish.path : `${wish.path} (${wish.entry})`);
  const decoded = fileText(bytes);
  if ('refused' in decoded) {
    const remedy = isZip(bytes) && wish.entry === undefined ? ': listFiles shows its entries, `entry` reads one' : '';
    throw new Error(`${shown}: ${decoded.refused}, ${bytes.length} bytes${remedy}`);
  }
  const text = decoded.text.replace(/\r\n?/g, '\n');
  const about = ` (${bytes.length} bytes, sha256 ${digest(bytes)})`;
  return shownLines({ ...wish, path: shown }, text, { maxChars: options.limits.maxChars, about });
}

async function bytesOf(
  area: Area,
  wish: ReadWish,
  options: { limits: ReadLimits; signal: AbortSignal },
): Promise<Buffer> {
  const { parts, shown } = locate(area, wish.path);
  const name = parts.at(-1);
  if (name === undefined) throw new Error(`${shown} is a folder: name a file in it, listFiles shows them`);
  const { maxFileBytes, maxArchiveBytes } = options.limits;
  return inFolder(area, parts.slice(0, -1), async (folder) => {
    if (wish.entry === undefined) return (await readChild(area, folder, name, maxFileBytes)).bytes;
    const { readEntry } = await import('./zip-files.ts');
    return readEntry(
      area,
      { folder, name, entry: wish.entry },
      { maxBytes: maxFileBytes, maxArchiveBytes, signal: options.signal },
    );
  });
}

/** How much of a digest is shown, and how much `expectSha256` has to give at least: 64 bits. */
export const digestDigits = 16;

/** The beginning of the SHA-256 of some bytes, in hexadecimal. */
export function digest(bytes: Uint8Array, digits: number = digestDigits): string {
  return createHash('sha256').update(bytes).digest('hex').slice(0, digits);
}
