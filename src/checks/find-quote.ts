import { comparableText, standsIn } from './quote-text.ts';

/** A part of a text, in UTF-16 units: `to` is behind its last. */
export interface TextSpan {
  from: number;
  to: number;
}

/**
 * Where a quote stands in a content, by the rule of `standsIn`: one span, or one for each part around an ellipsis. Undefined when it does
 * not stand there. The comparison drops and folds characters, so the places are found by narrowing the content, not by counting in
 * what was compared.
 */
export function findQuote(quote: string, content: string): TextSpan[] | undefined {
  if (!standsIn(quote, content)) return undefined;
  const whole = spanOf(quote, content, 0);
  const parts = quote.split(/\s*\[?\(?(?:…|\.{3,})\)?\]?\s*/).filter((part) => /[\p{L}\p{N}]/u.test(part));
  if (parts.length < 2 || isUnbroken(quote, whole, content)) return [whole];
  const spans: TextSpan[] = [];
  for (const part of parts) {
    const from = spans.at(-1)?.to ?? 0;
    if (!standsIn(part, content.slice(from))) return [whole];
    spans.push(spanOf(part, content, from));
  }
  return spans;
}

/** An ellipsis that the content itself has leaves nothing out. */
function isUnbroken(quote: string, { from, to }: TextSpan, content: string): boolean {
  return comparableText(content.slice(from, to)).length <= comparableText(quote).length;
}

/** The shortest piece in which the quote stands, the first one of all from `begin` on. */
function spanOf(quote: string, content: string, begin: number): TextSpan {
  const ends = boundaries(content, begin);
  const to = ends[first(ends.length, (index) => standsIn(quote, content.slice(begin, ends[index])))] ?? content.length;
  const starts = boundaries(content, begin).filter((place) => place < to);
  const beyond = first(starts.length, (index) => !standsIn(quote, content.slice(starts[index], to)));
  return { from: starts[beyond - 1] ?? begin, to };
}

/** The smallest index for which the test, false before and true from there on, is true; `length` when it never is. */
function first(length: number, test: (index: number) => boolean): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (test(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The places where a text may be cut without making a word or a number out of a part of one. */
function boundaries(content: string, begin: number): number[] {
  const places = [begin];
  for (let place = begin + 1; place < content.length; place++) {
    if (!isInside(content.slice(Math.max(0, place - 2), place), content.slice(place, place + 2))) places.push(place);
  }
  places.push(content.length);
  return places;
}

function isInside(before: string, after: string): boolean {
  const last = before.slice(-1);
  const next = after.charAt(0);
  if (/[\uD800-\uDBFF]/.test(last)) return true;
  if (/\d/.test(last)) return /^(?:\d|[.,]\d)/.test(after);
  if (/\d/.test(next)) return /(?:\d|\d[.,])$/.test(before);
  const letters = /[\p{L}\p{M}]/u;
  return letters.test(last) && letters.test(next) && !spaceless.test(last + next);
}

/** Scripts that put no space between words. */
const spaceless = /\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Hangul}|\p{Script=Thai}/u;
