/** Texts a server wrote, on their way to a model and to a person. Both must see the same words, and no more than words. */
import { normaliseOutput } from '../../normalise.ts';

/** Characters nobody sees that are no part of any script's spelling; the joiners of emoji, Persian and Hindi are. */
const invisible =
  /[\u00ad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e0fff}]/gu;
const unseen = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]|\u200c|\u200d|[\ufe00-\ufe0f]/g;
/** Where chat templates and the tags of prompts begin. */
const opening = /<(?=[a-z/!?_|｜])/gi;
const templateBracket = /\[(?=\/?(?:INST|SYS|TOOL|AVAILABLE)\b)/gi;

/** The text as a model may see it: nothing hidden, no token or tag that ends one part of a prompt and begins another, cut at `limit`. */
export function modelText(text: string, limit: number): string {
  const words = withoutHidden(text).replace(opening, '‹').replace(templateBracket, '(').replaceAll('```', "'''").trim();
  return shortened(words, limit);
}

/** The text without characters that carry a message past the reader's eyes. */
export function withoutHidden(text: string): string {
  return normaliseOutput(text).replace(invisible, '');
}

/** Whether the text has characters that a reader cannot see. */
export function hasHidden(text: string): boolean {
  return withoutHidden(text) !== text.replace(/\r\n?/g, '\n');
}

/** The text for a person who has to judge it: every unseen character is written as `\u{…}`, lines stay lines. */
export function visibleText(text: string): string {
  const escaped = (character: string): string => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
  return text.replace(/\r\n/g, '\n').toWellFormed().replace(unseen, escaped).replace(invisible, escaped);
}

/** The same in one line of bounded length. */
export function visibleLine(text: string, limit = 300): string {
  return shortened(visibleText(text).replaceAll('\n', '\\n'), limit);
}

/** The beginning of a text, never half a character. */
export function shortened(text: string, limit: number): string {
  return text.length > limit ? `${text.slice(0, limit).replace(/[\ud800-\udbff]$/, '')}…` : text;
}
