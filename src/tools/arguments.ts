import type * as z from 'zod';
import type { Json } from '../core/json.ts';
import { isGuess, parseJson, seriesOf } from '../model/parse.ts';
import { type Coerced, Coercion } from './coerce.ts';
import { describeShape } from './describe-shape.ts';
import { type SchemaNode, SchemaShapes } from './schema-shapes.ts';
import { jsonSchemaOf } from './tool.ts';

/**
 * The arguments of a call, ready to run, or why they are not. `args` is the validated value. `coercions` says in words what
 * was changed on the way. `guessed`: the text was no JSON and was repaired; too unsure for a tool with effects.
 */
export type PreparedArguments =
  | { ok: true; args: unknown; coercions: string[]; guessed: boolean }
  | { ok: false; message: string };

/**
 * Reads and validates what a provider sent as the arguments of a call: JSON text, where nothing, blank text and `null` mean
 * `{}`. A value that validates is not changed. Otherwise the safe coercions of `Coercion` are tried, and zod decides on
 * their result. Unknown keys are refused at every level, unless the schema allows them. A message of failure tells the model
 * what to do: where the text is malformed, or that it was cut, and what fields the tool takes.
 */
export function prepareArguments(input: string | undefined, schema: z.ZodType): PreparedArguments {
  const text = input ?? '';
  const plain = plainArguments(text, schema);
  if (plain) return plain;
  const shapes = shapesOf(schema);
  const read = text.trim() === '' ? empty : readArguments(text, shapes);
  if (!read.ok) return read;
  const value = read.value ?? {};
  const coerced = new Coercion(shapes).value(value, shapes.root);
  const unknown = coerced.problems.some((problem) => problem.kind === 'unknown-key');
  const direct = unknown ? undefined : schema.safeParse(value);
  if (direct?.success) return { ok: true, args: direct.data, coercions: [], guessed: read.guessed };
  const final = schema.safeParse(coerced.value);
  if (!final.success || coerced.problems.length > 0) {
    return { ok: false, message: refusal(coerced, final.error?.issues ?? [], shapes) };
  }
  return { ok: true, args: final.data, coercions: coerced.coercions, guessed: read.guessed };
}

/** Long digits may not fit a double, and escapes in keys are read by our own reader. */
const unusual = /\d{16}|\\|__proto__|constructor|[eE][+-]?\d{3}/;

/** The short way for the usual case: strict JSON that validates as it is, with nothing dropped or changed. */
function plainArguments(text: string, schema: z.ZodType): PreparedArguments | undefined {
  if (!text.startsWith('{') || unusual.test(text)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    const direct = schema.safeParse(value);
    if (!direct.success || JSON.stringify(direct.data) !== JSON.stringify(value)) return undefined;
    return { ok: true, args: direct.data, coercions: [], guessed: false };
  } catch {
    return undefined;
  }
}

/** The several JSON texts of an input that is a lossless series of two objects or more, else the input alone. */
export function splitArguments(input: string): string[] {
  // Two objects in a row have a `}` that another `{` follows.
  if (!/\}\s*\{/.test(input)) return [input];
  const series = seriesOf(input) ?? [];
  return series.length < 2 ? [input] : series.map((item) => item.text);
}

type ReadArguments = { ok: true; value: Json; guessed: boolean } | { ok: false; message: string };

const empty: ReadArguments = { ok: true, value: {}, guessed: false };

function readArguments(text: string, shapes: SchemaShapes): ReadArguments {
  const parsed = parseJson(text);
  if (!parsed.ok && parsed.cut) {
    return refused(`the arguments end in the middle of ${parsed.cut}; send a smaller payload`);
  }
  if (!parsed.ok) return refused(`the arguments are not readable: ${parsed.message}. ${expectation(shapes)}`);
  if (parsed.repairs.includes('first-of-several')) {
    return refused(`the arguments hold more than one JSON value; make one call for each. ${expectation(shapes)}`);
  }
  if (parsed.repairs.includes('proto-key')) {
    return refused(`unknown key "__proto__" or "constructor": no tool takes them. ${expectation(shapes)}`);
  }
  return { ok: true, value: parsed.value, guessed: isGuess(parsed.repairs) };
}

function refused(message: string): { ok: false; message: string } {
  return { ok: false, message };
}

const known = new WeakMap<z.ZodType, SchemaShapes>();

function shapesOf(schema: z.ZodType): SchemaShapes {
  const made = known.get(schema);
  if (made) return made;
  // A JSON Schema as zod writes it: an object whose members are JSON.
  const shapes = new SchemaShapes(jsonSchemaOf(schema) as Exclude<SchemaNode, boolean>);
  known.set(schema, shapes);
  return shapes;
}

function expectation(shapes: SchemaShapes): string {
  return `Send one JSON object: ${describeShape(shapes)}`;
}

function refusal(coerced: Coerced, issues: readonly z.core.$ZodIssue[], shapes: SchemaShapes): string {
  const { problems } = coerced;
  const named = new Set(problems.map((problem) => problem.path));
  const ours = problems.map(({ kind, path, text }) => (kind === 'unknown-key' ? text : at(path, text)));
  const theirs = issues
    .filter((issue) => issue.code !== 'unrecognized_keys' || problems.length === 0)
    .filter((issue) => !named.has(pathOf(issue.path)))
    .map((issue) =>
      at(pathOf(issue.path), isMissing(coerced.value, issue.path) ? 'this field is missing' : issue.message),
    );
  const listed = [...new Set([...ours, ...theirs])];
  const rest = listed.length > maxListed ? `; and ${listed.length - maxListed} more` : '';
  return `the arguments do not fit: ${listed.slice(0, maxListed).join('; ')}${rest}. ${expectation(shapes)}`;
}

const maxListed = 10;

function at(path: string, text: string): string {
  return path === '' ? text : `${path}: ${text}`;
}

function isMissing(value: Json, path: readonly PropertyKey[]): boolean {
  let inner: unknown = value;
  for (const key of path) {
    if (typeof inner !== 'object' || inner === null || !Object.hasOwn(inner, key)) return true;
    inner = Reflect.get(inner, key);
  }
  return false;
}

function pathOf(path: readonly PropertyKey[]): string {
  return path.reduce<string>((before, key) => {
    if (typeof key === 'number') return `${before}[${key}]`;
    return before === '' ? String(key) : `${before}.${String(key)}`;
  }, '');
}
