/**
 * The number that an answer states.
 *
 * 1. It is the one that is announced (`Answer:`, `####`, `\boxed{}`, 答案是), else the last.
 * 2. A number that is denied (not 42, 42 is wrong) is not stated.
 * 3. `42 or 43`, `between 40 and 45`, `40-45` and `40 + 2` state several: none of them alone is the answer.
 */
import { type Measure, sameDimensions } from '../../checks/measures.ts';
import { spelledNumbers } from '../../checks/number-words.ts';
import { type Quantity, quantitiesIn } from '../../checks/quantities.ts';
import { announcedPart } from '../../solver/self-consistency/normalisers.ts';
import { plainNumbers } from './number-text.ts';

/** A number as an answer states it, signed and with its scale: 1.2 million is 1200000, 5% is 5 with `percent`. */
export interface ReadNumber {
  value: number;
  percent: boolean;
  /** A unit that is known, as written. */
  unit?: string;
  measure?: Measure;
  /** What stands after it, where a unit that is not known would be. */
  after: string;
}

/** With where it stands in the text that is read. */
interface Placed extends ReadNumber {
  from: number;
  to: number;
}

/** What an answer is searched for an announcement in, and for its last number, in characters from its end. */
const announcementReach = 20_000;
const lastReach = 2_000;
/** In a longer text number words are words, not an answer. */
const longestSpelled = 40;
const longestUnit = 40;

/** The numbers stated as the answer: none, one, or several that it does not choose between. */
export function readNumbers(answer: string): ReadNumber[] {
  const whole = answer.trim().length < longestUnit ? Number(answer.trim()) : Number.NaN;
  if (answer.trim() !== '' && Number.isFinite(whole)) return [{ value: whole, percent: false, after: '' }];
  const tail = answer.slice(-announcementReach);
  const boxed = boxedPart(tail);
  const announced = boxed ?? announcedPart(tail);
  const isAnnounced = boxed !== undefined || announced !== tail;
  const line = isAnnounced ? (announced.trimStart().split('\n')[0] ?? '') : withoutListMarks(tail.slice(-lastReach));
  // The mark keeps a number at the beginning from being read as that of a list.
  const text = `: ${plainNumbers(line.slice(0, lastReach).trim())}`;
  const placed = placedNumbers(text);
  if (placed.length === 0) return spelled(text);
  return isAnnounced && leads(text, placed[0]) ? fromFirst(text, placed) : fromLast(text, placed);
}

/** The last `\boxed{…}`, whatever braces stand in it. */
function boxedPart(text: string): string | undefined {
  const start = text.lastIndexOf('\\boxed{');
  if (start < 0) return undefined;
  const from = start + '\\boxed{'.length;
  let depth = 1;
  for (let at = from; at < text.length; at++) {
    if (text[at] === '{') depth++;
    else if (text[at] === '}') depth--;
    if (depth === 0) return text.slice(from, at);
  }
  return undefined;
}

function withoutListMarks(text: string): string {
  return text.trim().includes('\n') ? text.replace(/^[ \t]*\d{1,3}[.)][ \t]+(?=\S*\p{L})/gmu, '') : text;
}

function spelled(text: string): ReadNumber[] {
  if (text.length > longestSpelled) return [];
  const last = spelledNumbers(text).at(-1);
  if (!last || isDenied(text.slice(0, last.index), text.slice(last.index + last.text.length))) return [];
  return [{ value: last.value, percent: last.percent, after: text.slice(last.index + last.text.length) }];
}

function placedNumbers(text: string): Placed[] {
  const placed: Placed[] = [];
  for (const quantity of quantitiesIn(text)) {
    const next = placedAt(text, quantity);
    const last = placed.at(-1);
    const joined = last && (asFraction(text, last, next) ?? asCompound(text, last, next));
    if (joined) placed.splice(-1, 1, joined);
    else placed.push(next);
  }
  return placed;
}

function placedAt(text: string, { number, end, unit, measure }: Quantity): Placed {
  const sign = /(?<![\p{L}\p{N})%\]])(?<![\p{N})%\]]\s)-[$€£¥]?$/u.exec(
    text.slice(Math.max(0, number.index - 4), number.index),
  )?.[0];
  const after = text.slice(end, end + longestUnit);
  const place = unit === undefined ? -1 : after.indexOf(unit);
  return {
    value: sign === undefined ? number.value : -number.value,
    percent: number.percent,
    ...(unit !== undefined && { unit }),
    ...(measure && { measure }),
    after,
    from: number.index - (sign?.length ?? 0),
    to: place === 0 || place === 1 ? end + place + (unit?.length ?? 0) : end,
  };
}

/** 3/4, and with the 1 before it 1 3/4. */
function asFraction(text: string, upper: Placed, lower: Placed): Placed | undefined {
  if (!/^\s?\/\s?$/.test(text.slice(upper.to, lower.from)) || lower.value <= 0) return undefined;
  if (/^\s?\/\s?\d/.test(text.slice(lower.to))) return undefined;
  const whole = /(?<![\d.,/])(-?)(\d+)[ -]$/.exec(text.slice(Math.max(0, upper.from - 12), upper.from));
  const part = upper.value / lower.value;
  if (!whole?.[2]) return { ...lower, value: part, from: upper.from };
  const value = Number(whole[2]) + Math.abs(part);
  return { ...lower, value: whole[1] ? -value : value, from: upper.from - whole[0].length };
}

/** 1 hour 33 minutes as 93 minutes. */
function asCompound(text: string, large: Placed, small: Placed): Placed | undefined {
  if (!large.measure || !small.measure || !sameDimensions(large.measure, small.measure)) return undefined;
  if (large.measure.factor <= small.measure.factor) return undefined;
  if (!/^\s*(?:(?:,|and|和)\s*)?$/.test(text.slice(large.to, small.from))) return undefined;
  return {
    ...small,
    value: (large.value * large.measure.factor) / small.measure.factor + small.value,
    from: large.from,
  };
}

const approximately =
  '(?:about|around|approximately|approx\\.?|roughly|nearly|exactly|just|only|a total of|约|大约|共)?';
const leading = new RegExp(`^: [\\s*_(\\["'=:：]*${approximately}\\s*(?:US)?[$€£¥₹₩]?\\s?$`, 'i');
const leadingName = /^: [\p{L}_]{1,3}\s*=\s*[$€£¥]?$/u;

/** Whether the announced line begins with its number. */
function leads(text: string, first: Placed | undefined): boolean {
  const before = text.slice(0, first?.from ?? 0);
  return leading.test(before) || leadingName.test(before);
}

type Gap = 'equals' | 'several' | 'apart';

const unitWords = '(?:\\s*[\\p{L}%°$€£¥²³/]+){0,2}';
const several = [
  /^\s*(?:\*|[-+/×÷x^:~～·]|\*\*)\s*[($€£¥-]*$/u,
  new RegExp(
    `^${unitWords},?\\s*(?:\\bor\\b|\\bto\\b|\\bthrough\\b|或者?|还是|[到至])\\s*(?:\\p{L}+\\s+){0,2}[$€£¥]?-?$`,
    'u',
  ),
  /^\s*(?:,\s*(?:and|or)|[,;&、]|and\b|和|及)\s*[$€£¥]?$/u,
];
const within = /(?:\bbetween|\beither|\bboth|\bfrom|介于|在)\s*[$€£¥]?$/iu;

/** What stands between two neighbours says of them. */
function gapBetween(text: string, left: Placed, right: Placed): Gap {
  const gap = text.slice(left.to, right.from);
  if (/[=≈→]\s*[$€£¥(]*$/.test(gap)) return 'equals';
  const before = text.slice(Math.max(0, left.from - 12), left.from);
  // A price that went from 40 to 45 is 45; a range that is the whole answer is none.
  const isMove = /\bfrom\s*[$€£¥]?$/i.test(before) && !/(?:^|\bis|[:=])\s*from\s*[$€£¥]?$/i.test(before);
  if (isMove) return 'apart';
  if (several.some((pattern) => pattern.test(gap))) return 'several';
  return within.test(before) && new RegExp(`^${unitWords}\\s*(?:and|to|和|与|到)\\s*[$€£¥]?$`, 'u').test(gap)
    ? 'several'
    : 'apart';
}

const denial =
  /(?:\bnot|n['’]t|\bnever|\bcannot|\binstead of|\brather than|≠|!=|不[是等于]*|并?非|而不是)\s*(?:be|been|equal to|exactly|simply|just|the answer)?\s*[$€£¥"'(]*$/i;
const deniedAfter = /^[^\n.,;!?]{0,24}?\s(?:is|was|would be)\s+(?:not\b|wrong|incorrect|false)|^\s*(?:不对|是错|不是)/i;

function isDenied(before: string, after: string): boolean {
  return denial.test(before.slice(-longestUnit)) || deniedAfter.test(after.slice(0, 2 * longestUnit));
}

/** Which of the numbers are denied: where one is, those it is named together with are too. */
function denied(text: string, placed: readonly Placed[]): boolean[] {
  const found: boolean[] = [];
  placed.forEach((number, place) => {
    const left = placed[place - 1];
    const joined = left !== undefined && gapBetween(text, left, number) === 'several';
    found.push((joined && found[place - 1] === true) || isDenied(text.slice(0, number.from), text.slice(number.to)));
  });
  return found;
}

/** From the first number on, as far as it goes in one breath: `6 * 7 = 42, since …`. */
function fromFirst(text: string, placed: readonly Placed[]): ReadNumber[] {
  const isOut = denied(text, placed);
  if (isOut[0]) return fromLast(text, placed);
  const parts: Placed[][] = [[]];
  for (const [place, number] of placed.entries()) {
    const left = placed[place - 1];
    const gap = left ? gapBetween(text, left, number) : 'several';
    if (gap === 'apart' || isOut[place]) break;
    if (gap === 'equals') parts.push([]);
    parts.at(-1)?.push(number);
  }
  return parts.findLast((part) => part.length === 1) ?? parts.at(-1) ?? [];
}

/** The last number that is not denied, with those it is named together with. */
function fromLast(text: string, placed: readonly Placed[]): ReadNumber[] {
  const isOut = denied(text, placed);
  const read: Placed[] = [];
  for (let place = isOut.lastIndexOf(false); place >= 0; place--) {
    const number = placed[place];
    const right = read[0];
    if (!number || isOut[place] || (right && gapBetween(text, number, right) !== 'several')) break;
    read.unshift(number);
  }
  return read;
}
