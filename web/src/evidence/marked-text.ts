/** Quotes in the text they stand in: pure, so that every offset can be tested. */

/** A part of a text in UTF-16 units; `to` is not in it. */
export interface Span {
  from: number;
  to: number;
}

/** `gap`: a long part that no quote stands in, left out until somebody asks for it. */
export interface MarkedPiece {
  type: 'text' | 'mark' | 'gap';
  text: string;
  /** Where it begins, which also tells it from the others. */
  from: number;
}

/** The text in order, with what the spans cover marked. Spans that overlap are one; what lies outside the text is no span of it. */
export function markedPieces(text: string, spans: readonly Span[]): MarkedPiece[] {
  const pieces: MarkedPiece[] = [];
  let done = 0;
  const take = (type: 'text' | 'mark', to: number): void => {
    if (to > done) pieces.push({ type, text: text.slice(done, to), from: done });
    done = Math.max(done, to);
  };
  for (const { from, to } of merged(text, spans)) {
    take('text', from);
    take('mark', to);
  }
  take('text', text.length);
  return pieces;
}

function merged(text: string, spans: readonly Span[]): Span[] {
  const whole = spans
    .map(({ from, to }) => ({ from: characterStart(text, from), to: characterEnd(text, to) }))
    .filter(({ from, to }) => from < to)
    .sort((a, b) => a.from - b.from);
  const joined: Span[] = [];
  for (const span of whole) {
    const last = joined.at(-1);
    if (last && span.from <= last.to) last.to = Math.max(last.to, span.to);
    else joined.push(span);
  }
  return joined;
}

/** The first unit of the character that `at` is in. */
function characterStart(text: string, at: number): number {
  const place = within(text, at);
  return isInside(text, place) ? place - 1 : place;
}

/** The first unit after the character that ends at or behind `at`. */
function characterEnd(text: string, at: number): number {
  const place = within(text, at);
  return isInside(text, place) ? place + 1 : place;
}

function within(text: string, at: number): number {
  return Number.isFinite(at) ? Math.min(text.length, Math.max(0, Math.trunc(at))) : 0;
}

/** Whether a character of two units would be cut in half here. */
function isInside(text: string, at: number): boolean {
  const [before, after] = [text.charCodeAt(at - 1), text.charCodeAt(at)];
  return before >= 0xd800 && before <= 0xdbff && after >= 0xdc00 && after <= 0xdfff;
}

/** The same, with only so many units of text left beside each mark; the rest is gaps. Nothing is left out where nothing is marked. */
export function aroundMarks(pieces: readonly MarkedPiece[], context: number): MarkedPiece[] {
  if (!pieces.some(({ type }) => type === 'mark')) return [...pieces];
  return pieces.flatMap((piece, place) => {
    if (piece.type !== 'text') return [piece];
    const head = place === 0 ? 0 : characterStart(piece.text, context);
    const tail =
      place === pieces.length - 1 ? piece.text.length : characterEnd(piece.text, piece.text.length - context);
    // A gap smaller than what is shown around it saves nothing.
    if (tail - head <= context) return [piece];
    return cut(piece, [head, tail]);
  });
}

function cut({ text, from }: MarkedPiece, [head, tail]: [number, number]): MarkedPiece[] {
  const parts: MarkedPiece[] = [
    { type: 'text', text: text.slice(0, head), from },
    { type: 'gap', text: text.slice(head, tail), from: from + head },
    { type: 'text', text: text.slice(tail), from: from + tail },
  ];
  return parts.filter((part) => part.text !== '');
}
