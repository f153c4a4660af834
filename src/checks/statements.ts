import { withoutMarkers } from './numbers.ts';
import { type Quantity, quantitiesIn } from './quantities.ts';
import { remembered } from './remembered.ts';

/** A sentence or a part of one, as far as code can compare it with another. */
export interface Statement {
  /** As `plainText`. */
  text: string;
  /** Its content words in order: lower case, without endings, numbers, units and function words. */
  words: string[];
  quantities: Quantity[];
  /** For each negation, which of `words` comes after it. */
  negations: number[];
}

const functionWords = new Set(
  `the an it its this that these those there here and or of in on at for to by with from as is are was were be been being has have had
do does did will so thus hence therefore overall finally also which who whom we our you your they their he she his her i
的 了 是 在 和 与 为 有 也 都 就 及 该 这 那 其 此 被 把 将 会 能 可 可以 之 到 从 对 于 则 并 共 它 他 她 我 我们 所 着 过 得 地 因此 所以 总之 综上`.split(
    /\s+/,
  ),
);
const negative = new Set(
  `not never no cannot neither without none nobody ain't 不 没 没有 未 无 并非 并不 并未 从不 从未 不会 不能 不可 不得 不是 不可以 未曾 尚未 毫无 无法 没能`.split(
    /\s+/,
  ),
);
/** Begin with a sign of negation and are none. */
const affirmative =
  /^(?:不同|不断|不仅|不但|不过|不管|不论|不锈|不如|不少|不久|不等|不一|不错|不止|不光|未来|无论|无线|无人|无数|无锡|没收|不免|不禁|不妨|不动产|不由|不然)/u;
/** Negate nothing that a statement says. */
const idioms =
  /\bnot (?:only|just|to mention|least|merely)\b|\bno (?:later|less|fewer|more|matter|doubt|sooner) than\b|\bno (?:matter|doubt)\b|\bwhether or not\b|\bno\. ?(?=\d)/gi;
const boundary = /(?<=[.!?])["'”’)]*\s+|[。！？；;\n]+|\s[–—]\s/u;
const clauseBoundary =
  /[，,、](?!\d)\s*|\s(?:but|while|whereas|although|though|because|since|and)\s|但是?|然而|而且|以及/u;

/** The sentences of a text. */
export function sentencesOf(text: string): string[] {
  return text.split(boundary).filter((part) => part.trim() !== '');
}

/** The sentences of a text and the clauses they are made of. */
export function clausesOf(text: string): string[] {
  return sentencesOf(text).flatMap((sentence) => {
    const clauses = sentence.split(clauseBoundary).filter((part) => part.trim() !== '');
    return clauses.length > 1 ? [sentence, ...clauses] : [sentence];
  });
}

let segmenter: Intl.Segmenter | undefined;

/** Without Markdown's marks; the places of `quantities` count in it. */
export function plainText(text: string): string {
  return text
    .replace(/[*_`#]+/g, '')
    .replace(/’/g, "'")
    .trim();
}

export const statementOf: (text: string) => Statement = remembered((text) => {
  const plain = plainText(text);
  const quantities = quantitiesIn(plain);
  const read = withoutQuantities(withoutMarkers(plain), quantities).replace(idioms, ' ');
  segmenter ??= new Intl.Segmenter('zh', { granularity: 'word' });
  const words: string[] = [];
  const negations: number[] = [];
  for (const { segment, isWordLike, index } of segmenter.segment(read)) {
    if (!isWordLike) continue;
    for (const word of partsOf(segment, index > 0)) {
      if (negative.has(word)) negations.push(words.length);
      else if (!functionWords.has(word)) words.push(stem(word));
    }
  }
  return { text: plain, words, quantities, negations };
});

function withoutQuantities(text: string, quantities: readonly Quantity[]): string {
  let rest = text;
  for (const { number, end, unit = '' } of quantities) {
    const after = rest.slice(end).startsWith(unit)
      ? unit.length
      : rest.slice(end, end + 1 + unit.length).trim() === unit
        ? unit.length + 1
        : 0;
    rest = rest.slice(0, number.index) + ' '.repeat(end - number.index + after) + rest.slice(end + after);
  }
  return rest;
}

/** doesn't is a negation and nothing else; 不包括 is one and 包括; the A of Plan A is a name, the first A a function word. */
function partsOf(segment: string, inside: boolean): string[] {
  if (segment === 'A' && inside) return ['A'];
  const word = segment.toLowerCase();
  if (word === 'a') return [];
  if (/n't$/.test(word)) return ['not'];
  const sign = /^[不没未无]/u.exec(word)?.[0];
  if (sign === undefined || negative.has(word) || affirmative.test(word)) return [word];
  return [sign, word.slice(1)];
}

function stem(word: string): string {
  const singular = word.replace(/'s$/, '');
  if (!/^[a-z]{4,}$/.test(singular)) return singular;
  return singular
    .replace(/ies$|ied$/, 'y')
    .replace(/(?:ing|ed|es|s)$/, '')
    .replace(/([bdfgmnprt])\1$/, '$1')
    .replace(/e$/, '');
}
