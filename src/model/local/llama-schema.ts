/**
 * A JSON Schema in the part that node-llama-cpp makes a grammar of.
 *
 * 1. There, every property is required. An optional one may be null instead, and `withoutNulls` takes those nulls out again.
 * 2. A value that fits the original fits the grammar, apart from what a keyword outside the part would allow or forbid: such keywords
 *    are named in `notEnforced`, and whoever validates the reply has the last word.
 * 3. Recursion stays: what is referred to is a definition of the root.
 */
import type { Json, JsonSchema } from '../../core/json.ts';
import { asList, asSchema, joinObjects, pointedAt, requiredOf, typesOf } from '../wire/json-schema.ts';

export interface LlamaSchema {
  schema: JsonSchema;
  /** Keywords of the original that the grammar does not hold the model to. */
  notEnforced: string[];
  /** Whether nulls may have to be taken out of a value. */
  hasOptional: boolean;
}

export function llamaSchema(original: JsonSchema): LlamaSchema {
  const conversion: Conversion = {
    root: original,
    definitions: new Map(),
    notEnforced: new Set(),
    hasOptional: false,
  };
  const schema = converted(original, conversion);
  const named = [...conversion.definitions.values()].map(({ name, schema }) => [name, schema]);
  return {
    schema: named.length > 0 ? { ...schema, $defs: Object.fromEntries(named) } : schema,
    notEnforced: [...conversion.notEnforced],
    hasOptional: conversion.hasOptional,
  };
}

interface Conversion {
  root: JsonSchema;
  /** By reference. A name is taken before its schema is there, so that a reference to itself finds it. */
  definitions: Map<string, { name: string; schema: JsonSchema }>;
  notEnforced: Set<string>;
  hasOptional: boolean;
}

const anything: JsonSchema = {
  oneOf: [
    { type: ['string', 'number', 'boolean', 'null'] },
    { type: 'array' },
    { type: 'object', additionalProperties: true },
  ],
};

function converted(value: Json | undefined, conversion: Conversion): JsonSchema {
  const schema = asSchema(value);
  if (!schema || Object.keys(schema).length === 0) return anything;
  const described = typeof schema['description'] === 'string' ? { description: schema['description'] } : {};
  return { ...shapeOf(schema, conversion), ...described };
}

function shapeOf(schema: JsonSchema, conversion: Conversion): JsonSchema {
  if ('$ref' in schema) return reference(schema['$ref'], conversion);
  if ('const' in schema) return literals([schema['const']], 'const', conversion);
  if (Array.isArray(schema['enum'])) return literals(schema['enum'], 'enum', conversion);
  if (Array.isArray(schema['allOf'])) return intersection(schema, conversion);
  const union = ['anyOf', 'oneOf'].find((name) => Array.isArray(schema[name]));
  const types = typesOf(schema);
  const isObject = 'properties' in schema || (types.length === 1 && types[0] === 'object');
  if (union && isObject) conversion.notEnforced.add(union);
  else if (union) return { oneOf: asList(schema[union]).map((member) => converted(member, conversion)) };
  if (isObject) return object(schema, conversion);
  if (types.length > 1) return severalTypes(schema, types, conversion);
  return ofType(schema, types[0], conversion);
}

function ofType(schema: JsonSchema, type: string | undefined, conversion: Conversion): JsonSchema {
  if (type === 'array' || (type === undefined && ('items' in schema || 'prefixItems' in schema)))
    return array(schema, conversion);
  if (type === 'string') return string(schema, conversion);
  if (type === undefined) return anything;
  note(schema, ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'], conversion);
  return { type };
}

function reference(target: Json | undefined, conversion: Conversion): JsonSchema {
  const key = String(target);
  const known = conversion.definitions.get(key);
  if (known) return { $ref: `#/$defs/${known.name}` };
  const found = pointedAt(conversion.root, target);
  if (!found) {
    conversion.notEnforced.add(`$ref ${key}`);
    return anything;
  }
  const definition = { name: `${/[\w-]*$/.exec(key)?.[0] || 'Root'}${conversion.definitions.size}`, schema: {} };
  conversion.definitions.set(key, definition);
  definition.schema = converted(found, conversion);
  return { $ref: `#/$defs/${definition.name}` };
}

function literals(values: (Json | undefined)[], keyword: string, conversion: Conversion): JsonSchema {
  const plain = values.filter((value) => value !== undefined && (typeof value !== 'object' || value === null));
  if (plain.length === values.length) return { enum: plain };
  conversion.notEnforced.add(`${keyword} of a list or an object`);
  return anything;
}

function intersection(schema: JsonSchema, conversion: Conversion): JsonSchema {
  const { allOf, ...rest } = schema;
  const members = asList(allOf).map((member) => {
    const branch = asSchema(member);
    return branch && '$ref' in branch ? pointedAt(conversion.root, branch['$ref']) : branch;
  });
  const [only] = members;
  if (members.length === 1 && only) return shapeOf({ ...rest, ...only }, conversion);
  const objects = [...members, ...('properties' in rest ? [rest] : [])].filter((member) => member !== undefined);
  if (objects.length > 0 && objects.every((member) => 'properties' in member && !('allOf' in member)))
    return object(joinObjects(objects, 'all'), conversion);
  conversion.notEnforced.add('allOf');
  return anything;
}

function severalTypes(schema: JsonSchema, types: string[], conversion: Conversion): JsonSchema {
  if (types.every((type) => type !== 'object' && type !== 'array')) {
    note(schema, ['pattern', 'format', 'minLength', 'maxLength', 'minimum', 'maximum'], conversion);
    return { type: types };
  }
  return { oneOf: types.map((type) => shapeOf({ ...schema, type }, conversion)) };
}

function object(schema: JsonSchema, conversion: Conversion): JsonSchema {
  note(schema, ['minProperties', 'maxProperties', 'patternProperties', 'not', 'if', 'dependentRequired'], conversion);
  const required = new Set(requiredOf(schema));
  const properties = Object.entries(asSchema(schema['properties']) ?? {}).map(([name, member]) => {
    const inner = converted(member, conversion);
    if (required.has(name)) return [name, inner];
    conversion.hasOptional = true;
    return [name, orNull(inner)];
  });
  const more = schema['additionalProperties'];
  // Without any named property the keys are the model's to choose; else more than is named is nothing to hope for.
  const open = more === undefined ? properties.length === 0 && !('properties' in schema) : more !== false;
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(open && { additionalProperties: asSchema(more) ? converted(more, conversion) : true }),
  };
}

function orNull(schema: JsonSchema): JsonSchema {
  const { description, ...rest } = schema;
  return { oneOf: [rest, { type: 'null' }], ...(description !== undefined && { description }) };
}

function array(schema: JsonSchema, conversion: Conversion): JsonSchema {
  note(schema, ['uniqueItems', 'contains'], conversion);
  const { items, prefixItems, minItems, maxItems } = schema;
  const first = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : undefined;
  const rest = Array.isArray(items) ? undefined : items;
  const most = first && !asSchema(rest) ? first.length : maxItems;
  return {
    type: 'array',
    ...(first && { prefixItems: first.map((item) => converted(item, conversion)) }),
    ...(asSchema(rest) && { items: converted(rest, conversion) }),
    ...counted({ minItems, maxItems: most }, conversion),
  };
}

const enforcedFormats: ReadonlySet<Json | undefined> = new Set(['date-time', 'date', 'time']);
/** llama.cpp refuses a rule that repeats from 1,000 to 2,000 times, and takes a larger number for any. */
const mostCounted = 500;

function string(schema: JsonSchema, conversion: Conversion): JsonSchema {
  const { format, minLength, maxLength } = schema;
  if (format !== undefined && enforcedFormats.has(format)) return { type: 'string', format };
  note(schema, ['format', 'pattern'], conversion);
  return { type: 'string', ...counted({ minLength, maxLength }, conversion) };
}

/** The bounds that can be counted to. */
function counted(bounds: Record<string, Json | undefined>, { notEnforced }: Conversion): JsonSchema {
  const given = Object.entries(bounds).filter(([, value]) => typeof value === 'number');
  for (const [keyword, value] of given) if (Number(value) > mostCounted) notEnforced.add(keyword);
  return Object.fromEntries(given.filter(([, value]) => Number(value) <= mostCounted)) as JsonSchema;
}

/** Safe integers as bounds are how zod says that a number is whole. */
function note(schema: JsonSchema, keywords: readonly string[], { notEnforced }: Conversion): void {
  for (const keyword of keywords) {
    const value = schema[keyword];
    if (value !== undefined && Math.abs(Number(value)) !== Number.MAX_SAFE_INTEGER) notEnforced.add(keyword);
  }
}

/** The value without the nulls that stand for absent properties; nulls that the schema asks for stay. */
export function withoutNulls(value: Json, schema: JsonSchema, root: JsonSchema = schema): Json {
  if (typeof value !== 'object' || value === null) return value;
  const fitting = branchFor(value, schema, root);
  if (Array.isArray(value)) {
    const first = asList(fitting?.['prefixItems']);
    return value.map((item, index) => {
      const of = asSchema(first[index] ?? fitting?.['items']);
      return of ? withoutNulls(item, of, root) : item;
    });
  }
  const properties = asSchema(fitting?.['properties']) ?? {};
  const required = new Set(fitting ? requiredOf(fitting) : []);
  const kept = Object.entries(value).filter(
    ([name, item]) => item !== null || !(name in properties) || required.has(name),
  );
  return Object.fromEntries(
    kept.map(([name, item]) => {
      const of = asSchema(properties[name] ?? fitting?.['additionalProperties']);
      return [name, of ? withoutNulls(item, of, root) : item];
    }),
  );
}

/** The schema without references and unions, as far as the value decides between them. */
function branchFor(value: Json, schema: JsonSchema, root: JsonSchema, depth = 0): JsonSchema | undefined {
  if (depth > 20) return undefined;
  const target = '$ref' in schema ? pointedAt(root, schema['$ref']) : undefined;
  if (target) return branchFor(value, target, root, depth + 1);
  const union = asList(schema['anyOf'] ?? schema['oneOf']);
  if (union.length > 0 && !('properties' in schema)) {
    const branches = union.map((member) => branchFor(value, asSchema(member) ?? {}, root, depth + 1));
    return branches.find((branch) => branch && fits(value, branch));
  }
  const parts = asList(schema['allOf']).map((member) => branchFor(value, asSchema(member) ?? {}, root, depth + 1));
  const objects = [schema, ...parts].filter((part) => part !== undefined);
  return parts.length > 0 ? joinObjects(objects, 'all') : schema;
}

function fits(value: Json, schema: JsonSchema): boolean {
  if (Array.isArray(value)) return typesOf(schema).includes('array');
  if (typeof value !== 'object' || value === null) return false;
  const properties = asSchema(schema['properties']);
  if (!properties && !typesOf(schema).includes('object')) return false;
  const fixed = Object.entries(properties ?? {}).filter(([, member]) => 'const' in (asSchema(member) ?? {}));
  return (
    requiredOf(schema).every((name) => name in value) &&
    fixed.every(([name, member]) => !(name in value) || value[name] === asSchema(member)?.['const'])
  );
}
