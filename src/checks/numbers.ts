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
const numberWords = [
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty',
  'january february march april may june july august september october november december',
  'first second third fourth fifth sixth seventh eighth ninth tenth',
].map((list) => list.split(' '));
const tens = ['twenty', 'thirty', 'forty', 'fifty', 'sixty', 'seventy', 'eighty', 'ninety'];
const chineseDigits = '零一二三四五六七八九';
const approximateShare = 0.1;

const separators = '[,\\u00a0\\u2009\\u202f]';
const shape = new RegExp(`\\d{1,3}(?:${separators}\\d{3})+(?![\\d])(?:\\.\\d+)?|\\d+(?:\\.\\d+)?`, 'y');
const scalePattern =
  /\s?(hundred|thousand|millions?|billions?|trillion|mn|bn)\b|([kKMB])(?![\p{L}\d])|(万亿|十万|百万|千万|[万亿]|[百千](?![克米瓦卡焦帕字赫分]))/uy;

/** Full-width and other scripts' digits and signs as ASCII; the length in UTF-16 units may change. */
export function asciiDigits(text: string): string {
  return text
    .replace(/[\uff01-\uff5e]/g, (character) => String.fromCharCode(character.charCodeAt(0) - 0xfee0))
    .replace(/\p{Nd}/gu, (digit) => (digit < '\u0080' ? digit : digitValue(digit.codePointAt(0) ?? 0)));
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

/** The numbers a claim states. Names (GPT-4, obs-1), versions, list and citation markers are not numbers. */
export function numbersIn(text: string): StatedNumber[] {
  const plain = asciiDigits(text)
    .replace(/^\s*\d+[.)]\s/, ' ')
    .replace(/[[【]\^?\d+(?:[,、\s]+\d+)*[\]】]/g, ' ');
  return scan(
    plain,
    (before, after) => !/[\p{Script=Latin}_][-_]?$|\d[.,]$/u.test(before) && !/^[A-Za-z]+\d/.test(after),
  );
}

/** Everything in a text that can carry a stated number. */
export function numberSource(text: string): NumberSource {
  const plain = asciiDigits(text);
  const numbers = scan(plain, () => true);
  for (const word of plain.toLowerCase().match(/[a-z]+(?:-[a-z]+)?|[零一二三四五六七八九十]+/g) ?? []) {
    const value = wordValue(word);
    if (value !== undefined) numbers.push(stated(String(value), { text: word, scale: 1, percent: false }));
  }
  const scales = new Set<number>();
  for (const [word, scale] of scaleWords) {
    if (word.length > 1 || word > '\u0080' ? plain.toLowerCase().includes(word) : false) scales.add(scale);
  }
  return { numbers, scales };
}

/** True when a source carries the number: the same value, the value it was rounded from, or near it where the claim says so. */
export function carries(source: NumberSource, sought: StatedNumber): boolean {
  const scaled = source.scales.has(sought.scale);
  return source.numbers.some(
    (offered) =>
      agrees(sought, offered, 1) ||
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
    const number = numberAt(text, match.index);
    if (!number) continue;
    const before = text.slice(Math.max(0, match.index - 24), match.index);
    if (!accept(before, text.slice(number.end, number.end + 12))) continue;
    const { scale, percent, end } = suffix(text, number.end);
    const written = stated(number.plain, { text: text.slice(match.index, end), scale, percent });
    if (approximations.test(before)) written.tolerance = Math.max(written.tolerance, written.value * approximateShare);
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

function stated(plain: string, as: { text: string; scale: number; percent: boolean }): StatedNumber {
  const [whole = '', fraction = ''] = plain.split('.');
  const kept = fraction.replace(/0+$/, '');
  const digits = (whole.replace(/^0+(?=\d)/, '') || '0') + (kept && `.${kept}`);
  const significant = plain.replace('.', '').replace(/^0+/, '').length;
  const tolerance = significant > 1 ? (as.scale * 10 ** -fraction.length) / 2 : 0;
  return { ...as, digits, value: Number(digits) * as.scale, tolerance };
}

function wordValue(word: string): number | undefined {
  for (const [list, words] of numberWords.entries()) {
    const index = words.indexOf(word);
    if (index >= 0) return list === 0 ? index : index + 1;
  }
  const [ten = '', digit = 'zero'] = word.split('-');
  if (tens.includes(ten)) return (tens.indexOf(ten) + 2) * 10 + Math.max(0, numberWords[0]?.indexOf(digit) ?? 0);
  return /^[零一二三四五六七八九十]+$/.test(word) ? chineseValue(word) : undefined;
}

/** 0 to 99 as 七, 十二 or 四十五. */
function chineseValue(word: string): number | undefined {
  const match = /^(?:([二三四五六七八九])?(十))?([零一二三四五六七八九])?$/.exec(word);
  if (!match) return undefined;
  const [, ten = '一', mark, digit = '零'] = match;
  return (mark ? chineseDigits.indexOf(ten) * 10 : 0) + chineseDigits.indexOf(digit);
}
