/** A piece of a text that a stranger may have written: as it is, or a character that would not be seen or would mislead. */
export type TextPiece = { type: 'text'; text: string } | { type: 'hidden'; name: string };

/** ANSI control sequences, then single characters: C0 and C1 controls but tab and line ends, bidi controls, invisible ones, tags. */
const hidden =
  /\u001b\[[0-9;?]*[ -/]*[@-~]|[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]|[\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/gu;

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
