import { createHash } from 'node:crypto';

/** In UTF-16 units, of at most three bytes each: a row of a PostgreSQL index takes 2,700 bytes, and one has two keys. */
const longestKey = 250;

/**
 * Any text as one that PostgreSQL keeps: it takes neither NUL nor half a surrogate pair. Different texts stay different, and an ordinary
 * one is stored as it is.
 */
export function storedText(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** The text that was stored. */
export function originalText(stored: string): string {
  return String(JSON.parse(`"${stored}"`));
}

/** The text as a key of an index: the stored text, or where that is too long its beginning and its SHA-256. */
export function storedKey(text: string): string {
  const stored = storedText(text);
  if (stored.length <= longestKey) return stored;
  // A lone quotation mark is in no stored text, so that no short text has the key of a long one.
  return `${storedText(text.slice(0, longestKey / 10))}"${createHash('sha256').update(stored).digest('hex')}`;
}
