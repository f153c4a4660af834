/** A number that a text spells out in words. */
export interface SpelledNumber {
  text: string;
  value: number;
  percent: boolean;
  index: number;
}

const ones =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(
    ' ',
  );
const tens = ['twenty', 'thirty', 'forty', 'fifty', 'sixty', 'seventy', 'eighty', 'ninety'];
const multipliers: ReadonlyMap<string, number> = new Map([
  ['hundred', 1e2],
  ['thousand', 1e3],
  ['million', 1e6],
  ['billion', 1e9],
  ['trillion', 1e12],
]);
const small: ReadonlyMap<string, number> = new Map([
  ...ones.map((word, value): [string, number] => [word, value]),
  ...tens.map((word, place): [string, number] => [word, (place + 2) * 10]),
]);
const cardinal = [...small.keys(), ...multipliers.keys()].join('|');
const english = new RegExp(
  `\\b(?:(?:an?|${cardinal})\\b(?:[\\s-]+(?:and\\s+)?(?:${cardinal})\\b)*)(?:\\s?(%|percent\\b|per cent\\b))?`,
  'gi',
);

const han: ReadonlyMap<string, number> = new Map([
  ...[...'零一二三四五六七八九'].map((digit, value): [string, number] => [digit, value]),
  ['〇', 0],
  ['两', 2],
]);
const hanUnits: ReadonlyMap<string, number> = new Map([
  ['十', 10],
  ['百', 100],
  ['千', 1000],
]);
const chinese = /(百分之)?([零〇一二两三四五六七八九十百千万亿]+)(?:点([零〇一二三四五六七八九]+))?/gu;

/** Words that say a number in another way: what a source offers besides its digits, never what a claim is held to. */
const sayings: readonly (readonly [RegExp, number[]])[] = [
  [/\bhalf\b|\bhalved\b|一半|半数|过半|减半/i, [0.5, 50]],
  [/\bthirds?\b/i, [33.3, 33, 66.7, 67]],
  [/\b(?:a|one) quarter\b|四分之一/i, [0.25, 25]],
  [/\bthree quarters\b|四分之三/i, [0.75, 75]],
  [/\b(?:doubl(?:e[ds]?|ing)|twice|both|pair|couple)\b|翻倍|翻一番|双/i, [2, 100]],
  [/\b(?:tripl(?:e[ds]?|ing)|thrice)\b/i, [3, 200]],
  [/\bquadrupl(?:e[ds]?|ing)\b|翻两番/i, [4, 300]],
  [/\bdozen\b|一打/i, [12]],
  [/\bsingle\b|\bonly\b|\bsole\b|\bonce\b|唯一/i, [1]],
  [/\b(?:none|no|nil|null|nothing|free)\b|无|没有|免费/i, [0]],
  [/\b(?:noon|midday)\b|正午|中午/i, [12]],
  [/\b(?:midnight)\b|午夜|零点/i, [0, 12, 24]],
  [/\bfortnight\b/i, [2, 14]],
  [/\bdecade\b/i, [10]],
  [/\bcentury\b|世纪/i, [100]],
];

/** The numbers that a text spells out: two hundred and fifty, twenty-five percent, 三千五百, 百分之五, 二〇二一. */
export function spelledNumbers(text: string): SpelledNumber[] {
  const found: SpelledNumber[] = [];
  for (const match of text.matchAll(english)) {
    const value = englishValue(match[0]);
    if (value !== undefined) found.push({ text: match[0], value, percent: match[1] !== undefined, index: match.index });
  }
  for (const match of text.matchAll(chinese)) {
    const [whole, percent, digits = '', decimals] = match;
    const value = hanValue(digits);
    const fraction = decimals ? Number(`0.${[...decimals].map((digit) => han.get(digit) ?? 0).join('')}`) : 0;
    found.push({ text: whole, value: value + fraction, percent: percent !== undefined, index: match.index });
  }
  return found;
}

/** What else a source says about numbers: half, twice, a dozen, 三成, 四分之一. */
export function impliedNumbers(text: string): number[] {
  const said = sayings.flatMap(([pattern, values]) => (pattern.test(text) ? values : []));
  const tenths = [...text.matchAll(/([一二三四五六七八九])成/gu)].map(([, digit = '']) => (han.get(digit) ?? 0) * 10);
  const parts = [...text.matchAll(/([一二三四五六七八九十]+)分之([一二三四五六七八九十]+)/gu)].flatMap(
    ([, below = '', above = '']) => {
      const share = hanValue(above) / hanValue(below);
      return [share, Math.round(share * 1000) / 10, Math.round(share * 100)];
    },
  );
  return [...said, ...tenths, ...parts];
}

function englishValue(words: string): number | undefined {
  let total = 0;
  let current = 0;
  let counted = false;
  for (const word of words.toLowerCase().match(/[a-z]+/g) ?? []) {
    const multiplier = multipliers.get(word);
    const value = small.get(word);
    if (value !== undefined) current += value;
    else if (multiplier === 100) current = (current || 1) * 100;
    else if (multiplier !== undefined) {
      total += (current || 1) * multiplier;
      current = 0;
    } else continue;
    counted = true;
  }
  return counted ? total + current : undefined;
}

/** 三千五百 by its units; without any, digit by digit (二〇二一). A unit with nothing before it counts once (十二, 百万). */
function hanValue(text: string): number {
  const characters = [...text];
  if (characters.every((character) => han.has(character)))
    return Number(characters.map((character) => han.get(character)).join(''));
  let total = 0;
  for (const part of text.split(/(?<=亿)/u)) {
    const thousands = part.replace('亿', '');
    const [first = '', rest = ''] = thousands.includes('万') ? thousands.split('万') : ['', thousands];
    const value = (thousands.includes('万') ? (underTenThousand(first) || 1) * 1e4 : 0) + underTenThousand(rest);
    total = part.endsWith('亿') ? (total + value || 1) * 1e8 : total + value;
  }
  return total;
}

function underTenThousand(text: string): number {
  let total = 0;
  let digit: number | undefined;
  for (const character of text) {
    const unit = hanUnits.get(character);
    total += unit === undefined ? 0 : (digit || 1) * unit;
    digit = unit === undefined ? han.get(character) : undefined;
  }
  return total + (digit ?? 0);
}
