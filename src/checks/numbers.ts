import { impliedNumbers, spelledNumbers } from './number-words.ts';
import { remembered } from './remembered.ts';

/** A number as a text states it. */
export interface StatedNumber {
  /** As written, with its scale word and percent sign. */
  text: string;
  /** Canonical digits of the number as written: no separators, no needless zeros, no scale. */
  digits: string;
  /** The absolute value, scale word included (1.2 million is 1200000); a percentage counts as its number (5% is 5). */
  value: number;
  scale: number;
  percent: boolean;
  /** Three digits stand after its point: elsewhere 1.200 is what is 1,200 here. */
  thousands: boolean;
  /** The numbers it may be instead, where blanks stand in it. */
  parts?: StatedNumber[];
  /** Where it begins in the text as `asciiDigits` gives it. */
  index: number;
  /** Half a unit of the last digit shown: what rounding may have taken away. */
  tolerance: number;
}

/** The numbers of a source, with what a reader may take from it besides digits: number words, month names, scales. */
export interface NumberSource {
  numbers: StatedNumber[];
  scales: ReadonlySet<number>;
}

const scaleWords: ReadonlyMap<string, number> = new Map([
  ['hundred', 1e2],
  ['thousand', 1e3],
  ['million', 1e6],
  ['millions', 1e6],
  ['billion', 1e9],
  ['billions', 1e9],
  ['trillion', 1e12],
  ['k', 1e3],
  ['K', 1e3],
  ['M', 1e6],
  ['mn', 1e6],
  ['B', 1e9],
  ['bn', 1e9],
  ['百', 1e2],
  ['千', 1e3],
  ['万', 1e4],
  ['十万', 1e5],
  ['百万', 1e6],
  ['千万', 1e7],
  ['亿', 1e8],
  ['万亿', 1e12],
]);

const approximations =
  /(?:about|around|roughly|approximately|approx\.?|nearly|almost|over|under|more than|less than|at least|up to|some|~|≈|约|大约|近|将近|超过|不到|至少)\s*[$€£¥]?$/iu;
const ordinalWords = [
  'january february march april may june july august september october november december',
  'first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth',
].map((list) => list.split(' '));
const approximateShare = 0.1;

const separators = "[,'’\\u00a0\\u2009\\u202f]";
const shape = new RegExp(`\\d{1,3}(?:${separators}\\d{3})+(?![\\d])(?:\\.\\d+)?|\\d+(?:\\.\\d+)?`, 'y');
const grouped = /\d{1,3}(?: \d{3})+(?![\d,]|\.\d)/y;
const scalePattern =
  /\s?(hundred|thousand|millions?|billions?|trillion|mn|bn)\b|([kKMB])(?![\p{L}\d])|(万亿|十万|百万|千万|[万亿]|[百千](?![克米瓦卡焦帕字赫分]))/uy;

/** Full-width and other scripts' digits and signs as ASCII; the length in UTF-16 units may change. */
export function asciiDigits(text: string): string {
  if (!/[^\0-\x7f]/.test(text)) return text;
  return text
    .replace(/[\uff01-\uff5e]/g, (character) => String.fromCharCode(character.charCodeAt(0) - 0xfee0))
    .replace(/(?!\d)\p{Nd}/gu, (digit) => digitValue(digit.codePointAt(0) ?? 0));
}

function digitValue(code: number): string {
  let first = code;
  while (/^\p{Nd}$/u.test(String.fromCodePoint(first - 1))) first -= 1;
  return String((code - first) % 10);
}

/** The number that starts at `index` without its thousands separators, and where it ends; none for 1.2.3 or 1,5. */
export function numberAt(text: string, index: number): { plain: string; end: number } | undefined {
  shape.lastIndex = index;
  const found = shape.exec(text)?.[0];
  if (found === undefined) return undefined;
  const end = index + found.length;
  if (/^(?:\.\d|,\d)/.test(text.slice(end, end + 2))) return undefined;
  return { plain: found.replace(new RegExp(separators, 'g'), ''), end };
}

/**
 * The numbers a claim states, in digits or in words from eleven on. Names (GPT-4, obs-1), versions, list and citation markers are
 * not numbers. In the order in which they stand.
 */
export function numbersIn(text: string): StatedNumber[] {
  const plain = withoutMarkers(text);
  const found = [
    ...scan(
      plain,
      (before, after) => !/[\p{Script=Latin}_][-_]?$|\d[.,]$/u.test(before) && !/^[A-Za-z]+\d/.test(after),
    ).filter(({ text, index }) => text !== '00' || plain.charAt(index - 1) !== ':'),
    ...statedWords(plain),
  ];
  return found.toSorted((a, b) => a.index - b.index);
}

/** A claim with ASCII digits, and blanks in place of its list mark and citation marks; `index` of its numbers counts in it. */
export function withoutMarkers(text: string): string {
  const blank = (mark: string): string => ' '.repeat(mark.length);
  return asciiDigits(text)
    .replace(/^\s*\d+[.)]\s/, blank)
    .replace(/[[【]\^?\d+(?:[,、\s]+\d+)*[\]】]/g, blank);
}

/** Everything in a text that can carry a stated number. */
export const numberSource: (text: string) => NumberSource = remembered((text) => {
  const plain = asciiDigits(text);
  const lower = plain.toLowerCase();
  const scanned = scan(plain, () => true);
  const numbers = [
    ...scanned,
    ...scanned.flatMap(({ parts = [] }) => parts),
    ...wordNumbers(plain, lower),
    ...[...impliedNumbers(plain), ...otherReadings(plain)].map((value) => plainNumber(value, String(value))),
  ];
  const named = [...scaleWords].filter(([word]) => (word.length > 1 || word > '\u0080') && lower.includes(word));
  return { numbers, scales: new Set(named.map(([, scale]) => scale)) };
});

function wordNumbers(plain: string, lower: string): StatedNumber[] {
  const ordinals = (lower.match(/[a-z]+(?:-[a-z]+)?/g) ?? []).flatMap((word) =>
    ordinalWords.filter((list) => list.includes(word)).map((list) => plainNumber(list.indexOf(word) + 1, word)),
  );
  const spelled = spelledNumbers(plain).flatMap(({ text, value, percent }) => [
    { ...plainNumber(value, text), percent },
    ...text
      .split(/[\s-]+/)
      .flatMap(spelledNumbers)
      .map((part) => plainNumber(part.value, part.text)),
  ]);
  return [...ordinals, ...spelled];
}

/** True when one of the sources carries the number; where a blank may group thousands (1 200), its parts will do. */
export function isCarried(sources: readonly NumberSource[], sought: StatedNumber): boolean {
  if (sources.some((source) => carries(source, sought))) return true;
  return sought.parts?.every((part) => isCarried(sources, part)) ?? false;
}

/** True when a source carries the number: the same value, the value it was rounded from, or near it where the claim says so. */
function carries(source: NumberSource, sought: StatedNumber): boolean {
  const scaled = source.scales.has(sought.scale);
  return source.numbers.some(
    (offered) =>
      agrees(sought, offered, 1) ||
      (sought.thousands && agrees({ ...sought, tolerance: 0 }, offered, 1e-3)) ||
      (scaled && sought.scale > 1 && agrees(sought, offered, offered.scale === 1 ? sought.scale : 1)) ||
      (sought.percent && !offered.percent && agrees(sought, offered, 100)) ||
      (offered.percent && !sought.percent && agrees(sought, offered, 0.01)),
  );
}

function agrees(sought: StatedNumber, offered: StatedNumber, factor: number): boolean {
  // Account numbers and the like have more digits than a floating-point number tells apart.
  if (factor === 1 && [sought, offered].every(({ digits }) => /^\d{16,}$/.test(digits)))
    return sought.digits === offered.digits;
  const gap = Math.abs(sought.value - offered.value * factor);
  return gap <= sought.tolerance + 1e-12 * sought.value;
}

function scan(text: string, accept: (before: string, after: string) => boolean): StatedNumber[] {
  const found: StatedNumber[] = [];
  const start = /\d+/g;
  for (let match = start.exec(text); match; match = start.exec(text)) {
    const grouped = groupedAt(text, match.index);
    const number = grouped ?? numberAt(text, match.index);
    if (!number) continue;
    const before = text.slice(Math.max(0, match.index - 24), match.index);
    if (!accept(before, text.slice(number.end, number.end + 12))) continue;
    const { scale, percent, end } = suffix(text, number.end);
    const as = { text: text.slice(match.index, end), scale, percent, index: match.index };
    const written = stated(number.plain, as);
    if (approximations.test(before)) written.tolerance = Math.max(written.tolerance, written.value * approximateShare);
    if (grouped)
      written.parts = text
        .slice(match.index, grouped.end)
        .split(' ')
        .map((part) => stated(part, { ...as, scale: 1 }));
    found.push(written);
    start.lastIndex = number.end;
  }
  return found;
}

function suffix(text: string, index: number): { scale: number; percent: boolean; end: number } {
  scalePattern.lastIndex = index;
  const word = scalePattern.exec(text)?.[0] ?? '';
  const percent =
    /^\s?(?:%|٪|percent\b|per cent\b)/i.exec(text.slice(index + word.length, index + word.length + 10))?.[0] ?? '';
  return {
    scale: scaleWords.get(word.trim()) ?? 1,
    percent: percent !== '',
    end: index + word.length + percent.length,
  };
}

function stated(plain: string, as: Pick<StatedNumber, 'text' | 'scale' | 'percent' | 'index'>): StatedNumber {
  const [whole = '', fraction = ''] = plain.split('.');
  const kept = fraction.replace(/0+$/, '');
  const digits = (whole.replace(/^0+(?=\d)/, '') || '0') + (kept && `.${kept}`);
  const significant = plain.replace('.', '').replace(/^0+/, '').length;
  const tolerance = significant > 1 ? (as.scale * 10 ** -fraction.length) / 2 : 0;
  const thousands = /^[1-9]\d{0,2}\.\d{3}$/.test(plain);
  return { ...as, digits, value: Number(digits) * as.scale, tolerance, thousands };
}

function plainNumber(value: number, text: string, index = 0): StatedNumber {
  return { ...stated('0', { text, scale: 1, percent: false, index }), digits: String(value), value };
}

/** 1 200 and 12 345 678: blanks may group thousands, or part two numbers. */
function groupedAt(text: string, index: number): { plain: string; end: number } | undefined {
  if (/[\d.,]$/.test(text.slice(Math.max(0, index - 1), index))) return undefined;
  grouped.lastIndex = index;
  const found = grouped.exec(text)?.[0];
  return found === undefined ? undefined : { plain: found.replaceAll(' ', ''), end: index + found.length };
}

/**
 * What the digits of a source may mean in other notations: 1.234,5 and 1,5 of Europe, 12,34,567 of India, the hours of
 * 15:30 and 3 pm.
 */
function otherReadings(text: string): number[] {
  const all = (pattern: RegExp, value: (...groups: string[]) => number): number[] =>
    [...text.matchAll(pattern)].map((match) => value(...match));
  const noon = 12;
  return [
    ...all(/(?<![\d.,])\d{1,3}(?:[.'’]\d{3})+(?:,\d+)?(?![\d])/g, (all = '') =>
      Number(all.replace(/[.'’]/g, '').replace(',', '.')),
    ),
    ...all(/(?<![\d.,])\d+,\d{1,3}(?![\d,.])/g, (all = '') => Number(all.replace(',', '.'))),
    ...all(/(?<![\d.,])\d{1,2}(?:,\d{2})+,\d{3}(?!\d)/g, (all = '') => Number(all.replaceAll(',', ''))),
    ...all(/(?<![\d:])([1-9]|1[3-9]|2[0-3]):\d{2}(?!\d)/g, (_, hour) => (Number(hour) + noon) % (2 * noon)),
    ...all(/(?<!\d)(\d{1,2})(?::\d{2})?\s?(?:p\.?m\b|PM\b)/g, (_, hour) => Number(hour) + noon),
    ...all(/(?:下午|晚上|傍晚)(\d{1,2})[点时]/g, (_, hour) => Number(hour) + noon),
  ];
}

/** Number words of a claim that mean an amount: from eleven on, since "one of them" and "the two" are figures of speech. */
function statedWords(text: string): StatedNumber[] {
  return spelledNumbers(text).flatMap(({ text: words, value, percent, index }) => {
    const before = text.slice(Math.max(0, index - 24), index);
    const after = text.slice(index + words.length, index + words.length + 12);
    const vague =
      /(?:[数几多第若好上成]|\b(?:of|the))\s*$/u.test(before) ||
      /^(?:[几多余来数分足全]|[- ](?:s\b|odd|something|or so|plus|fold|first|second|third|fourth|fifth|sixth|seventh|eighth|ninth))/u.test(
        after,
      );
    const amount = /^[a-z]/i.test(words)
      ? !/^(?:an?|hundred|thousand|million|billion|trillion)\b/i.test(words)
      : /^[一二两三四五六七八九十]/u.test(words) && /[十百千]/u.test(words) && [...words].length > 1;
    if (vague || !amount || value <= 10) return [];
    const number = { ...plainNumber(value, words, index), percent };
    if (approximations.test(before)) number.tolerance = value * approximateShare;
    return [number];
  });
}
