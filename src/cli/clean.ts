/** Text from models, tools and files before it reaches a terminal: it must not move the cursor, change colours or reorder letters. */
import { stripVTControlCharacters } from 'node:util';

/** Invisible characters that can hide or reorder text: bidirectional controls, zero-width characters, tags. */
const invisible = /[\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/gu;
const control = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;
const lineEnd = /\r\n?|[\u2028\u2029]/g;

/** The text without escape sequences, control and invisible characters; lines stay lines, tabs become spaces. */
export function cleanText(text: string): string {
  const lines = text.replace(lineEnd, '\n');
  return stripVTControlCharacters(lines).replace(control, '').replace(invisible, '').replaceAll('\t', '  ');
}

/** The text in one line. */
export function cleanLine(text: string): string {
  return cleanText(text).replace(/\s+/g, ' ').trim();
}

/** The text with every character a reader could not see written as `\u{…}`: for what a human approves, nothing may be dropped. */
export function escapeHidden(text: string): string {
  const escaped = (character: string): string => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
  return text
    .replace(/[\u0000-\u001f\u007f-\u009f]/g, escaped)
    .replace(invisible, escaped)
    .replace(/[\p{Zs}--[\u0020\u3000]]/gv, escaped);
}
