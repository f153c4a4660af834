/** A piece of a text that a stranger may have written: as it is, or a character that would not be seen or would mislead. */
export type TextPiece = { type: 'text'; text: string } | { type: 'hidden'; name: string };

/** Scripts whose letters a joiner or a non-joiner shapes. */
const shaped = String.raw`[\p{Script=Arabic}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gujarati}\p{Script=Gurmukhi}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Oriya}\p{Script=Sinhala}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Syriac}\p{Script=Mongolian}]`;
const variation = String.raw`[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]`;

/** What would not be seen, or would mislead, where it stands. */
const hidden: RegExp = new RegExp(
  [
    // ANSI control sequences, then C0 and C1 controls but tab and line ends.
    String.raw`\u001b\[[0-9;?]*[ -/]*[@-~]`,
    String.raw`[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]`,
    // Joiners where nothing is joined: not in an emoji, not between letters that they shape.
    String.raw`(?<![\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f])(?<!${shaped})[\u200c\u200d]`,
    String.raw`[\u200c\u200d](?!\p{Extended_Pictographic}|${shaped}|[♀♂⚕⚖✈])`,
    // A variation that varies nothing: such runs carry hidden bytes.
    String.raw`(?<=^|\s|${variation})${variation}`,
    // Marks of direction, invisible signs, blank letters, tags, halves of characters.
    String.raw`[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff]`,
    String.raw`[\u{e0000}-\u{e007f}]`,
    String.raw`\p{Surrogate}`,
  ].join('|'),
  'gu',
);

/** The text with everything that hides written out, so that what is read is what is there. */
export function visiblePieces(text: string): TextPiece[] {
  const pieces: TextPiece[] = [];
  let from = 0;
  for (const match of text.matchAll(hidden)) {
    if (match.index > from) pieces.push({ type: 'text', text: text.slice(from, match.index) });
    pieces.push({ type: 'hidden', name: nameOf(match[0]) });
    from = match.index + match[0].length;
  }
  if (from < text.length) pieces.push({ type: 'text', text: text.slice(from) });
  return pieces;
}

/** The same as one string, for places that hold no elements: titles, labels. */
export function visibleText(text: string): string {
  return visiblePieces(text)
    .map((piece) => (piece.type === 'text' ? piece.text : `⟨${piece.name}⟩`))
    .join('');
}

function nameOf(found: string): string {
  if (found.startsWith('\u001b[')) return `ESC${found.slice(1)}`;
  const code = found.codePointAt(0) ?? 0;
  return `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
}

/** The beginning of a text, without half a character at its end. */
export function beginning(text: string, most: number): string {
  if (text.length <= most) return text;
  const last = text.charCodeAt(most - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? most - 1 : most);
}
