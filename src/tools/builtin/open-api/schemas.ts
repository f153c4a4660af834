import type { Json, JsonSchema } from '../../../core/json.ts';
import { listOf, objectOf, pointed, shortText, textOf } from './document.ts';

/** Taken over as they are. */
const plainKeywords = [
  'type',
  'enum',
  'const',
  'default',
  'format',
  'multipleOf',
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'uniqueItems',
  'minProperties',
  'maxProperties',
];
const maxDescription = 300;

/**
 * Schemas of a document (OpenAPI 3.0 or 3.1) as JSON Schemas for what a model sends: a schema that is referred to becomes one of
 * `definitions`, so that cycles stay cycles; `readOnly` properties are left out; `oneOf` becomes `anyOf`, since overlapping
 * alternatives are common and the server decides; a pattern is only told, not run, since it is another's code.
 */
export class SchemaTranslation {
  readonly definitions: JsonSchema = {};
  readonly #document: JsonSchema;
  readonly #deepest: number;
  readonly #names = new Map<string, string>();

  /** Below `deepest` levels anything is accepted, which the server judges. */
  constructor(document: JsonSchema, deepest: number) {
    this.#document = document;
    this.#deepest = deepest;
  }

  translate(value: Json | undefined, depth = 0): JsonSchema {
    const schema = objectOf(value);
    if (value === false) return { not: {} };
    if (!schema || depth > this.#deepest) return {};
    const reference = textOf(schema['$ref']);
    const translated = reference === undefined ? this.#body(schema, depth) : this.#referred(reference, depth);
    const told = description(schema);
    return nullable(told === undefined ? translated : { ...translated, description: told }, schema);
  }

  #referred(reference: string, depth: number): JsonSchema {
    const known = this.#names.get(reference);
    const name = known ?? this.#newName(reference);
    if (known === undefined) {
      this.#names.set(reference, name);
      // Before it is known, for schemas that refer to themselves.
      this.definitions[name] = {};
      this.definitions[name] = this.translate(pointed(this.#document, reference), depth + 1);
    }
    return { $ref: `#/$defs/${name}` };
  }

  #newName(reference: string): string {
    const plain = (reference.split('/').at(-1) ?? '').replace(/[^A-Za-z0-9_.-]/g, '_').slice(0, 60) || 'schema';
    let name = plain;
    for (let count = 2; Object.hasOwn(this.definitions, name); count++) name = `${plain}_${count}`;
    return name;
  }

  #body(schema: JsonSchema, depth: number): JsonSchema {
    const own = (value: Json | undefined): JsonSchema => this.translate(value, depth + 1);
    const made: JsonSchema = {};
    for (const keyword of plainKeywords) {
      const value = schema[keyword];
      if (value !== undefined) made[keyword] = value;
    }
    bounds(schema, made);
    this.#object(schema, made, own);
    for (const keyword of ['items', 'not']) if (objectOf(schema[keyword])) made[keyword] = own(schema[keyword]);
    for (const [keyword, name = keyword] of [['allOf'], ['anyOf'], ['prefixItems'], ['oneOf', 'anyOf']] as const) {
      const parts = listOf(schema[keyword]).map(own);
      if (parts.length === 0) continue;
      if (made[name] === undefined) made[name] = parts;
      else made['allOf'] = [...listOf(made['allOf']), { anyOf: parts }];
    }
    return made;
  }

  #object(schema: JsonSchema, made: JsonSchema, own: (value: Json | undefined) => JsonSchema): void {
    const all = Object.entries(objectOf(schema['properties']) ?? {});
    const hidden = all.filter(([, property]) => objectOf(property)?.['readOnly'] === true).map(([name]) => name);
    const shown = all.filter(([name]) => !hidden.includes(name));
    if (shown.length > 0)
      made['properties'] = Object.fromEntries(shown.map(([name, property]) => [name, own(property)]));
    const required = listOf(schema['required']).filter((name) => !hidden.includes(String(name)));
    if (required.length > 0) made['required'] = required;
    const more = schema['additionalProperties'];
    // Names by pattern are not judged here, so nothing can be said of the others.
    if (more === undefined || schema['patternProperties'] !== undefined) return;
    made['additionalProperties'] = typeof more === 'boolean' ? more : own(more);
  }
}

/** In 3.0 `exclusiveMinimum` is a flag beside `minimum`, in 3.1 a number. */
function bounds(schema: JsonSchema, made: JsonSchema): void {
  for (const [exclusive, inclusive] of [
    ['exclusiveMinimum', 'minimum'],
    ['exclusiveMaximum', 'maximum'],
  ] as const) {
    const value = schema[exclusive];
    const limit = schema[inclusive];
    if (typeof value === 'number') made[exclusive] = value;
    if (value !== true || typeof limit !== 'number') continue;
    made[exclusive] = limit;
    delete made[inclusive];
  }
}

function description(schema: JsonSchema): string | undefined {
  const pattern = textOf(schema['pattern']);
  const parts = [
    textOf(schema['description']) ?? textOf(schema['title']),
    pattern && `Pattern: ${shortText(pattern, 100)}`,
  ];
  const text = shortText(parts.filter(Boolean).join(' '), maxDescription);
  return text === '' ? undefined : text;
}

/** `nullable` of 3.0 as a type. */
function nullable(translated: JsonSchema, schema: JsonSchema): JsonSchema {
  if (schema['nullable'] !== true) return translated;
  const { type, description: told, ...rest } = translated;
  if (typeof type !== 'string') {
    return {
      anyOf: [{ ...rest, ...(type !== undefined && { type }) }, { type: 'null' }],
      ...(told !== undefined && { description: told }),
    };
  }
  const values = rest['enum'];
  return { ...translated, type: [type, 'null'], ...(Array.isArray(values) && { enum: [...values, null] }) };
}
