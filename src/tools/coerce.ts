import type { Json } from '../core/json.ts';
import { readValue } from '../model/repair.ts';
import { nearestName } from './nearest.ts';
import { allowsType, type SchemaNode, type SchemaShapes, type Shape } from './schema-shapes.ts';

/** A fault of the arguments that code can name better than a validator. `path` is empty for the arguments themselves. */
export interface Problem {
  kind: 'unknown-key' | 'not-one-of';
  path: string;
  text: string;
}

/** What became of a value. `misfit` counts what does not fit the schema; the form of a union with the least is taken. */
export interface Coerced {
  value: Json;
  coercions: string[];
  problems: Problem[];
  misfit: number;
}

/** A wrong discriminator outweighs any number of other faults: `{type:'b',…}` is meant as the form b. */
const wrongConstant = 1000;

/**
 * Turns a value into what the schema asks for where only one reading is possible: decimal text for a number, `true` and
 * `false` for a boolean, JSON text for an array or object, another case of an enum value, and null or empty text for an
 * optional field that allows neither. Text stays as it is, byte for byte, wherever the schema accepts text. The rest is left
 * for the validator, except unknown keys and wrong enum values, which are `problems`.
 */
export class Coercion {
  readonly #shapes: SchemaShapes;
  /** Unions are tried form by form; without this, unions within unions would be tried again for every form around them. */
  readonly #done = new WeakMap<object, Map<Shape, Coerced>>();

  constructor(shapes: SchemaShapes) {
    this.#shapes = shapes;
  }

  value(value: Json, node: SchemaNode, path = ''): Coerced {
    const shapes = this.#shapes.of(node);
    const direct = shapes.filter((shape) => allowsType(shape, value));
    const fitting = best(direct.map((shape) => this.#inside(value, shape, path)));
    if (fitting) return fitting;
    if (typeof value === 'string') return this.#converted(value, shapes, path);
    return { ...plain(value), misfit: misfitOf(shapes), problems: notOneOf(value, shapes, path) };
  }

  #inside(value: Json, shape: Shape, path: string): Coerced {
    if (typeof value !== 'object' || value === null) return plain(value);
    const known = this.#done.get(value)?.get(shape);
    if (known) return known;
    const result = Array.isArray(value) ? this.#items(value, shape, path) : this.#members(value, shape, path);
    const results = this.#done.get(value) ?? new Map<Shape, Coerced>();
    this.#done.set(value, results.set(shape, result));
    return result;
  }

  #items(value: Json[], shape: Shape, path: string): Coerced {
    const result = plain([]);
    const items = value.map((item, index) => {
      const inner = this.value(item, shape.items[index] ?? shape.rest ?? true, `${path}[${index}]`);
      absorb(result, inner);
      return inner.value;
    });
    return { ...result, value: items };
  }

  #members(value: { [key: string]: Json }, shape: Shape, path: string): Coerced {
    const result: Coerced = plain({});
    const members: [string, Json][] = [];
    for (const [key, member] of Object.entries(value)) {
      const at = path === '' ? key : `${path}.${key}`;
      const node = shape.properties.get(key) ?? undeclared(shape);
      if (node === false) {
        result.problems.push({ kind: 'unknown-key', path: at, text: unknownKey(key, shape, path) });
        result.misfit += 1;
      } else if (this.#isLeftOut(key, member, shape, node)) {
        result.coercions.push(`${at}: ${member === null ? 'null' : 'empty text'} dropped`);
      } else {
        const inner = this.value(member, node, at);
        absorb(result, inner);
        members.push([key, inner.value]);
      }
    }
    result.misfit += [...shape.required].filter((key) => !Object.hasOwn(value, key)).length;
    return { ...result, value: Object.fromEntries(members) };
  }

  /** Models fill what they leave out: null, or empty text where text makes no sense. */
  #isLeftOut(key: string, member: Json, shape: Shape, node: SchemaNode): boolean {
    if (shape.required.has(key) || !shape.properties.has(key)) return false;
    const forms = this.#shapes.of(node);
    if (forms.length === 0 || forms.some((form) => allowsType(form, member))) return false;
    if (member === null) return true;
    return member === '' && forms.some((form) => form.values || isScalar(form.kind));
  }

  #converted(text: string, shapes: readonly Shape[], path: string): Coerced {
    const readings = new Map<string, Coerced>();
    for (const shape of shapes) {
      for (const value of conversions(text, shape)) {
        const inner = this.#inside(value, shape, path);
        const other = readings.get(JSON.stringify(value));
        if (!other || inner.misfit < other.misfit) readings.set(JSON.stringify(value), inner);
      }
    }
    const [only] = readings.values();
    if (only && readings.size === 1) {
      const what = typeof only.value === 'object' ? 'JSON text' : `"${text}"`;
      return {
        ...only,
        coercions: [`${path || 'arguments'}: ${what} read as ${typeName(only.value)}`, ...only.coercions],
      };
    }
    return { ...plain(text), misfit: misfitOf(shapes), problems: notOneOf(text, shapes, path) };
  }
}

function plain(value: Json): Coerced {
  return { value, coercions: [], problems: [], misfit: 0 };
}

function absorb(result: Coerced, inner: Coerced): void {
  result.coercions.push(...inner.coercions);
  result.problems.push(...inner.problems);
  result.misfit += inner.misfit;
}

/** The least misfit, then the fewest changes, then the order of the schema. */
function best(results: readonly Coerced[]): Coerced | undefined {
  let least = results[0];
  for (const result of results) {
    if (!least || result.misfit > least.misfit) continue;
    if (result.misfit < least.misfit || result.coercions.length < least.coercions.length) least = result;
  }
  return least;
}

function misfitOf(shapes: readonly Shape[]): number {
  return shapes.some((shape) => shape.values?.length === 1) ? wrongConstant : 1;
}

function notOneOf(value: Json, shapes: readonly Shape[], path: string): Problem[] {
  const values = [...new Set(shapes.flatMap((shape) => shape.values ?? []).map((known) => JSON.stringify(known)))];
  // One value is a constant, mostly the tag of a form in a union: the validator knows the others.
  if (values.length < 2 || typeof value === 'object') return [];
  const given = JSON.stringify(value);
  const shown = given.length > 80 ? `${given.slice(0, 80)}…` : given;
  return [{ kind: 'not-one-of', path, text: `${shown} is not one of ${values.join(', ')}` }];
}

/** What undeclared keys may hold; false when there may be none. */
function undeclared(shape: Shape): SchemaNode {
  return shape.additional ?? (shape.kind === undefined && shape.properties.size === 0);
}

function unknownKey(key: string, shape: Shape, path: string): string {
  const keys = [...shape.properties.keys()];
  const nearest = nearestName(key, keys);
  const where = path === '' ? '' : ` in ${path}`;
  const suggestion = nearest === undefined ? '' : `; did you mean ${JSON.stringify(nearest)}?`;
  const valid = keys.length === 0 ? 'no key is valid there' : `valid keys: ${keys.slice(0, 30).join(', ')}`;
  return `unknown key ${JSON.stringify(key.slice(0, 80))}${where}${suggestion} (${valid})`;
}

function isScalar(kind: string | undefined): boolean {
  return kind === 'number' || kind === 'integer' || kind === 'boolean';
}

/** What the text stands for, if the form is not one of text. */
function conversions(text: string, shape: Shape): Json[] {
  if (shape.values) {
    const exact = shape.values.filter((value) => typeof value !== 'string' && String(value) === text && value !== null);
    if (exact.length > 0) return exact;
    const folded = text.toLowerCase();
    return shape.values.filter((value) => typeof value === 'string' && value.toLowerCase() === folded);
  }
  switch (shape.kind) {
    case 'number':
    case 'integer':
      return decimal(text, shape.kind === 'integer');
    case 'boolean':
      return text === 'true' ? [true] : text === 'false' ? [false] : [];
    case 'array':
    case 'object':
      return jsonText(text, shape.kind);
    default:
      return [];
  }
}

function decimal(text: string, integer: boolean): number[] {
  if (!(integer ? /^-?(?:0|[1-9]\d*)$/ : /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/).test(text)) return [];
  const value = Number(text);
  // An integer that a double rounds is another integer. Beyond 2^53 some are exact: those that print as they were written.
  const exact = text.includes('.') ? Number.isFinite(value) : Number.isSafeInteger(value) || String(value) === text;
  return exact ? [value] : [];
}

function jsonText(text: string, kind: 'array' | 'object'): Json[] {
  const start = text.length - text.trimStart().length;
  if (text[start] !== (kind === 'array' ? '[' : '{')) return [];
  const reading = readValue(text, start);
  const whole = reading.ok && reading.repairs.length === 0 && text.slice(reading.end).trim() === '';
  return whole ? [reading.value] : [];
}

function typeName(value: Json): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : JSON.stringify(value);
}
