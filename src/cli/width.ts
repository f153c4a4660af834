/** How many columns a text takes in a terminal, and cutting and wrapping by that measure. */

/** Made at the first text that needs it: it takes as long to make as the rest of the command to load. */
let graphemes: Intl.Segmenter | undefined;

/** The blocks whose characters take two columns (East Asian Wide and Fullwidth, Unicode annex 11), as first and last code point. */
const wide: readonly (readonly [first: number, last: number])[] = [
  [0x1100, 0x115f],
  [0x2e80, 0x303e],
  [0x3041, 0x33ff],
  [0x3400, 0x4dbf],
  [0x4e00, 0xa4cf],
  [0xa960, 0xa97f],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe30, 0xfe6f],
  [0xff00, 0xff60],
  [0xffe0, 0xffe6],
  [0x16fe0, 0x18dff],
  [0x1aff0, 0x1b2ff],
  [0x1f200, 0x1f2ff],
  [0x20000, 0x3fffd],
];
const noWidth = /^[\p{M}\p{Cc}\p{Cf}]+$/u;
const emoji = /\p{Emoji_Presentation}|\ufe0f/u;
/** Texts of characters that are one column and one grapheme each: Latin, punctuation, arrows, lines. */
const simple = /^[\x20-\x7e\xa1-\xac\xae-\u02ff\u2010-\u2027\u2030-\u203b\u2190-\u21ff\u2500-\u257f\u2713\u2717]*$/;
/** A style sequence of our own; foreign ones never get here. */
const styling = /\x1b\[\d+(?:;\d+)*m/g;
/** Punctuation that must not begin a line. */
const closing = /^[，。、！？；：）」』】》〉…·,.!?;:)\]}%]/u;

/** Columns the text takes, style sequences not counted. */
export function widthOf(text: string): number {
  const bare = text.replace(styling, '');
  if (simple.test(bare)) return bare.length;
  let width = 0;
  for (const segment of segments(bare)) width += graphemeWidth(segment);
  return width;
}

function segments(text: string): string[] {
  if (simple.test(text)) return [...text];
  graphemes ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  return Array.from(graphemes.segment(text), ({ segment }) => segment);
}

function graphemeWidth(segment: string): number {
  if (noWidth.test(segment)) return 0;
  if (emoji.test(segment)) return 2;
  const point = segment.codePointAt(0) ?? 0;
  return wide.some(([first, last]) => point >= first && point <= last) ? 2 : 1;
}

/** The text in at most `columns` columns, with … where it was cut. The text must hold no style sequences. */
export function cut(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text;
  let kept = '';
  let width = 0;
  for (const segment of segments(text)) {
    const next = graphemeWidth(segment);
    if (width + next > columns - 1) break;
    kept += segment;
    width += next;
  }
  return `${kept.trimEnd()}…`;
}

/** The text filled with spaces to `columns` columns. */
export function pad(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - widthOf(text)));
}

/**
 * The lines of a text that fit `columns`. Breaks at spaces and between wide characters, splits a word only when it is longer
 * than a line, and keeps the indentation of a paragraph. The text must hold no style sequences.
 */
export function wrap(text: string, columns: number): string[] {
  return text.split('\n').flatMap((line) => wrapLine(line, Math.max(10, columns)));
}

function wrapLine(line: string, columns: number): string[] {
  const spaces = /^ */.exec(line)?.[0] ?? '';
  const indent = spaces.slice(0, Math.floor(columns / 2));
  if (indent === spaces && widthOf(line) <= columns) return [line.trimEnd()];
  const lines: string[] = [];
  let current = indent;
  for (const piece of pieces(line.trimStart(), columns - indent.length)) {
    const fits = widthOf(current + piece.trimEnd()) <= columns;
    if (fits || current === indent) current += piece;
    else {
      lines.push(current.trimEnd());
      current = indent + piece;
    }
  }
  return [...lines, current.trimEnd()];
}

/** What may stand at the start of a line: words with the space behind them, and single wide characters. */
function pieces(text: string, longest: number): string[] {
  const found: string[] = [];
  let glued = false;
  for (const segment of segments(text)) {
    const isWide = graphemeWidth(segment) === 2;
    const last = found.at(-1);
    const joins = last !== undefined && (segment === ' ' || closing.test(segment) || (glued && !isWide));
    if (joins && widthOf(last) + graphemeWidth(segment) <= longest) found[found.length - 1] = last + segment;
    else found.push(segment);
    glued = segment !== ' ' && !isWide;
  }
  return found;
}
