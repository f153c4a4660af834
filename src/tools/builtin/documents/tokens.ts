const chineseWords = new Intl.Segmenter('zh', { granularity: 'word' });

/**
 * First group: a run of a script that is written without spaces. Second group: a number with separated thousands. Third
 * group: a word of any other script, with the marks that may stand inside an identifier, an address or a path.
 */
const run =
  /([[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{sc=Hangul}\p{sc=Thai}]&&[\p{L}\p{M}\p{N}]]+)|((?<![\p{L}\p{N}\-_.])\d{1,3}(?:,\d{3})+(?:\.\d+)?(?![\p{L}\p{N}]))|([[\p{L}\p{N}\p{M}]--[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{sc=Hangul}\p{sc=Thai}]]+(?:[\-_.\/:@#+'’][[\p{L}\p{N}\p{M}]--[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{sc=Hangul}\p{sc=Thai}]]+)*)/gv;

/** Words that say nothing about a topic; they are left out of a query that has others. */
const stopWords = new Set([
  ...'a an and are as at be by can do does for from how i if in is it its my of on or that the their there this to'.split(
    ' ',
  ),
  ...'was what when where which who why will with you your'.split(' '),
  ...'的 了 是 吗 呢 在 有 和 与 或 我 你 他 它 这 那 什么 怎么 怎样 多少 哪些 哪个 请问 如何 是否'.split(' '),
]);

/**
 * The terms a text is found by, in lower case. Words keep their form (no stemming) and lose their accents. What is joined
 * by marks, such as `SKU-42`, is found whole, without the marks and by its parts; runs of Chinese, Japanese, Korean or
 * Thai are found by their words and by every two neighbouring characters.
 */
export function tokens(text: string): string[] {
  const found: string[] = [];
  for (const [, unspaced, amount, word] of text.normalize('NFKC').matchAll(run)) {
    if (unspaced !== undefined) found.push(...unspacedTokens(unspaced));
    // The commas may also be those of a table.
    else if (amount !== undefined) found.push(amount.replaceAll(',', ''), ...amount.split(','));
    else if (word !== undefined) found.push(...wordTokens(word));
  }
  return found;
}

/** The terms to look for: those of the query, without stop words unless nothing else is left. */
export function queryTokens(query: string): string[] {
  const all = [...new Set(tokens(query))];
  const telling = all.filter((token) => !stopWords.has(token));
  return telling.length > 0 ? telling : all;
}

function unspacedTokens(text: string): string[] {
  const found = new Set<string>();
  for (const { segment } of chineseWords.segment(text)) found.add(segment);
  const characters = [...text];
  characters.slice(1).forEach((character, index) => {
    found.add(`${characters[index]}${character}`);
  });
  return [...found];
}

function wordTokens(word: string): string[] {
  // Most words are plain; the general way would cost most of the time of a build.
  if (/^[A-Z]?[a-z\d]+$/.test(word)) return [word.toLowerCase()];
  const plain = /\p{sc=Latin}/u.test(word) ? word.normalize('NFD').replace(/\p{M}/gu, '') : word;
  const names = plain.split(/[/:@#+'’]/).filter((name) => name !== '');
  if (names.length < 2) return nameTokens(plain);
  return [...new Set([plain.toLowerCase(), ...names.flatMap(nameTokens)])];
}

/** An identifier, a file name or a number. */
function nameTokens(name: string): string[] {
  const whole = name.toLowerCase();
  const parts = name.split(/[^\p{L}\p{N}\p{M}]+|(?<=\p{Ll})(?=\p{Lu})/u).map((part) => part.toLowerCase());
  if (parts.length === 1 || /^[\d.]+$/.test(name)) return [whole];
  return [...new Set([whole, parts.join(''), ...parts])].filter((part) => part !== '');
}
