import type { Json, JsonSchema } from '../../core/json.ts';
import { asList, asSchema, requiredOf, typesOf, typesOfValues } from './json-schema.ts';

/** The keywords strict mode knows beside the structural ones. Others only narrow; the original schema checks them afterwards. */
const keptKeywords = [
  'description',
  'title',
  'pattern',
  'multipleOf',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'minItems',
  'maxItems',
] as const;
const keptFormats: readonly Json[] = [
  'date-time',
  'time',
  'date',
  'duration',
  'email',
  'hostname',
  'ipv4',
  'ipv6',
  'uuid',
];
const maxDepth = 10;

/**
 * A schema for OpenAI's strict mode: every property required, the optional ones nullable, every object closed. A reply
 * may hold null where the original allows absence only; whoever validates it drops such a null. Undefined when strict
 * mode cannot say it: open objects, values of any type, tuples, intersections, a root that is no object.
 */
export function strictSchema(root: JsonSchema): JsonSchema | undefined {
  if (!typesOf(root).includes('object') || 'anyOf' in root) return undefined;
  const strict = convert(root, 0);
  const definitions = { ...asSchema(root['definitions']), ...asSchema(root['$defs']) };
  if (!strict || Object.keys(definitions).length === 0) return strict;
  const converted = convertMap(definitions, 0);
  return converted && { ...strict, $defs: converted };
}

function convert(value: Json | undefined, depth: number): JsonSchema | undefined {
  const schema = asSchema(value);
  if (!schema || depth > maxDepth) return undefined;
  if ('$ref' in schema) return reference(schema);
  const single = asList(schema['allOf']);
  if (single.length > 0) return single.length === 1 ? convert(withoutAllOf(schema, single[0]), depth) : undefined;
  const branches = schema['anyOf'] ?? schema['oneOf'];
  if (branches !== undefined) return union(schema, asList(branches), depth);
  return typed(schema, depth);
}

function withoutAllOf(schema: JsonSchema, single: Json | undefined): JsonSchema {
  const { allOf: _allOf, ...siblings } = schema;
  return { ...asSchema(single), ...siblings };
}

/** A reference may have no siblings, so a description goes around it. Only definitions keep their place. */
function reference(schema: JsonSchema): JsonSchema | undefined {
  const target = String(schema['$ref']).replace('#/definitions/', '#/$defs/');
  if (target !== '#' && !/^#\/\$defs\/[^/]+$/.test(target)) return undefined;
  return 'description' in schema
    ? { anyOf: [{ $ref: target }], description: schema['description'] ?? '' }
    : { $ref: target };
}

function union(schema: JsonSchema, branches: Json[], depth: number): JsonSchema | undefined {
  if (schema['properties'] || branches.length === 0) return undefined;
  const converted = branches.map((branch) => convert(branch, depth));
  if (converted.includes(undefined)) return undefined;
  const anyOf = converted.filter((branch) => branch !== undefined);
  return { ...kept(schema, ['description', 'title']), anyOf };
}

function typed(schema: JsonSchema, depth: number): JsonSchema | undefined {
  const values = 'const' in schema ? [schema['const'] ?? null] : schema['enum'];
  const types = impliedTypes(schema, asList(values));
  if (types.length === 0) return undefined;
  const plain: JsonSchema = { type: types.length === 1 ? (types[0] ?? '') : types, ...kept(schema, keptKeywords) };
  if (Array.isArray(values)) plain['enum'] = values;
  if (keptFormats.includes(schema['format'] ?? null)) plain['format'] = schema['format'] ?? '';
  const object = types.includes('object') ? closedObject(schema, depth) : {};
  const array = types.includes('array') ? listOf(schema, depth) : {};
  return object && array && { ...plain, ...object, ...array };
}

/** Strict mode wants a type in every place; `enum`, `const` and `properties` imply one. */
function impliedTypes(schema: JsonSchema, values: Json[]): string[] {
  const types = typesOf(schema);
  if (types.length > 0) return types;
  return schema['properties'] ? ['object'] : typesOfValues(values);
}

function closedObject(schema: JsonSchema, depth: number): JsonSchema | undefined {
  const open = schema['additionalProperties'] !== undefined && schema['additionalProperties'] !== false;
  const given = asSchema(schema['properties']);
  if (open || 'patternProperties' in schema || (!given && schema['additionalProperties'] !== false)) return undefined;
  const properties = convertMap(given ?? {}, depth + 1);
  if (!properties) return undefined;
  const required = requiredOf(schema);
  for (const [name, property] of Object.entries(properties)) {
    const converted = asSchema(property);
    if (converted && !required.includes(name)) properties[name] = nullable(converted);
  }
  return { properties, required: Object.keys(properties), additionalProperties: false };
}

function listOf(schema: JsonSchema, depth: number): JsonSchema | undefined {
  if ('prefixItems' in schema) return undefined;
  const items = convert(schema['items'], depth + 1);
  return items && { items };
}

function convertMap(schemas: JsonSchema, depth: number): JsonSchema | undefined {
  const converted: JsonSchema = {};
  for (const [name, member] of Object.entries(schemas)) {
    const strict = convert(member, depth);
    if (!strict) return undefined;
    converted[name] = strict;
  }
  return converted;
}

function nullable(schema: JsonSchema): JsonSchema {
  const nullType: JsonSchema = { type: 'null' };
  if ('$ref' in schema) return { anyOf: [schema, nullType] };
  const branches = asList(schema['anyOf']);
  if (branches.length > 0) {
    const allowed = branches.some((branch) => typesOf(asSchema(branch) ?? {}).includes('null'));
    return allowed ? schema : { ...schema, anyOf: [...branches, nullType] };
  }
  const types = typesOf(schema);
  if (types.includes('null')) return schema;
  const values = schema['enum'];
  return { ...schema, type: [...types, 'null'], ...(Array.isArray(values) && { enum: [...values, null] }) };
}

function kept(schema: JsonSchema, keywords: readonly string[]): JsonSchema {
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => keywords.includes(keyword)));
}
