/**
 * Text as a reader compares it: Unicode NFKC, lower case, one kind of quotation mark and dash, no Markdown emphasis, no
 * invisible characters, one space for a run of blanks, and none between ideographs, which are wrapped anywhere.
 */
export function comparableText(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/\\[nrt]/g, ' ')
    .replace(/\\"/g, '"')
    .replace(/[\u00ad\u200b-\u200f\u2060-\u2064\ufeff]/g, '')
    .replace(/[‘’‚‛′`´]/g, "'")
    .replace(/[“”„‟″«»「」『』]/g, '"')
    .replace(/[‐‑‒–—―−]/g, '-')
    .replace(/\*+|~~/g, '')
    .replace(/(?<![\p{L}\p{N}])_+|_+(?![\p{L}\p{N}])/gu, '')
    .replace(/\s+/g, ' ')
    .replace(/(?<=[\p{Script=Han}，。、：；]) (?=\p{Script=Han})/gu, '')
    .trim();
}

/** How many letters and digits a text has. */
export function significantLength(text: string): number {
  return text.match(/[\p{L}\p{N}]/gu)?.length ?? 0;
}

/**
 * True when the quote stands in the content: its parts around an ellipsis in order, each at word and number boundaries
 * (`18 adults` does not stand in `118 adults`). Both are compared as `comparableText`.
 */
export function standsIn(quote: string, content: string): boolean {
  return standsInComparable(quote, comparableText(content));
}

/** The same in what `comparableText` made of the content. */
export function standsInComparable(quote: string, text: string): boolean {
  const sought = trimmed(comparableText(quote));
  if (placeOf(sought, text, 0) >= 0) return true;
  const parts = sought
    .split(/\s*\[?\(?\.{3,}\)?\]?\s*/)
    .map(trimmed)
    .filter((part) => part !== '');
  if (parts.length === 0) return false;
  let from = 0;
  for (const part of parts) {
    const place = placeOf(part, text, from);
    if (place < 0) return false;
    from = place + part.length;
  }
  return true;
}

/** A content for `surroundings`: with the ends of its lines marked, and with those that may be inside a sentence left out. */
export function linedTexts(content: string): [string, string] {
  const marked = withLineEnds(content);
  return [comparableText(marked), comparableText(marked.replaceAll('↵', ' '))];
}

/** Where a quote stands: its sentence and the part of it, in lower case. Undefined when it does not stand in the content. */
export function surroundings(quote: string, texts: [string, string]): { sentence: string; clause: string } | undefined {
  const sought = trimmed(comparableText(quote));
  for (const text of texts) {
    const place = placeOf(sought, text, 0);
    if (place < 0) continue;
    const before = text.slice(Math.max(0, place - longestSentence), place);
    const after = text.slice(place + sought.length, place + sought.length + longestSentence);
    const around = (stop: RegExp): string =>
      `${before.split(stop).at(-1)}${sought}${after.split(stop)[0]}`.replaceAll('↵', ' ');
    return { sentence: around(sentenceEnd), clause: around(clauseEnd) };
  }
  return undefined;
}

/**
 * A line that was long enough to be wrapped may go on in the next (↵); after another, and before a list or a table,
 * something new begins (¶).
 */
function withLineEnds(content: string): string {
  const lines = content.split('\n');
  return lines
    .map((line, place) => {
      const length = line.replace(/\p{Script=Han}/gu, '**').trim().length;
      const next = lines[place + 1] ?? '';
      return line + (length < shortestWrapped || /^\s*(?:$|[-*|#>\d])/.test(next) ? '¶' : '↵');
    })
    .join('');
}

const shortestWrapped = 60;

// After NFKC, which makes ASCII of the full-width marks.
const sentenceEnd = /[.!?](?= |$)|[!?;](?=\p{Script=Han})|[。¶]/u;
const clauseEnd = /[.!?,;](?= |$)|[!?;,](?=\p{Script=Han})|[。、¶↵]/u;
const longestSentence = 400;

/** Without the quotation marks around a quote and the full stop or comma after it. */
function trimmed(quote: string): string {
  return quote.replace(/^["'\s]+|["'\s.,;:。]+$/g, '');
}

function placeOf(part: string, text: string, from: number): number {
  if (part === '') return -1;
  for (let place = text.indexOf(part, from); place >= 0; place = text.indexOf(part, place + 1)) {
    const before = text.slice(Math.max(0, place - 2), place);
    const after = text.slice(place + part.length, place + part.length + 2);
    if (!continues(before, part.charAt(0), 'before') && !continues(after, part.charAt(part.length - 1), 'after'))
      return place;
  }
  return -1;
}

/** True when the quote's edge is inside a word or a number of the text. */
function continues(around: string, edge: string, side: 'before' | 'after'): boolean {
  const next = side === 'before' ? around.slice(-1) : around.charAt(0);
  if (/\d/.test(edge)) {
    const inNumber = side === 'before' ? /(?:\d|\d[.,])$/ : /^(?:\d|[.,]\d)/;
    return inNumber.test(around);
  }
  return (
    /[\p{L}\p{M}]/u.test(edge) &&
    /[\p{L}\p{M}]/u.test(next) &&
    !/\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Hangul}|\p{Script=Thai}/u.test(edge + next)
  );
}
