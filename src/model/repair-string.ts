/** Where and why a text stopped being readable. `cut` names what was still open when the text ended. */
export class Malformed extends Error {
  override readonly name = 'Malformed';
  readonly at: number;
  readonly cut: string | undefined;
  constructor(at: number, message: string, cut?: string) {
    super(message);
    this.at = at;
    this.cut = cut;
  }
}

/** A string as it was read: its value, the index after its closing quote, and what had to be repaired. */
export interface StringReading {
  value: string;
  end: number;
  repairs: string[];
}

/** What closes a string, by the character that opened it. */
const closers: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ["'", "'"],
  ['“', '“”'],
  ['”', '“”'],
  ['„', '“”'],
  ['‘', '‘’'],
  ['’', '‘’'],
]);

const escapes: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ['\\', '\\'],
  ['/', '/'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
]);

/** True for a character that can open a string, straight or curly. */
export function opensString(character: string | undefined): boolean {
  return character !== undefined && closers.has(character);
}

interface State {
  text: string;
  start: number;
  at: number;
  parts: string[];
  repairs: Set<string>;
  /** Where an escape stands that JSON knows, the escaped quote aside, and one that it does not. */
  known?: number;
  unknown?: number;
}

/**
 * Reads the string whose opening quote is at `start`. A quote always closes; whether what follows makes sense is for the
 * caller to check, so that an inner quote is an error and never a shorter value. Throws `Malformed`.
 */
export function readString(text: string, start: number): StringReading {
  const opener = text.charAt(start);
  const closing = closers.get(opener) ?? opener;
  const state: State = { text, start, at: start + 1, parts: [], repairs: new Set() };
  if (opener !== '"') state.repairs.add(opener === "'" ? 'single-quote' : 'curly-quote');
  for (;;) {
    readPlain(state);
    const character = text[state.at];
    if (character === undefined) throw unclosed(state);
    if (closing.includes(character)) break;
    if (character === '\\') readEscape(state);
    else readOdd(state, character, closing);
  }
  refuseMixedBackslashes(state);
  const value = state.parts.join('');
  if (!value.isWellFormed()) state.repairs.add('lone-surrogate');
  return { value: value.toWellFormed(), end: state.at + 1, repairs: [...state.repairs] };
}

function readPlain(state: State): void {
  const plain = /[^"'“”‘’\\\u0000-\u001f]+/y;
  plain.lastIndex = state.at;
  const found = plain.exec(state.text)?.[0];
  if (found === undefined) return;
  state.parts.push(found);
  state.at += found.length;
}

function readOdd(state: State, character: string, closing: string): void {
  if (character === '"' && closing !== "'") {
    throw new Malformed(
      state.at,
      'a straight quote inside a string in curly quotes can be read in two ways: delimit strings with " and write inner quotes as \\"',
    );
  }
  if (character < ' ') state.repairs.add('control-character');
  state.parts.push(character);
  state.at += 1;
}

function readEscape(state: State): void {
  const { text, at } = state;
  const character = text[at + 1];
  if (character === undefined) throw unclosed(state);
  const known = escapes.get(character);
  if (known !== undefined) {
    if (character !== '"') state.known ??= at;
    take(state, known, 2);
  } else if (character === "'") {
    // No escape of JSON, but one of every language whose strings are written this way.
    if (text[state.start] !== "'") state.repairs.add('escaped-apostrophe');
    take(state, "'", 2);
  } else if (character === 'u') {
    readUnicodeEscape(state);
  } else {
    state.unknown ??= at;
    take(state, '\\', 1);
  }
}

function readUnicodeEscape(state: State): void {
  const { text, at } = state;
  const digits = text.slice(at + 2, at + 6);
  if (/^[\da-f]{4}$/i.test(digits)) {
    state.known ??= at;
    take(state, String.fromCharCode(Number.parseInt(digits, 16)), 6);
  } else if (at + 2 + digits.length === text.length && /^[\da-f]*$/i.test(digits)) {
    throw unclosed(state);
  } else {
    state.unknown ??= at;
    take(state, '\\', 1);
  }
}

function take(state: State, decoded: string, length: number): void {
  state.parts.push(decoded);
  state.at += length;
}

/** `C:\new\proj`: either every backslash is meant as one, or `\n` is a line break. Nobody can tell. */
function refuseMixedBackslashes(state: State): void {
  if (state.unknown === undefined) return;
  if (state.known !== undefined) {
    const { text, known, unknown } = state;
    throw new Malformed(
      unknown,
      `${text.slice(unknown, unknown + 2)} is no escape of JSON while ${text.slice(known, known + 2)} in the same string is one: write every backslash of the text as \\\\`,
    );
  }
  state.repairs.add('invalid-escape');
}

function unclosed({ text, start }: State): Malformed {
  // A text that ends in a closing bracket was hardly cut: blaming the length would send the model down the wrong path.
  if (/[}\]]\s*$/.test(text.slice(-80))) {
    return new Malformed(
      start,
      'the string that begins here is never closed: its closing quote is missing, or the text was cut',
    );
  }
  return new Malformed(start, 'the string is not closed', `the string that began at position ${start}`);
}
