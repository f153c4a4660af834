import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json } from '../core/json.ts';
import { message, repairs, value } from '../testing/read-json.ts';
import { isGuess, parseJson } from './parse.ts';

function strings(json: Json): string[] {
  if (typeof json === 'string') return [json];
  if (Array.isArray(json)) return json.flatMap(strings);
  return json && typeof json === 'object' ? Object.entries(json).flatMap(([key, item]) => [key, ...strings(item)]) : [];
}

describe('repair', () => {
  it.each<[name: string, text: string, json: Json]>([
    ['control-character', '{"a":"one\ntwo\tthree\u0001"}', { a: 'one\ntwo\tthree\u0001' }],
    ['trailing-comma', '{"a":[1,2,],"b":"keep ,} and ,]",}', { a: [1, 2], b: 'keep ,} and ,]' }],
    ['single-quote', `{'a': 'say "hi"', 'b': 'it\\'s'}`, { a: 'say "hi"', b: "it's" }],
    [
      'python-literal',
      '{"a":True,"b":[False,None],"c":"True or None"}',
      { a: true, b: [false, null], c: 'True or None' },
    ],
    [
      'comment',
      '{ // first\n "a": "http://x/*y*/" /* end */ , # "b":1}'.replace(' , #', ','),
      { a: 'http://x/*y*/', b: 1 },
    ],
    ['curly-quote', '{“a”: “it’s ‘fine’”, „b“: 2}', { a: 'it’s ‘fine’', b: 2 }],
    [
      'invalid-escape',
      '{"a":"E:\\docs\\users\\my.txt","b":"\\d+ \\u12"}',
      { a: 'E:\\docs\\users\\my.txt', b: '\\d+ \\u12' },
    ],
    ['escaped-apostrophe', '{"a":"it\\\'s"}', { a: "it's" }],
    ['white-space', '{\u00a0"a":\u00a01}', { a: 1 }],
  ])('%s', (name, text, json) => {
    expect(parseJson(text)).toEqual({ ok: true, value: json, repairs: [name] });
  });

  it('names every repair of one text, inside prose too', () => {
    expect(repairs("Sure: {'a': [True,], } ok?")?.toSorted()).toEqual([
      'in-sentence',
      'prose',
      'python-literal',
      'single-quote',
      'trailing-comma',
    ]);
  });

  it('counts packaging as certain and the rest as guesses', () => {
    expect(isGuess(['fence', 'prose', 'big-number', 'lone-surrogate'])).toBe(false);
    expect(isGuess(['fence', 'trailing-comma'])).toBe(true);
    expect(isGuess([])).toBe(false);
  });

  it.each([
    ['an inner quote', '{"t":"She said "stop", then left."}', 16],
    ['an inner quote at the end', '{"t":"She said "stop""}', 16],
    ['a low quote closed by a straight one', '{"t":"Er rief „Los" und ging"}', 20],
    ['an apostrophe in single quotes', "{'t': 'it's so'}", 10],
    ['a straight quote in curly ones', '{“t”: “the "best" one”}', 11],
    ['backslashes of two kinds', '{"t":"C:\\temp\\proj"}', 13],
    ['a missing quote', '{"t": stop"}', 6],
    ['a missing comma', '{"t":1 "u":2}', 7],
    ['a missing value', '[1,,2]', 3],
    ['a number that JSON has not', '{"t":01}', 5],
    ['a word that JSON has not', '{"t":NaN}', 5],
    ['a comment with a quote in it', '{"t":"see ", // there"\n}', 13],
  ])('refuses %s at its position', (_, text, position) => {
    expect(message(text)).toContain(`malformed JSON at position ${position}:`);
  });

  it.each([
    '{"t":"a "} b"}',
    '{"t":"a"}" b"}',
    '"action":"go","input":{"t":1}}',
    '{"t":"x"} {""}',
    '{"t":"a"} b", "u": 3}',
    '{"t":"a"}" b',
  ])('refuses a piece of something larger: %j', (text) => {
    expect(parseJson(text).ok).toBe(false);
  });

  it.each([
    ['{"a":"never clo', 'the string that began at position 5'],
    ['{"a":"x\\', 'the string that began at position 5'],
    ['{"a":"x\\u00', 'the string that began at position 5'],
    ['{"a":[1,2', 'the array that began at position 5'],
    ['{"a":{"b":1}', 'the object that began at position 0'],
    ['{"a"', 'the object that began at position 0'],
    ['{"a":1,', 'the object that began at position 0'],
    ['{"a":tr', 'the word that began at position 5'],
    ['{"a":-', 'the number that began at position 5'],
    ['Well: {"a": /* why', 'the comment that began at position 12'],
  ])('says of %j what the end of the text cut', (text, cut) => {
    expect(parseJson(text)).toEqual({ ok: false, message: `the JSON ends in the middle of ${cut}`, cut });
  });

  it('does not blame the length for a quote that is missing', () => {
    const parsed = parseJson('{"mode":"list}');
    expect(parsed).toMatchObject({ ok: false });
    expect(parsed).not.toHaveProperty('cut', expect.any(String));
    expect(message('{"mode":"list}')).toContain('position 8');
  });

  it('reads what it repairs as it was meant, whatever the value', () => {
    const word = fc.string({
      unit: fc.constantFrom('a', 'é', ' ', ',', '}', ']', ':', '\n', '\\', '#', '🛶'),
      maxLength: 8,
    });
    const tree = fc.letrec<{ any: Json }>((tie) => ({
      any: fc.oneof(
        { depthSize: 'small' },
        word,
        fc.integer(),
        fc.boolean(),
        fc.constant(null),
        fc.array(tie('any'), { maxLength: 3 }),
        fc.dictionary(word, tie('any'), { maxKeys: 3, noNullPrototype: true }),
      ),
    })).any;
    fc.assert(
      fc.property(tree, fc.constantFrom(...styles), (json, style) => {
        const text = write([json], style);
        expect(value(text), text).toEqual([json]);
        expect(value(`So: ${text} Good?`), text).toEqual(isDull(json) ? expect.anything() : [json]);
      }),
      { numRuns: 500 },
    );
  });

  it('claims no repair only where JSON.parse agrees, and lets no ill-formed string out', () => {
    const noise = fc.string({
      unit: fc.constantFrom('"', "'", '\\', '{', '}', '[', ']', ',', ':', '/', '\n', '“', 'u', 'd83d'),
    });
    fc.assert(
      fc.property(fc.json(), noise, fc.nat(), fc.nat(9), (json, inserted, position, removed) => {
        const at = position % (json.length + 1);
        const text = json.slice(0, at) + inserted + json.slice(at + removed);
        const parsed = parseJson(text);
        if (!parsed.ok) return;
        if (parsed.repairs.length === 0) {
          expect(isStrictJson(text), text).toBe(true);
          // JSON.parse of Node 24.21 can mistake one escaped key for another.
          if (!text.includes('\\')) expect(parsed.value).toEqual(JSON.parse(text));
        }
        for (const string of strings(parsed.value)) expect(string.isWellFormed()).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  it('never shortens a string that has unescaped quotes in it', () => {
    const raw = fc.string({
      unit: fc.constantFrom('a', ' ', '"', ',', ':', '}', ']', '/', '*', '\n', '{', '[', "'"),
      maxLength: 12,
    });
    fc.assert(
      fc.property(raw, (note) => {
        const text = `{"note":"${note}"}`;
        const parsed = parseJson(text);
        if (!parsed.ok || isStrictJson(text) || parsed.repairs.includes('first-of-several')) return;
        expect(parsed.value, text).toEqual({ note });
      }),
      { numRuns: 5000 },
    );
  });
});

interface Style {
  quote(text: string): string;
  literals: [string, string, string];
  close: string;
  gap: string;
}

const json: Style['literals'] = ['true', 'false', 'null'];
const single = (text: string): string =>
  `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;

const styles: readonly Style[] = [
  { quote: JSON.stringify, literals: json, close: ',', gap: ' ' },
  { quote: single, literals: ['True', 'False', 'None'], close: '', gap: ' ' },
  { quote: JSON.stringify, literals: json, close: '', gap: ' /* x */ // y\n' },
  { quote: (text) => `“${JSON.stringify(text).slice(1, -1)}”`, literals: json, close: ',', gap: '' },
  { quote: (text) => JSON.stringify(text).replaceAll('\\n', '\n'), literals: json, close: '', gap: '\u00a0' },
];

function write(value: Json, style: Style): string {
  if (typeof value === 'string') return style.quote(value);
  if (value === null || typeof value === 'boolean') return style.literals[value === null ? 2 : value ? 0 : 1];
  if (typeof value === 'number') return String(value);
  const items = Array.isArray(value)
    ? value.map((item) => write(item, style))
    : Object.entries(value).map(([key, item]) => `${style.quote(key)}${style.gap}:${write(item, style)}`);
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  return `${open}${items.join(`,${style.gap}`)}${items.length > 0 ? style.close : ''}${style.gap}${close}`;
}

/** A list that prose is full of: `[12]`, `[{}]` in a run of brackets. */
function isDull(json: Json): boolean {
  return typeof json === 'number' && json >= 0 && json < 1000;
}

function isStrictJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
