/** A part of a text. `from` and `to` are offsets in UTF-16 code units (`to` exclusive), `total` is the length of the whole. */
export interface Excerpt {
  text: string;
  from: number;
  to: number;
  total: number;
}

/** Made when a cut first needs it: it is slow to make. */
let graphemes: Intl.Segmenter | undefined;

/** A cut gives up at most this share of `max` to end on a line or a word. */
const nearShare = 0.25;

/** A single character longer than `max` is given whole up to this length; emoji stay well below it. */
const longestCharacter = 64;

/**
 * The part of `content` that starts at `from` (default 0) and has at most `max` code units (at least 1). It ends after a
 * line or a word where one ends near the limit, and never inside a surrogate pair or a grapheme cluster. One character
 * is always given, even if it alone is longer than `max`, so reading on from `to` comes to the end and loses nothing.
 */
export function excerpt(content: string, options: { max: number; from?: number }): Excerpt {
  const total = content.length;
  const from = characterStart(content, Math.min(Math.max(0, Math.trunc(options.from ?? 0)), total));
  const max = Math.max(1, Math.trunc(options.max));
  const to = total - from <= max ? total : cutBefore(content, from, from + max);
  return { text: content.slice(from, to), from, to, total };
}

/** Moves an offset between the halves of a surrogate pair to the start of the pair. */
function characterStart(content: string, offset: number): number {
  const inside = isHighSurrogate(content.charCodeAt(offset - 1)) && isLowSurrogate(content.charCodeAt(offset));
  return inside ? offset - 1 : offset;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

function cutBefore(content: string, from: number, limit: number): number {
  const nearest = limit - Math.floor((limit - from) * nearShare);
  const window = content.slice(nearest, limit);
  const line = window.lastIndexOf('\n');
  if (line >= 0) return nearest + line + 1;
  const word = lastWordEnd(window);
  const wanted = word > 0 && !/^\s/.test(content.slice(limit, limit + 1)) ? nearest + word : limit;
  return clusterStart(content, from, wanted);
}

/** The offset after the last white space or CJK punctuation mark; 0 when there is none. */
function lastWordEnd(window: string): number {
  for (let end = window.length; end > 0; end--) {
    if (/[\s、。，．！？；：]/.test(window.charAt(end - 1))) return end;
  }
  return 0;
}

/** The last grapheme boundary at or before `offset`, or the end of the first cluster when that would be no progress. */
function clusterStart(content: string, from: number, offset: number): number {
  const cluster = graphemeSegmenter()
    .segment(content.slice(from, offset + longestCharacter))
    .containing(offset - from);
  if (!cluster || cluster.index > 0) return from + (cluster?.index ?? offset - from);
  if (cluster.segment.length <= longestCharacter) return from + cluster.segment.length;
  const start = characterStart(content, offset);
  return start > from ? start : start + 2;
}

function graphemeSegmenter(): Intl.Segmenter {
  graphemes ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  return graphemes;
}
