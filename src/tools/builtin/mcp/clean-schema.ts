/**
 * The input schema of a stranger becomes one that can be shown to a model and judged by here.
 *
 * 1. The result is a tree: references are written out, a reference into itself allows anything. So judging a value takes
 *    a time that the sizes of schema and value bound.
 * 2. No regular expression of a stranger runs in this process.
 * 3. What is left out only ever allows more: the server judges the arguments too. A rule that a missing part would turn
 *    around (`not`, `if`, `oneOf`) is left out or widened with it.
 * 4. Only known keywords pass, and every text among them is cleaned and cut.
 */
import type { Json, JsonSchema } from '../../../core/json.ts';
import { asList, asSchema, pointedAt } from '../../../model/wire/json-schema.ts';
import { hasHidden, modelText, visibleLine } from './texts.ts';

const maxNodes = 5_000;
const maxDepth = 100;
const maxValues = 500;
const maxTextLength = 500;
const maxNameLength = 128;
const maxSchemaLength = 64 * 1024;

const numeric = new Set(
  'minLength maxLength minItems maxItems minProperties maxProperties minContains maxContains minimum maximum exclusiveMinimum exclusiveMaximum multipleOf'.split(
    ' ',
  ),
);
const oneSchema = new Set(['items', 'additionalProperties', 'additionalItems', 'propertyNames']);
const schemaList = new Set(['anyOf', 'allOf', 'prefixItems']);
const types = new Set(['object', 'array', 'string', 'number', 'integer', 'boolean', 'null']);
/** These say nothing about the value, or are taken up with the `if` before them. */
const silent = new Set([
  '$schema',
  '$id',
  '$comment',
  '$defs',
  'definitions',
  'examples',
  '$anchor',
  'deprecated',
  'readOnly',
  'writeOnly',
  'then',
  'else',
]);
const annotations = new Set(['title', 'description', 'default']);

/** Throws an Error that says why for a schema no sensible tool has. `notes` says what is left to the server to check. */
export function cleanSchema(root: JsonSchema): { schema: JsonSchema; notes: string[] } {
  const cleaner = new Cleaner(root);
  const cleaned = asSchema(cleaner.schema(root, { depth: 0, open: [] })) ?? {};
  const schema: JsonSchema = { ...cleaned, type: 'object' };
  const size = JSON.stringify(schema).length;
  if (size > maxSchemaLength) {
    throw new Error(`its input schema has ${size} characters when written out, the limit is ${maxSchemaLength}`);
  }
  return { schema, notes: [...cleaner.notes] };
}

interface Place {
  depth: number;
  /** The references that are being written out. */
  open: readonly string[];
}

class Cleaner {
  readonly notes = new Set<string>();
  readonly #root: JsonSchema;
  #nodes = 0;
  /** Counts what was left out, so that rules around it know. */
  #lost = 0;

  constructor(root: JsonSchema) {
    this.#root = root;
  }

  schema(node: Json, place: Place): Json {
    if (typeof node === 'boolean') return node;
    const from = asSchema(node);
    if (!from) return {};
    this.#nodes += 1;
    if (this.#nodes > maxNodes) throw new Error(`its input schema has more than ${maxNodes} parts when written out`);
    if (place.depth > maxDepth) return this.#lose('what is nested too deeply');
    const inner = { ...place, depth: place.depth + 1 };
    return typeof from['$ref'] === 'string' ? this.#reference(from['$ref'], from, inner) : this.#members(from, inner);
  }

  #reference(reference: string, from: JsonSchema, place: Place): Json {
    const { $ref: _reference, ...siblings } = from;
    const own = this.#members(siblings, place);
    const target = pointedAt(this.#root, reference);
    if (place.open.includes(reference)) return { ...this.#lose('what refers to itself'), ...own };
    if (!target) return { ...this.#lose(`the reference ${visibleLine(reference, 80)}`), ...own };
    const there = asSchema(this.schema(target, { ...place, open: [...place.open, reference] })) ?? {};
    return Object.keys(own).every((keyword) => annotations.has(keyword))
      ? { ...there, ...own }
      : { allOf: [there, own] };
  }

  #members(from: JsonSchema, place: Place): JsonSchema {
    const entries = Object.entries(from).flatMap(([keyword, value]): [string, Json][] => {
      if (keyword === 'if') return this.#condition(from, place);
      if (keyword === 'oneOf') return this.#oneOf(from, place);
      // The pattern of a property name that is not looked at might have allowed it.
      if (keyword === 'additionalProperties' && from['patternProperties'] !== undefined) return [];
      const cleaned = this.#member(keyword, value, place);
      return cleaned === undefined ? [] : [[keyword, cleaned]];
    });
    return Object.fromEntries(entries);
  }

  #member(keyword: string, value: Json, place: Place): Json | undefined {
    if (silent.has(keyword)) return undefined;
    if (numeric.has(keyword)) return typeof value === 'number' ? value : undefined;
    if (schemaList.has(keyword) || (keyword === 'items' && Array.isArray(value))) return this.#list(value, place);
    if (oneSchema.has(keyword)) return this.schema(value, place);
    switch (keyword) {
      case 'not':
      case 'contains':
        return this.#whole(value, place);
      case 'type':
        return typeNames(value);
      case 'required':
        return namesIn(value);
      case 'properties':
        return this.#properties(value, place);
      case 'dependentRequired':
        return mapped(value, (names) => namesIn(names) ?? []);
      case 'enum':
      case 'const':
        return this.#fixed(keyword, value);
      case 'format':
      case 'title':
      case 'description':
      case 'default':
        return annotation(keyword, value);
      default:
        this.#lose(/^[a-zA-Z$]{1,40}$/.test(keyword) ? keyword : 'an unknown keyword');
        return undefined;
    }
  }

  #list(value: Json, place: Place): Json[] {
    return asList(value).map((item) => this.schema(item, place));
  }

  /** A part that counts only as a whole: weaker, it would refuse what the server accepts. */
  #whole(value: Json, place: Place): Json | undefined {
    const before = this.#lost;
    const cleaned = this.schema(value, place);
    return this.#lost === before ? cleaned : undefined;
  }

  #condition(from: JsonSchema, place: Place): [string, Json][] {
    const test = this.#whole(from['if'] ?? true, place);
    if (test === undefined) return [];
    const branches = (['then', 'else'] as const).flatMap((keyword): [string, Json][] => {
      const value = from[keyword];
      return value === undefined ? [] : [[keyword, this.schema(value, place)]];
    });
    return [['if', test], ...branches];
  }

  /** A branch that lost a part may fit beside another one. */
  #oneOf(from: JsonSchema, place: Place): [string, Json][] {
    const before = this.#lost;
    const branches = this.#list(from['oneOf'] ?? [], place);
    if (this.#lost === before) return [['oneOf', branches]];
    return from['anyOf'] === undefined ? [['anyOf', branches]] : [];
  }

  #properties(value: Json, place: Place): JsonSchema {
    return mapped(value, (schema, key) => {
      if (key.length > maxNameLength || hasHidden(key)) {
        throw new Error(
          `its input schema has a property name that is hidden in part or longer than ${maxNameLength}: ${visibleLine(key, 80)}`,
        );
      }
      return this.schema(schema, place);
    });
  }

  #fixed(keyword: 'enum' | 'const', value: Json): Json | undefined {
    const values = keyword === 'enum' && Array.isArray(value) ? value : [value];
    if (values.length > maxValues) this.#lose(`an enum of ${values.length} values`);
    else if (values.every(isPlain)) return value;
    else this.#lose(`a ${keyword} with hidden characters`);
    return undefined;
  }

  #lose(what: string): JsonSchema {
    this.#lost += 1;
    this.notes.add(`${what} is left to the server to check`);
    return {};
  }
}

function annotation(keyword: 'format' | 'title' | 'description' | 'default', value: Json): Json | undefined {
  if (keyword === 'default') return isPlain(value) && JSON.stringify(value).length <= maxTextLength ? value : undefined;
  if (typeof value !== 'string') return undefined;
  if (keyword === 'format') return /^[a-z-]{1,40}$/.test(value) ? value : undefined;
  return modelText(value, maxTextLength);
}

function namesIn(value: Json): string[] | undefined {
  if (typeof value !== 'string' && !Array.isArray(value)) return undefined;
  return [value]
    .flat()
    .filter((name) => typeof name === 'string' && name.length <= maxNameLength && !hasHidden(name)) as string[];
}

function typeNames(value: Json): Json | undefined {
  const known = (namesIn(value) ?? []).filter((name) => types.has(name));
  return known.length === 1 && !Array.isArray(value) ? known[0] : known.length > 0 ? known : undefined;
}

function mapped(value: Json, change: (item: Json, key: string) => Json): JsonSchema {
  return Object.fromEntries(Object.entries(asSchema(value) ?? {}).map(([key, item]) => [key, change(item, key)]));
}

/** JSON escapes control characters, and leaves the other hidden ones as they are. */
function isPlain(value: Json): boolean {
  const text = JSON.stringify(value);
  return !hasHidden(text) && !/\\u00[01]/.test(text);
}
