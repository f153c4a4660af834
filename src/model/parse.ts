import type { Json } from '../core/json.ts';
import { inlineCodeEnd, isIncidental, nextJson, packaging, whyFragment } from './find-json.ts';
import { type Reading, readValue } from './repair.ts';

/**
 * What a model's text holds. `repairs` names what was done to read it, in no order: nothing for strict JSON. `cut` says
 * that the text ended inside the value, and names what was still open (`the string that began at position 12`).
 */
export type Parsed =
  | { ok: true; value: Json; repairs: string[] }
  | { ok: false; message: string; cut?: string | undefined };

/** Repairs that leave no doubt about what was meant: packaging, and what our own JSON cannot hold. */
const certain: ReadonlySet<string> = new Set([
  'fence',
  'prose',
  'big-number',
  'lone-surrogate',
  'proto-key',
  'white-space',
]);

/** True when a repair was a guess at what the model meant: such a value must not reach a tool with effects. */
export function isGuess(repairs: readonly string[]): boolean {
  return repairs.some((repair) => !certain.has(repair));
}

/**
 * Reads the JSON value in a model's text. Text that is JSON as a whole is taken as it stands. Otherwise the first object
 * or array in reading order is taken, out of a code fence (`fence`) or prose (`prose`; `in-sentence` when words share a line
 * with it), and repaired if it has only one reading; more values after it are named (`first-of-several`) and ignored. A
 * value with two readings, such as one with unescaped inner quotes, is an error with its position, never a shorter value.
 * Linear in the length of the text.
 *
 * Strings are well formed: a surrogate pair is joined, a lone one becomes U+FFFD. Integers beyond 2^53 and numbers too
 * large for a double come as strings of their digits (`big-number`). `__proto__` members, and `constructor` ones that hold a
 * `prototype`, are left out (`proto-key`).
 */
export function parseJson(text: string): Parsed {
  const start = /\S/.exec(text)?.index ?? 0;
  const whole = readValue(text, start);
  const bracketed = text[start] === '{' || text[start] === '[';
  if (whole.ok && text.slice(whole.end).trim() === '' && (bracketed || isStrict(whole))) {
    return { ok: true, value: whole.value, repairs: whole.repairs };
  }
  if (bracketed && !(whole.ok && isIncidental(text.slice(start, whole.end)))) return taken(text, start, whole);
  return fencedScalar(text) ?? firstValue(text);
}

/** No repair that strict JSON would not need too. */
function isStrict(reading: Reading): boolean {
  return reading.ok && !isGuess(reading.repairs);
}

function taken(text: string, start: number, reading: Reading): Parsed {
  if (!reading.ok) return failure(reading);
  const next = anotherValue(text, reading.end);
  const unreadable = next && !next.reading.ok && !text.slice(reading.end, next.start).includes('\n');
  const fragment = unreadable
    ? 'what follows on its line cannot be read'
    : whyFragment(text, start, reading.end, next?.start ?? text.length);
  if (fragment)
    return { ok: false, message: `the JSON at position ${start} is not all of what was meant: ${fragment}` };
  const repairs = [...packaging(text, start, reading.end), ...reading.repairs];
  if (next) repairs.push('first-of-several');
  return { ok: true, value: reading.value, repairs };
}

function failure(reading: Extract<Reading, { ok: false }>): Parsed {
  if (reading.cut) return { ok: false, message: `the JSON ends in the middle of ${reading.cut}`, cut: reading.cut };
  return { ok: false, message: `malformed JSON at position ${reading.at}: ${reading.message}` };
}

function firstValue(text: string): Parsed {
  const lastFence = text.lastIndexOf('\n```');
  let incidental: Parsed | undefined;
  for (let start = nextJson(text, 0); start >= 0; ) {
    const reading = readValue(text, start);
    const passed = start < lastFence ? quotedEnd(text, start, reading) : -1;
    if (passed < 0 && !(reading.ok && isIncidental(text.slice(start, reading.end)))) return taken(text, start, reading);
    if (reading.ok) incidental ??= { ok: true, value: reading.value, repairs: packaging(text, start, reading.end) };
    start = nextJson(text, passed < 0 && reading.ok ? reading.end : passed);
  }
  return incidental ?? { ok: false, message: 'no JSON value was found in the text' };
}

/** The end of the inline code in which a value is shown, or -1: with a fenced block to come it is only spoken of. */
function quotedEnd(text: string, start: number, reading: Reading): number {
  const end = inlineCodeEnd(text, start);
  const readTo = reading.ok ? reading.end : reading.at;
  return !(reading.ok || reading.cut === undefined) || readTo >= end ? -1 : end;
}

/** The next thing that looks like a value and is worth a look, readable or not. */
function anotherValue(text: string, from: number): { start: number; reading: Reading } | undefined {
  for (let start = nextJson(text, from); start >= 0; ) {
    const reading = readValue(text, start);
    if (!reading.ok || !isIncidental(text.slice(start, reading.end))) return { start, reading };
    start = nextJson(text, reading.end);
  }
  return undefined;
}

function fencedScalar(text: string): Parsed | undefined {
  const body = /^\s*```[^\n`]*\n([\s\S]*?)```\s*$/.exec(text)?.[1];
  if (body === undefined) return undefined;
  const start = /\S/.exec(body)?.index ?? 0;
  const reading = readValue(body, start);
  if (!reading.ok || !isStrict(reading) || body.slice(reading.end).trim() !== '') return undefined;
  return { ok: true, value: reading.value, repairs: ['fence', ...reading.repairs] };
}

/** One object of a series: its text and its value. */
export interface SeriesItem {
  text: string;
  value: Json;
}

/** The objects of a text that is nothing but complete strict JSON objects glued together, or undefined. */
export function seriesOf(text: string): SeriesItem[] | undefined {
  const items: SeriesItem[] = [];
  const filled = /\S/g;
  for (let found = filled.exec(text); found; found = filled.exec(text)) {
    if (found[0] !== '{') return undefined;
    const reading = readValue(text, found.index);
    if (!reading.ok || reading.repairs.some((repair) => repair !== 'big-number')) return undefined;
    items.push({ text: text.slice(found.index, reading.end), value: reading.value });
    filled.lastIndex = reading.end;
  }
  return items.length > 0 ? items : undefined;
}

/**
 * The values of a text that is nothing but complete strict JSON objects glued together, with or without white space
 * between them; undefined for any other text. Nothing is lost: no repair, no prose.
 */
export function parseSeries(text: string): Json[] | undefined {
  return seriesOf(text)?.map((item) => item.value);
}
