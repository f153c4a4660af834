/**
 * Python literals as values that can be compared: what `ast.literal_eval` reads, but complex numbers. A value becomes a text that is the
 * same for all that Python holds equal: 1, 1.0 and True; sets and dictionaries in any order.
 */

/** Longer and deeper texts are no literals here. */
const longest = 100_000;
const deepest = 100;
/** As in Python, which reads no longer integer. */
const mostDigits = 4_300;

/** The text that stands for the value of a literal; undefined for what is none. */
export function pythonValue(text: string): string | undefined {
  if (text.length > longest) return undefined;
  const reader = new LiteralReader(text);
  return reader.whole();
}

const escapes: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  a: '\x07',
  b: '\b',
  f: '\f',
  v: '\v',
  '\\': '\\',
  "'": "'",
  '"': '"',
  '\n': '',
};
const escapePattern = /\\(?:(x[\da-fA-F]{2}|u[\da-fA-F]{4}|U[\da-fA-F]{8})|([0-7]{1,3})|([\s\S]))/g;
const stringPattern =
  /([rR]?[bB]|[bB]?[rR]|[uU]?)(?:'''((?:[^\\]|\\[\s\S])*?)'''|"""((?:[^\\]|\\[\s\S])*?)"""|'((?:[^'\\\n]|\\[\s\S])*)'|"((?:[^"\\\n]|\\[\s\S])*)")/y;
const numberPattern =
  /0[xX][\da-fA-F_]+|0[oO][0-7_]+|0[bB][01_]+|(?:\d[\d_]*(?:\.(?:\d[\d_]*)?)?|\.\d[\d_]*)(?:[eE][-+]?\d+)?(?![\w.])/y;

class LiteralReader {
  readonly #text: string;
  #at = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  whole(): string | undefined {
    const first = this.#value();
    if (first === undefined) return undefined;
    // `1, 2` is a tuple without its brackets.
    const value = this.#take(',') ? this.#bareTuple(first) : first;
    this.#blanks();
    return this.#at === this.#text.length ? value : undefined;
  }

  #bareTuple(first: string): string | undefined {
    const items = [first];
    this.#blanks();
    while (this.#at < this.#text.length) {
      const item = this.#value();
      if (item === undefined) return undefined;
      items.push(item);
      if (!this.#take(',')) break;
    }
    return `(${items.join(',')})`;
  }

  #blanks(): void {
    while (/\s/.test(this.#text.charAt(this.#at))) this.#at++;
  }

  #take(expected: string): boolean {
    this.#blanks();
    if (!this.#text.startsWith(expected, this.#at)) return false;
    this.#at += expected.length;
    return true;
  }

  #match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text) ?? undefined;
    this.#at += found?.[0].length ?? 0;
    return found;
  }

  #value(): string | undefined {
    if (++this.#depth > deepest) return undefined;
    const value = this.#atom();
    this.#depth--;
    return value;
  }

  #atom(): string | undefined {
    this.#blanks();
    const next = this.#text.charAt(this.#at);
    if (next === '[') return this.#items('[', ']');
    if (next === '(') return this.#bracket();
    if (next === '{') return this.#braces();
    if (/['"rRbBuU]/.test(next)) return this.#strings();
    return this.#word() ?? this.#number();
  }

  #word(): string | undefined {
    const [word] = this.#match(/(?:None|True|False|set\(\s*\))(?!\w)/y) ?? [];
    if (word === undefined) return undefined;
    if (word === 'None') return 'None';
    return word.startsWith('set') ? '{set}' : word === 'True' ? '1' : '0';
  }

  #number(): string | undefined {
    const sign = this.#match(/[-+]\s*/y)?.[0].charAt(0);
    const digits = this.#match(numberPattern)?.[0].replaceAll('_', '');
    if (digits === undefined || digits.length > mostDigits || /^0\d*[1-9]\d*$/.test(digits)) return undefined;
    const isWhole = /^(?:\d+|0[xXoObB].*)$/.test(digits);
    const value = isWhole ? BigInt(digits) : Number(digits);
    const text = typeof value === 'number' && Number.isInteger(value) ? String(BigInt(value)) : String(value);
    return sign === '-' && text !== '0' ? `-${text}` : text;
  }

  #strings(): string | undefined {
    let joined: string | undefined;
    let isBytes = false;
    for (;;) {
      const found = this.#match(stringPattern);
      if (!found) break;
      const prefix = (found[1] ?? '').toLowerCase();
      if (joined !== undefined && prefix.includes('b') !== isBytes) return undefined;
      isBytes = prefix.includes('b');
      const body = found[2] ?? found[3] ?? found[4] ?? found[5] ?? '';
      joined = (joined ?? '') + (prefix.includes('r') ? body : unescaped(body, isBytes));
      this.#blanks();
    }
    return joined === undefined ? undefined : `${isBytes ? 'b' : ''}${JSON.stringify(joined)}`;
  }

  #items(open: string, close: string): string | undefined {
    const items = this.#list(open, close);
    return items && `${open}${items.values.join(',')}${close}`;
  }

  #bracket(): string | undefined {
    const items = this.#list('(', ')');
    if (!items) return undefined;
    const [only] = items.values;
    // (1) is 1, and (1,) a tuple.
    return items.values.length === 1 && !items.trailing ? only : `(${items.values.join(',')})`;
  }

  #list(open: string, close: string): { values: string[]; trailing: boolean } | undefined {
    this.#take(open);
    const values: string[] = [];
    let trailing = false;
    while (!this.#take(close)) {
      if (values.length > 0 && !trailing) return undefined;
      const value = this.#value();
      if (value === undefined) return undefined;
      values.push(value);
      trailing = this.#take(',');
    }
    return { values, trailing };
  }

  #braces(): string | undefined {
    this.#take('{');
    const members = new Map<string, string | undefined>();
    let isDictionary: boolean | undefined;
    let separated = true;
    while (!this.#take('}')) {
      const key = separated ? this.#value() : undefined;
      const isPair = this.#take(':');
      const value = isPair ? this.#value() : undefined;
      if (key === undefined || /^[[{]/.test(key) || (isPair && value === undefined)) return undefined;
      if (isDictionary !== undefined && isDictionary !== isPair) return undefined;
      isDictionary = isPair;
      members.set(key, value);
      separated = this.#take(',');
    }
    if (isDictionary === false)
      return `{set${[...members.keys()]
        .sort()
        .map((key) => ` ${key}`)
        .join('')}}`;
    return `{${[...members]
      .map(([key, value]) => `${key}:${value}`)
      .sort()
      .join(',')}}`;
  }
}

function unescaped(body: string, isBytes: boolean): string {
  return body.replace(escapePattern, (whole: string, hex?: string, octal?: string, plain?: string) => {
    if (hex !== undefined) return isBytes && !hex.startsWith('x') ? whole : characterOf(hex.slice(1), 16);
    if (octal !== undefined) return characterOf(octal, 8);
    return escapes[plain ?? ''] ?? whole;
  });
}

function characterOf(digits: string, base: number): string {
  const code = Number.parseInt(digits, base);
  return code <= 0x10ffff ? String.fromCodePoint(code) : '\ufffd';
}
