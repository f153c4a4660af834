import type { Json, JsonSchema } from '../../core/json.ts';

/** A JSON value as a schema object, or undefined for anything else (`true` and `false` are no objects). */
export function asSchema(value: Json | undefined): JsonSchema | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
}

export function asList(value: Json | undefined): Json[] {
  return Array.isArray(value) ? value : [];
}

/** The names in `required`. */
export function requiredOf(schema: JsonSchema): string[] {
  return asList(schema['required']).filter((name) => typeof name === 'string');
}

/** The types a schema names: none, one, or the members of a type array. */
export function typesOf(schema: JsonSchema): string[] {
  const type = schema['type'];
  return (Array.isArray(type) ? type : [type]).filter((name) => typeof name === 'string');
}

/** The types of the values in an `enum` or `const`. */
export function typesOfValues(values: Json[]): string[] {
  return [...new Set(values.map(typeOfValue))];
}

function typeOfValue(value: Json): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value === 'number' && Number.isInteger(value) ? 'integer' : typeof value;
}

/** What a local reference (`#`, `#/$defs/Name`, any JSON Pointer) points at, or undefined. */
export function pointedAt(root: JsonSchema, reference: Json | undefined): JsonSchema | undefined {
  if (reference === '#') return root;
  if (typeof reference !== 'string' || !reference.startsWith('#/')) return undefined;
  let at: Json | undefined = root;
  for (const raw of reference.slice(2).split('/')) {
    const key = decodePointer(raw);
    if (Array.isArray(at)) at = at[Number(key)];
    else at = asSchema(at)?.[key];
  }
  return asSchema(at);
}

function decodePointer(segment: string): string {
  const plain = segment.replaceAll('~1', '/').replaceAll('~0', '~');
  try {
    return decodeURIComponent(plain);
  } catch {
    return plain;
  }
}

/** Applies `change` to every schema in a map of schemas; members that are no schema stay. */
export function mapSchemas(value: Json | undefined, change: (schema: JsonSchema) => JsonSchema): JsonSchema {
  const entries = Object.entries(asSchema(value) ?? {});
  return Object.fromEntries(entries.map(([name, member]) => [name, changed(member, change)]));
}

/** `change` applied to a schema; `true`, `false` and anything else that is no object stays. */
export function changed(value: Json, change: (schema: JsonSchema) => JsonSchema): Json {
  const schema = asSchema(value);
  return schema ? change(schema) : value;
}

/**
 * Schemas joined to one object: all properties; required is what every (`all`) or any of them requires. A property that several of a union
 * (`any`) have may be what either says.
 */
export function joinObjects(schemas: JsonSchema[], how: 'all' | 'any'): JsonSchema {
  const ofEach = schemas.map((schema) => asSchema(schema['properties']) ?? {});
  const properties: JsonSchema = Object.assign({}, ...ofEach);
  if (how === 'any') {
    for (const name of Object.keys(properties)) {
      properties[name] = either(ofEach.flatMap((own) => (Object.hasOwn(own, name) ? [own[name] ?? {}] : [])));
    }
  }
  const required = [...new Set(schemas.flatMap(requiredOf))].filter(
    (name) => how === 'all' || schemas.every((schema) => requiredOf(schema).includes(name)),
  );
  return { type: 'object', properties, ...(required.length > 0 && { required }) };
}

/** One schema for what any of these accepts: the values of them all, where each lists its own. */
function either(schemas: Json[]): Json {
  const different = [...new Map(schemas.map((schema) => [JSON.stringify(schema), schema])).values()];
  const [only] = different;
  if (different.length === 1 && only !== undefined) return only;
  const values = different.map((schema) => valuesOf(asSchema(schema) ?? {}));
  if (values.includes(undefined)) return { anyOf: different };
  const listed = [...new Set(values.flatMap((own) => own ?? []))];
  const types = typesOfValues(listed);
  return { type: types.length === 1 ? (types[0] ?? '') : types, enum: listed };
}

function valuesOf(schema: JsonSchema): Json[] | undefined {
  return 'const' in schema ? [schema['const'] ?? null] : Array.isArray(schema['enum']) ? schema['enum'] : undefined;
}

const schemaMaps: readonly string[] = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'];
const schemaLists: readonly string[] = ['anyOf', 'oneOf', 'allOf', 'prefixItems'];
const schemaPlaces: readonly string[] = ['items', 'additionalProperties', 'not', 'contains', 'if', 'then', 'else'];

/** The schema with `change` applied to each schema directly inside it; literal values stay. */
export function mapSubschemas(schema: JsonSchema, change: (schema: JsonSchema) => JsonSchema): JsonSchema {
  const entries = Object.entries(schema).map(([keyword, value]): [string, Json] => {
    if (schemaMaps.includes(keyword)) return [keyword, mapSchemas(value, change)];
    if (!schemaLists.includes(keyword) && !schemaPlaces.includes(keyword)) return [keyword, value];
    return [keyword, Array.isArray(value) ? value.map((item) => changed(item, change)) : changed(value, change)];
  });
  return Object.fromEntries(entries);
}

/** Keywords that some dialects leave out, but which are worth telling the model. */
const toldKeywords: readonly string[] = [
  'format',
  'pattern',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
];

/** The description with what a dialect leaves out; nothing where there is nothing to tell. */
export function told(schema: JsonSchema, keptFormats: readonly Json[]): JsonSchema {
  const hints = toldKeywords
    .filter((keyword) => schema[keyword] !== undefined)
    .filter((keyword) => keyword !== 'format' || !keptFormats.includes(schema['format'] ?? null))
    .map((keyword) => `${keyword}: ${String(schema[keyword])}`);
  if (hints.length === 0) return {};
  const given = typeof schema['description'] === 'string' ? `${schema['description']} ` : '';
  return { description: `${given}(${hints.join(', ')})` };
}
