/** Texts that a model, a tool or a data set wrote, made fit to stand in a report: nothing invisible, nothing without an end. */
import { stripVTControlCharacters } from 'node:util';

/** Control characters, and what hides or reorders letters: bidirectional controls, zero-width characters, tags, noncharacters. */
const hidden =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\uffff]|[\u{e0000}-\u{e007f}]/gu;
const plain = /^[\t\n\x20-\x7e]*$/;

/** The text with every character a reader could not see written as `\u{…}` and without escape sequences; lines stay lines. */
export function shownText(text: string): string {
  if (plain.test(text)) return text;
  return stripVTControlCharacters(text)
    .replace(/\r\n?/g, '\n')
    .toWellFormed()
    .replace(hidden, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}

/** The shown text in one line of at most `most` characters, with … where it was cut. */
export function shownLine(text: string, most: number): string {
  // Cut before it is cleaned too: a text of megabytes is not worth reading.
  return cutText(
    shownText(text.slice(0, 8 * most))
      .replace(/\s+/g, ' ')
      .trim(),
    most,
  );
}

/** The text in at most `most` characters, with … where it was cut; no character is cut in two. */
export function cutText(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
