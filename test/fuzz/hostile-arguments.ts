/** Texts that a model which was taken over may send as the arguments of a tool. */
import * as fc from 'fast-check';
import { jsonSchemaOf, type Tool } from '../../src/tools/tool.ts';

/** Values that make sense for a field of a tool, by the field's name: with them most calls get to the tool's own work. */
export type Dictionary = Readonly<Record<string, fc.Arbitrary<unknown>>>;

interface Schema {
  type?: string | string[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  oneOf?: Schema[];
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
}

/** Paths, URLs, SQL, commands, patterns and characters that have broken tools. */
const traps = [
  '',
  ' ',
  '\0',
  'a\0b',
  '.',
  '..',
  '../../../../etc/passwd',
  '/etc/passwd',
  '..\\..\\windows\\win.ini',
  'C:\\Windows\\win.ini',
  '\\\\host\\share',
  'file:///etc/passwd',
  '~/.ssh/id_rsa',
  '%2e%2e%2fetc%2fpasswd',
  '....//....//etc',
  '/proc/self/environ',
  '/dev/zero',
  'http://169.254.169.254/latest/meta-data/',
  'http://[::ffff:127.0.0.1]/',
  'http://0x7f.1/',
  'https://user:password@example.invalid/',
  'javascript:alert(1)',
  'data:text/html,<script>1</script>',
  "'; DROP TABLE items; --",
  'SELECT * FROM items; DELETE FROM items',
  "ATTACH DATABASE '/tmp/x.db' AS x",
  '$(touch escaped)',
  '`touch escaped`',
  '; touch escaped #',
  "process.binding('fs')",
  "import('node:fs').then((fs) => fs.writeFileSync('escaped', ''))",
  "__import__('os').system('touch escaped')",
  `{{7*7}}\${7*7}<%= 7*7 %>`,
  '(a+)+$',
  '*a'.repeat(60),
  '('.repeat(3_000),
  '9'.repeat(3_000),
  '2^2^2^2^2^9',
  '170!^99999',
  'x'.repeat(300),
  'e\u0301\u202egpj.exe',
  '\u{e0041}\u{e0042}',
  'zero\u200bwidth',
  '\ud800',
  'half \udc00 of one',
  'line\r\nbreak\u2028',
  '\x1b[2J\x1b]0;title\x07',
  '__proto__',
  'constructor',
  'toString',
  'NaN',
  'null',
  '[object Object]',
];

/** Numbers at the edges, as JSON text: some are none that a double can hold. */
const edgeNumbers = [
  '-1',
  '0',
  '-0',
  '1e400',
  '-1e400',
  '1e-400',
  '9007199254740993',
  '0.1',
  '2147483648',
  'NaN',
  '"7"',
];

export const hostileText: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...traps) },
  { weight: 2, arbitrary: fc.string({ unit: 'grapheme', maxLength: 40 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
  { weight: 1, arbitrary: fc.webUrl() },
  { weight: 1, arbitrary: fc.tuple(fc.constantFrom(...traps), fc.constantFrom(...traps)).map((two) => two.join('/')) },
);

const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  hostileText,
  fc.jsonValue({ maxDepth: 3 }),
  fc.dictionary(hostileText, hostileText, { maxKeys: 4 }),
  fc.constantFrom(null, true, 0, -1, 1e308, [], {}),
);

/** The arguments of a call as JSON text: mostly what the schema asks for, with hostile content; else anything. */
export function hostileArguments(tool: Tool, dictionary: Dictionary): fc.Arbitrary<string> {
  // What zod and MCP servers write is draft-7; only the keywords of `Schema` are used.
  const schema = jsonSchemaOf(tool.input) as Schema;
  const near = ofSchema(schema, dictionary, '').map((value) => JSON.stringify(value) ?? 'null');
  return fc.oneof(
    { weight: 80, arbitrary: near },
    { weight: 10, arbitrary: fc.tuple(near, damage).map(([text, change]) => change(text)) },
    { weight: 4, arbitrary: hostileValue.map((value) => JSON.stringify(value) ?? '') },
    { weight: 4, arbitrary: hostileText },
    { weight: 1, arbitrary: fc.constantFrom(...oversized) },
  );
}

/** Wide, long and deep; made once. */
const oversized = [
  `${'['.repeat(20_000)}${']'.repeat(20_000)}`,
  `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`,
  JSON.stringify({ path: 'x'.repeat(1_000_000) }),
  JSON.stringify(Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`k${n}`, n]))),
];

/** Changes to a good text: each is one that models or attackers make. */
const damage: fc.Arbitrary<(text: string) => string> = fc.oneof(
  fc.constant((text: string) => text.replace('{', '{"__proto__":{"polluted":true},')),
  fc.constant((text: string) => text.replace('{', '{"constructor":{"prototype":{"polluted":true}},')),
  fc.nat(200).map((at) => (text: string) => text.slice(0, at)),
  fc.constantFrom(...edgeNumbers).map((number) => (text: string) => text.replace(/(?<=:)(?:"[^"]*"|[\d.]+)/, number)),
  fc.constant((text: string) => `${text}${text}`),
  fc.constant((text: string) => `\`\`\`json\n${text}\n\`\`\``),
  fc.constant((text: string) => JSON.stringify(text)),
  fc.tuple(hostileText, hostileValue).map(([key, value]) => (text: string) => {
    return text.replace(/\}$/, `,${JSON.stringify(key)}:${JSON.stringify(value) ?? 'null'}}`);
  }),
);

function ofSchema(schema: Schema, dictionary: Dictionary, field: string): fc.Arbitrary<unknown> {
  const known = Object.hasOwn(dictionary, field) ? dictionary[field] : undefined;
  const plain = ofType(schema, dictionary);
  return known ? fc.oneof({ weight: 6, arbitrary: known }, { weight: 1, arbitrary: plain }) : plain;
}

function ofType(schema: Schema, dictionary: Dictionary): fc.Arbitrary<unknown> {
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return fc.oneof(...choices.map((choice) => ofSchema(choice, dictionary, '')));
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  if (type === 'string') return ofText(schema);
  if (type === 'integer' || type === 'number') return ofNumber(schema, type === 'integer');
  if (type === 'boolean') return fc.boolean();
  if (type === 'array') return ofArray(schema, dictionary);
  if (type === 'object') return ofObject(schema, dictionary);
  return type === 'null' ? fc.constant(null) : hostileValue;
}

function ofText({ pattern, minLength = 0, maxLength = 2_000 }: Schema): fc.Arbitrary<string> {
  if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern));
  return hostileText.map((text) => text.padEnd(minLength, 'x').slice(0, maxLength));
}

function ofNumber({ minimum = -1_000, maximum = 1_000 }: Schema, isWhole: boolean): fc.Arbitrary<number> {
  const [min, max] = [Math.max(minimum, -1e9), Math.min(maximum, 1e9)];
  const small = fc.integer({ min: Math.ceil(min), max: Math.min(Math.ceil(min) + 5, Math.floor(max)) });
  if (isWhole) return fc.oneof(small, fc.integer({ min: Math.ceil(min), max: Math.floor(max) }));
  return fc.oneof(small, fc.double({ min, max, noNaN: true }));
}

function ofArray({ items = {}, minItems = 0, maxItems = 5 }: Schema, dictionary: Dictionary): fc.Arbitrary<unknown[]> {
  const maxLength = Math.max(minItems, Math.min(maxItems, 5));
  return fc.array(ofSchema(items, dictionary, ''), { minLength: minItems, maxLength });
}

function ofObject({ properties = {}, required = [] }: Schema, dictionary: Dictionary): fc.Arbitrary<object> {
  const fields = Object.entries(properties).map(
    ([name, schema]) => [name, ofSchema(schema, dictionary, name)] as const,
  );
  // Fields with a default are not required of the model.
  return fc.record(Object.fromEntries(fields), { requiredKeys: required });
}
