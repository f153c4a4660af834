import type { Json } from '../core/json.ts';
import { Malformed, opensString, readString } from './repair-string.ts';

/**
 * A value as it was read. No `repairs` means that `text.slice(start, end)` is strict JSON. `members` are the spans of the
 * values of a root object, by key. `cut` names what was still open when the text ended.
 */
export type Reading =
  | { ok: true; value: Json; end: number; repairs: string[]; members: ReadonlyMap<string, [from: number, to: number]> }
  | { ok: false; at: number; message: string; cut?: string | undefined };

/** Deeper values are refused: everything that walks a value may recurse. */
const maxDepth = 200;

const literals: ReadonlyMap<string, Json> = new Map<string, Json>([
  ['true', true],
  ['false', false],
  ['null', null],
  ['True', true],
  ['False', false],
  ['None', null],
]);

/**
 * Reads the one value that begins at `start`, and repairs on the way what has only one reading: raw control characters,
 * trailing commas, comments, Python literals, quotes of other kinds, and backslashes that escape nothing. One pass, linear.
 *
 * Integers that a double cannot hold and numbers too large for one are kept as strings (`big-number`), lone surrogates
 * become U+FFFD (`lone-surrogate`), and members that reach for a prototype are left out (`proto-key`). Strict JSON is read
 * here as well, not by JSON.parse: that rounds, and the one of Node 24.21 can give an escaped key the name of a key it has
 * read before.
 */
export function readValue(text: string, start: number): Reading {
  const reader = new Reader(text, start);
  try {
    const value = reader.value(0);
    return { ok: true, value, end: reader.at, repairs: [...reader.repairs], members: reader.members };
  } catch (error) {
    if (!(error instanceof Malformed)) throw error;
    return { ok: false, at: error.at, message: error.message, cut: error.cut };
  }
}

class Reader {
  readonly text: string;
  at: number;
  readonly repairs: Set<string> = new Set();
  readonly members: Map<string, [number, number]> = new Map();
  /** The quote that closed the last string; a comment that holds one might be the rest of that string. */
  #lastQuote = '"';

  constructor(text: string, at: number) {
    this.text = text;
    this.at = at;
  }

  value(depth: number): Json {
    const character = this.text[this.at];
    if (depth > maxDepth) throw new Malformed(this.at, `values may be nested ${maxDepth} levels deep`);
    if (character === '{') return this.#object(depth);
    if (character === '[') return this.#array(depth);
    if (opensString(character)) return this.#string();
    if (character !== undefined && /[-\d]/.test(character)) return this.#number();
    return this.#literal();
  }

  #object(depth: number): Json {
    const start = this.at;
    const result: { [key: string]: Json } = {};
    this.at += 1;
    this.#space();
    while (!this.#take('}')) {
      if (!opensString(this.text[this.at])) throw this.#unexpected('a key in double quotes', start);
      const key = this.#string();
      this.#space();
      if (!this.#take(':')) throw this.#unexpected('":"', start);
      this.#space();
      const from = this.at;
      if (from >= this.text.length) throw this.#unexpected('a value', start);
      const value = this.value(depth + 1);
      if (depth === 0) this.members.set(key, [from, this.at]);
      if (key === '__proto__' || (key === 'constructor' && holdsPrototype(value))) this.repairs.add('proto-key');
      else result[key] = value;
      this.#separator('}', start);
    }
    return result;
  }

  #array(depth: number): Json {
    const start = this.at;
    const result: Json[] = [];
    this.at += 1;
    this.#space();
    while (!this.#take(']')) {
      if (this.at >= this.text.length) throw this.#unexpected('a value', start);
      result.push(this.value(depth + 1));
      this.#separator(']', start);
    }
    return result;
  }

  /** A comma, or nothing in front of the closer. */
  #separator(closer: string, start: number): void {
    this.#space();
    if (this.#take(',')) {
      this.#space();
      if (this.text[this.at] === closer) this.repairs.add('trailing-comma');
    } else if (this.text[this.at] !== closer) {
      const hint = this.#followsString() ? ' (an inner quote is written \\")' : '';
      throw this.#unexpected(`"," or "${closer}"${hint}`, start);
    }
  }

  #followsString(): boolean {
    const before = this.text.slice(Math.max(0, this.at - 80), this.at).trimEnd();
    return opensString(before.at(-1));
  }

  #string(): string {
    const reading = readString(this.text, this.at);
    for (const repair of reading.repairs) this.repairs.add(repair);
    this.at = reading.end;
    this.#lastQuote = this.text.charAt(reading.end - 1);
    return reading.value;
  }

  #number(): Json {
    const start = this.at;
    const written = this.#match(/-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y);
    if (written === undefined || this.#match(/[\w.+-]/y) !== undefined) {
      this.at = start;
      const rest = this.#match(/[-+.\d\w]*/y) ?? '';
      const cut = start > 0 && this.at === this.text.length && /^-?[\d.]*(?:[eE][+-]?)?$/.test(rest);
      this.at = start;
      if (cut) throw new Malformed(start, 'the number is not complete', `the number that began at position ${start}`);
      throw this.#unexpected('a number of JSON');
    }
    const integer = /^(-?\d+)(?:\.0+)?$/.exec(written)?.[1];
    const value = Number(written);
    if (integer === undefined ? Number.isFinite(value) : Number.isSafeInteger(value)) return value;
    this.repairs.add('big-number');
    return integer ?? written;
  }

  #literal(): Json {
    const start = this.at;
    const word = this.#match(/[A-Za-z_]\w*/y) ?? '';
    const value = literals.get(word);
    if (value !== undefined) {
      if (word[0] === word[0]?.toUpperCase()) this.repairs.add('python-literal');
      return value;
    }
    const begun =
      word !== '' && this.at === this.text.length && [...literals.keys()].some((key) => key.startsWith(word));
    this.at = start;
    if (begun) throw new Malformed(start, 'the word is not complete', `the word that began at position ${start}`);
    throw this.#unexpected('a value');
  }

  /** White space and comments. */
  #space(): void {
    for (;;) {
      const space = this.#match(/[\s\uFEFF]+/y);
      if (space !== undefined && /[^ \t\n\r]/.test(space)) this.repairs.add('white-space');
      if (this.text[this.at] !== '/') return;
      this.#comment();
    }
  }

  #comment(): void {
    const start = this.at;
    const block = this.text.startsWith('/*', start);
    if (!block && !this.text.startsWith('//', start)) throw this.#unexpected('a comma or a closing bracket');
    const found = this.text.indexOf(block ? '*/' : '\n', start + 2);
    if (found < 0 && block)
      throw new Malformed(start, 'the comment is not closed', `the comment that began at position ${start}`);
    const end = found < 0 ? this.text.length : found + (block ? 2 : 1);
    if (this.text.slice(start, end).includes(this.#lastQuote)) {
      throw new Malformed(
        start,
        'this is either a comment or the rest of a string with an inner quote: leave comments out',
      );
    }
    this.repairs.add('comment');
    this.at = end;
  }

  #take(character: string): boolean {
    if (this.text[this.at] !== character) return false;
    this.at += 1;
    return true;
  }

  #match(sticky: RegExp): string | undefined {
    sticky.lastIndex = this.at;
    const found = sticky.exec(this.text)?.[0];
    if (found !== undefined) this.at += found.length;
    return found;
  }

  #unexpected(expected: string, container?: number): Malformed {
    if (this.at >= this.text.length) {
      const name = this.text[container ?? 0] === '[' ? 'array' : 'object';
      return new Malformed(this.at, `expected ${expected}`, `the ${name} that began at position ${container ?? 0}`);
    }
    return new Malformed(this.at, `expected ${expected}, found ${excerpt(this.text, this.at)}`);
  }
}

/** A later merge would follow `constructor.prototype` to what every object inherits. */
function holdsPrototype(value: Json): boolean {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, 'prototype');
}

/** A few characters of the text in quotes, for a message. */
export function excerpt(text: string, at: number): string {
  const part = text.slice(at, at + 24).toWellFormed();
  return `${JSON.stringify(part)}${at + 24 < text.length ? '…' : ''}`;
}
