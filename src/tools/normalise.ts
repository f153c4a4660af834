/**
 * What a tool returned becomes the text of an observation here: readable, complete, and without characters that make a
 * terminal, a person and a model see three different texts.
 */
import { messageOf } from '../core/errors.ts';

/** What stands where characters nobody can see carried text. */
const hiddenText = '[hidden text removed]';

const deepest = 100;
/** Characters of a printed value; more is no result that anybody reads. */
const longestOutput = 8 * 1024 * 1024;
const tooLong = 'left out, the result is too long';

/**
 * The text of whatever a tool returned. Strings stay as they are, other values become JSON indented by two spaces;
 * `undefined` is the empty text. Never throws: BigInt prints all its digits, Map an object or pairs, Set an array,
 * and cycles, functions, binary data and unreadable properties are named in brackets.
 *
 * Removed from every text: ANSI escapes, control characters (line breaks become `\n`, tabs stay) and bidi embeddings,
 * overrides and isolates. Lone surrogates become U+FFFD. Tag characters and other runs of invisible characters that can
 * carry a message become `[hidden text removed]`; emoji with joiners, the three flags that are made of tags (England,
 * Scotland, Wales), ZWNJ and right-to-left text stay.
 */
export function normaliseOutput(value: unknown): string {
  if (value === undefined) return '';
  return typeof value === 'string'
    ? cleanText(value)
    : print(value, { indent: '', ancestors: [], room: { left: longestOutput } });
}

// CSI; strings (OSC, DCS, SOS, PM, APC) with their terminator on the same line; then every other escape.
const ansi =
  /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x9c\r\n]*(?:\x07|\x1b\\|\x9c)|\x1b[ -/]*[0-~]/g;
const lineBreaks = /\r\n?|[\v\f\x85]/g;
const controls = /[\x00-\x08\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u206f\ufff9-\ufffb]/g;
// A flag is kept by being matched first; a message needs several variation selectors or zero-width characters in a row.
const hidden =
  /(\u{1f3f4}\u{e0067}\u{e0062}(?:\u{e0065}\u{e006e}\u{e0067}|\u{e0073}\u{e0063}\u{e0074}|\u{e0077}\u{e006c}\u{e0073})\u{e007f})|[\u{e0000}-\u{e007f}]+|[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]{2,}|[\u200b-\u200d\u2060-\u2064\ufeff]{4,}/gu;

/** Texts of these characters alone need no cleaning, which is nearly all of them. */
const clean = /^[\t\n\x20-\x7e\xa0-\u200a\u2010-\u2029\u2030-\u205f\u2070-\ud7ff\uf900-\ufdff]*$/;

function cleanText(text: string): string {
  if (clean.test(text)) return text;
  return text
    .toWellFormed()
    .replace(ansi, '')
    .replace(lineBreaks, '\n')
    .replace(controls, '')
    .replace(hidden, (_run, flag: string | undefined) => flag ?? hiddenText);
}

interface Place {
  indent: string;
  ancestors: object[];
  /** Characters that may still be printed; shared by the whole value. */
  room: { left: number };
}

function print(value: unknown, place: Place): string {
  if (place.room.left <= 0) return quoted(tooLong);
  const text = printed(value, place);
  // What is inside an object has been counted by itself.
  place.room.left -= typeof value === 'object' && value !== null ? 2 : text.length;
  return text;
}

function printed(value: unknown, place: Place): string {
  switch (typeof value) {
    case 'object':
      return value === null ? 'null' : printObject(value, place);
    case 'string':
      return quoted(value);
    case 'number':
      return Number.isFinite(value) ? JSON.stringify(value) : quoted(String(value));
    case 'bigint':
    case 'boolean':
      return String(value);
    case 'symbol':
      return quoted(value.toString());
    case 'function':
      return quoted(`[function ${value.name}]`);
    default:
      return 'null';
  }
}

function quoted(text: string): string {
  return JSON.stringify(cleanText(text));
}

function printObject(value: object, place: Place): string {
  if (place.ancestors.includes(value)) return quoted('[circular]');
  if (place.ancestors.length >= deepest) return quoted('[nested too deeply]');
  const inner = { indent: `${place.indent}  `, ancestors: [...place.ancestors, value], room: place.room };
  try {
    const plain = plainValue(value);
    if (plain !== value) return print(plain, { ...inner, indent: place.indent });
    const entries = Array.isArray(value)
      ? printItems(value, inner)
      : Object.keys(value).flatMap((key) => printEntry(value, key, inner));
    const [open, close] = Array.isArray(value) ? '[]' : '{}';
    if (entries.length === 0) return `${open}${close}`;
    return `${open}\n${entries.map((entry) => inner.indent + entry).join(',\n')}\n${place.indent}${close}`;
  } catch (error) {
    return quoted(`[unreadable: ${messageOf(error)}]`);
  }
}

/** The items up to where the room ends: an array may say it is longer than any memory. */
function printItems(items: readonly unknown[], place: Place): string[] {
  const texts: string[] = [];
  for (let index = 0; index < items.length && place.room.left > 0; index++) texts.push(print(items[index], place));
  if (texts.length < items.length) texts.push(quoted(`[${items.length - texts.length} more items: ${tooLong}]`));
  return texts;
}

function printEntry(value: object, key: string, place: Place): string[] {
  let text: string;
  try {
    const item: unknown = Reflect.get(value, key);
    if (item === undefined) return [];
    text = print(item, place);
  } catch (error) {
    text = quoted(`[unreadable: ${messageOf(error)}]`);
  }
  return [`${quoted(key)}: ${text}`];
}

/** The value that is printed instead of an object JSON knows nothing of; the object itself when its keys say it all. */
function plainValue(value: object): unknown {
  if (value instanceof Map) return plainMap(value);
  if (value instanceof Set) return [...value];
  if (value instanceof Error) return { ...value, name: value.name, message: value.message };
  if (value instanceof RegExp) return String(value);
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return `[binary data, ${value.byteLength} bytes]`;
  const toJson: unknown = Reflect.get(value, 'toJSON');
  return typeof toJson === 'function' ? Reflect.apply(toJson, value, []) : value;
}

function plainMap(map: Map<unknown, unknown>): unknown {
  const named = [...map.keys()].every((key) => typeof key === 'string');
  return named ? Object.fromEntries(map) : [...map];
}
