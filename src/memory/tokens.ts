/** Words too common to tell one situation from another. */
const stopWords: ReadonlySet<string> = new Set(
  `a an and are as at be been but by can could did do does for from had has have if in into is it its of on or our so than that
  the their them then there these they this to was we were what when where which while who will with would you your`.split(
    /\s+/,
  ),
);

/** Scripts written without spaces: their runs are cut into pairs of letters. */
const unspaced =
  '\\p{scx=Han}\\p{scx=Hira}\\p{scx=Kana}\\p{scx=Hang}\\p{scx=Thai}\\p{scx=Laoo}\\p{scx=Khmr}\\p{scx=Mymr}';
const runs: RegExp = new RegExp(
  `(?:(?=[${unspaced}])[\\p{L}\\p{M}\\p{N}])+|[\\p{L}\\p{M}\\p{N}]+?(?=[${unspaced}]|[^\\p{L}\\p{M}\\p{N}]|$)`,
  'gu',
);
const unspacedLetter: RegExp = new RegExp(`[${unspaced}]`, 'u');
/** Every letter of a script without spaces. */
export const unspacedLetters: RegExp = new RegExp(`[${unspaced}]`, 'gu');
/** Chinese particles: a pair with one of them says nothing about the subject. */
const particle: RegExp = /[的了吗呢吧着]/u;
const camelBoundary: RegExp = /(?<=\p{Ll})(?=\p{Lu})/u;

/**
 * The searchable terms of a text, in order and with repeats: lower-cased words without plural and verb endings, parts of
 * camelCase names beside the whole, and pairs of letters where the script has no spaces (Chinese, Japanese, Korean, Thai).
 * A term holds letters, marks and digits only, so it is safe inside a quoted full-text query.
 */
export function termsOf(text: string): string[] {
  const terms: string[] = [];
  for (const [run] of text.normalize('NFKC').matchAll(runs)) {
    if (unspacedLetter.test(run)) terms.push(...pairs(run));
    else terms.push(...words(run));
  }
  return terms;
}

/** A query of more terms takes the first and the last half of them: tasks say what they want at one of the two ends. */
const maxQueryTerms = 200;
const longestTerm = 200;

/** The terms that a text is searched with, each once. */
export function queryTermsOf(text: string): string[] {
  const terms = [...new Set(termsOf(text))].filter((term) => term.length <= longestTerm);
  const half = maxQueryTerms / 2;
  return terms.length > maxQueryTerms ? [...terms.slice(0, half), ...terms.slice(-half)] : terms;
}

function pairs(run: string): string[] {
  const letters = [...run];
  if (letters.length === 1) return particle.test(run) ? [] : [run];
  const found: string[] = [];
  for (const [index, letter] of letters.entries()) {
    const pair = letter + (letters[index + 1] ?? '');
    if (index < letters.length - 1 && !particle.test(pair)) found.push(pair);
  }
  return found;
}

function words(run: string): string[] {
  const parts = run.split(camelBoundary);
  const whole = parts.length > 1 ? [run, ...parts] : parts;
  return whole
    .map((word) => word.toLowerCase())
    .filter((word) => !stopWords.has(word))
    .map(stem);
}

/** Cuts the endings that separate `rounding`, `rounded`, `rounds` and `round`. Crude on purpose: both sides of a match use it. */
function stem(word: string): string {
  if (word.length < 4 || !/^[a-z]+$/.test(word)) return word;
  const base = word
    .replace(/(?:ies|ied)$/, 'y')
    .replace(/(?<=[sxz]|ch|sh)es$/, '')
    .replace(/(?<=[^su])s$/, '')
    .replace(/(?<=[a-z]{3})(?:ing|ed)$/, '')
    .replace(/(?<=[a-z]{2})([bdfgkmnprt])\1$/, '$1');
  return base.replace(/(?<=[a-z]{3})e$/, '');
}

/** The part of all terms that two texts share, 0 to 1 (Jaccard). */
export function overlap(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const shared = sharedTerms(a, b);
  return shared === 0 ? 0 : shared / (a.size + b.size - shared);
}

/** The part of the smaller text's terms that stand in the other, 0 to 1. */
export function containment(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const smaller = Math.min(a.size, b.size);
  return smaller === 0 ? 0 : sharedTerms(a, b) / smaller;
}

function sharedTerms(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let shared = 0;
  for (const term of a) if (b.has(term)) shared++;
  return shared;
}
