/**
 * Characters of a name that a person does not see: controls, formats, bidi marks, tags, fillers, lone surrogates. Joiners inside of words
 * and emoji (Persian, Indic scripts, families) and the emoji selector after an emoji are seen, and are none of them.
 */
const unseen =
  /(?![\u200c\u200d](?<=[[\p{L}\p{M}\p{Extended_Pictographic}\p{Emoji_Modifier}]--\p{sc=Latin}].)[[\p{L}\p{Extended_Pictographic}]--\p{sc=Latin}]|\ufe0f(?<=[\p{Extended_Pictographic}0-9#*].))[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/v;
const everyUnseen = new RegExp(unseen, 'gv');

const longestShown = 1_024;

/** Whether a name holds characters that nobody sees, so that it looks like another one. */
export function hasUnseen(name: string): boolean {
  return unseen.test(name);
}

/** A name for a person and a model to read: what cannot be seen is written `\u{202e}`. Long ones are cut. */
export function shownName(name: string): string {
  const escaped = name.replace(everyUnseen, (found) => `\\u{${found.codePointAt(0)?.toString(16)}}`);
  return escaped.length > longestShown ? `${escaped.slice(0, longestShown).toWellFormed()}…` : escaped;
}
