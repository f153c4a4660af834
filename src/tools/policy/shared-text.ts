/**
 * Which part of one text stands in another. Both are compared as people read them: `normalised`. The search is one pass over the
 * longer text with a rolling hash, and every hit of the hash is compared letter by letter.
 */

/** Lower case, compatibility forms folded, invisible characters gone, white space one space. */
export function normalised(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\p{Cf}\p{Variation_Selector}]/gu, '')
    .replace(/\s+/g, ' ')
    .trim();
}

/** The pieces of a text that are looked for elsewhere, all of one length, with a hash of each. */
export interface Pieces {
  readonly length: number;
  readonly byHash: ReadonlyMap<number, readonly string[]>;
}

const base = 0x01000193;

/** Every piece of `length` characters that `wanted` accepts. */
export function piecesOf(text: string, length: number, wanted: (piece: string) => boolean): Pieces {
  const byHash = new Map<number, string[]>();
  for (const { hash, at } of rolling(text, length)) {
    const piece = text.slice(at, at + length);
    const known = byHash.get(hash);
    if (known?.includes(piece) || !wanted(piece)) continue;
    if (known) known.push(piece);
    else byHash.set(hash, [piece]);
  }
  return { length, byHash };
}

/** The first piece that stands in the text, or undefined. */
export function findPiece({ length, byHash }: Pieces, text: string): string | undefined {
  if (byHash.size === 0) return undefined;
  for (const { hash, at } of rolling(text, length)) {
    const found = byHash.get(hash)?.find((piece) => text.startsWith(piece, at));
    if (found !== undefined) return found;
  }
  return undefined;
}

function* rolling(text: string, length: number): Generator<{ hash: number; at: number }> {
  if (text.length < length) return;
  let lead = 1;
  for (let power = 1; power < length; power++) lead = Math.imul(lead, base);
  let hash = 0;
  for (let index = 0; index < text.length; index++) {
    if (index >= length) hash = (hash - Math.imul(text.charCodeAt(index - length), lead)) | 0;
    hash = (Math.imul(hash, base) + text.charCodeAt(index)) | 0;
    if (index >= length - 1) yield { hash, at: index - length + 1 };
  }
}

/** The longest text around a shared piece that both have, for people to recognise it; cut at `longest` characters. */
export function sharedAround(piece: string, texts: { from: string; in: string }, longest = 80): string {
  const here = texts.from.indexOf(piece);
  const there = texts.in.indexOf(piece);
  let before = 0;
  const same = (offset: number): boolean => {
    const left = texts.from[here + offset];
    return left !== undefined && left === texts.in[there + offset];
  };
  while (before < longest && same(-before - 1)) before++;
  let after = piece.length;
  while (after < longest && same(after)) after++;
  return texts.from
    .slice(here - before, here + after)
    .trim()
    .slice(0, longest);
}
