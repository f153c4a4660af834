import { canonicalJson } from '../../core/json.ts';

/** What an answer votes for: equal answers in equal words. `undefined` where it cannot be told: the answer abstains. */
export type Normaliser = (answer: string) => string | undefined;

/** A longer answer is a text: two of them are never the same word for word, so that nothing is to be counted. */
const longestExact = 200;
const longestDressed = 1_000;

/** The part of an answer after the last words that announce it, such as `Answer:`, `the answer is`, `####`, `答案是` or `\boxed{`. */
export function announcedPart(answer: string): string {
  const boxed = [...answer.matchAll(/\\boxed\{([^{}]*)\}/g)].at(-1)?.[1];
  if (boxed !== undefined) return boxed;
  const marks = [...answer.matchAll(/####|\banswer(?:\s+is\b\s*:?|\s*[:=])|答案(?:[是为]|应[是为])?\s*[：:]?/giu)];
  const last = marks.at(-1);
  const rest = last ? answer.slice(last.index + last[0].length) : '';
  return rest.trim() === '' ? answer : rest;
}

/**
 * The answer without what carries no meaning: case, blanks, Markdown emphasis, quotation marks around it, a full stop after it. JSON
 * counts by its values, whatever the order of its keys. Abstains on more than 200 characters.
 */
export function exactAnswer(answer: string): string | undefined {
  const json = canonicalOf(answer);
  if (json !== undefined) return json;
  const part = announcedPart(answer);
  if (part.length > longestDressed) return undefined;
  const plain = part
    .normalize('NFKC')
    .toLowerCase()
    .replace(/\*\*|__|`/g, '')
    .replace(/\s+/g, ' ')
    .replace(/^[\s"'“”‘’「『]+|[\s"'“”‘’」』.。!！]+$/gu, '');
  return plain === '' || plain.length > longestExact ? undefined : plain;
}

function canonicalOf(answer: string): string | undefined {
  if (!/^\s*[[{]/.test(answer)) return undefined;
  try {
    return canonicalJson(JSON.parse(answer));
  } catch {
    return undefined;
  }
}

const separators = /\s*(?:[;；、，\n]|,(?!\d{3}(?!\d))|\s&\s|\band\b|\s[和与及]\s)\s*/u;
const bullet = /^\s*(?:[-*•]|\(?\d+[.)])\s+/;

/** The items of a list, whatever their order, each as `exactAnswer` reads it; an item said twice counts once. */
export function setAnswer(answer: string): string | undefined {
  const json = canonicalOf(answer);
  const listed = json === undefined ? undefined : stringsOf(json);
  const items = (
    listed ??
    announcedPart(answer)
      .replace(/[^\S\n]+/g, ' ')
      .replace(/^[^\n:：]*[:：]\s*/u, '')
      .split(separators)
  )
    .map((item) => exactAnswer(item.replace(bullet, '')))
    .filter((item) => item !== undefined);
  return items.length === 0 ? undefined : [...new Set(items)].sort().join('\n');
}

function stringsOf(json: string): string[] | undefined {
  const value: unknown = JSON.parse(json);
  return Array.isArray(value)
    ? value.map((item) => (typeof item === 'string' ? item : canonicalJson(item)))
    : undefined;
}

const choicePatterns = [
  /^[\s(（[【*]*([A-Ja-j])[\s*)）\]】.。]*$/u,
  /^[\s*]*[(（[【]?([A-J])[\s*]*[)）\]】.:：](?!\s*(?:or|and|或|和|\/|,)\s*[([]?[A-J]\b)/u,
  /^\s*(?:option|choice|选项?)\s*[(（]?([A-Ja-j])\b/iu,
];

/** The letter (A to J) of the option that is chosen. Abstains where two are named and none is announced. */
export function choiceAnswer(answer: string): string | undefined {
  const plain = answer.normalize('NFKC');
  for (const part of [announcedPart(plain), plain]) {
    for (const pattern of choicePatterns) {
      const letter = pattern.exec(part)?.[1];
      if (letter) return letter.toUpperCase();
    }
  }
  const named = [...plain.matchAll(/[([]([A-J])[)\]]|\b(?:option|choice)\s+([A-J])\b|选\s*([A-J])/gu)];
  const letters = new Set(named.map((match) => match[1] ?? match[2] ?? match[3]));
  const [only] = letters;
  return letters.size === 1 ? only : undefined;
}
