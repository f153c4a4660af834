import type { Json, JsonSchema } from '../../../core/json.ts';

/** BFCL's names of types that JSON Schema has under another name. It treats `any` as text itself. */
const types: ReadonlyMap<Json | undefined, string> = new Map([
  ['dict', 'object'],
  ['float', 'number'],
  ['tuple', 'array'],
  ['any', 'string'],
]);

/** A schema of BFCL's dialect as JSON Schema, at every depth. What JSON Schema has too stays, `optional` goes: `required` says it. */
export function jsonSchemaFrom({ optional: _, ...schema }: JsonSchema): JsonSchema {
  const { type, properties, items } = schema;
  const mapped = types.get(type);
  return {
    ...schema,
    ...(mapped !== undefined && { type: mapped }),
    ...(isObject(properties) && { properties: mappedValues(properties) }),
    ...(isObject(items) && { items: jsonSchemaFrom(items) }),
  };
}

function mappedValues(properties: JsonSchema): JsonSchema {
  const entries = Object.entries(properties).map(([name, schema]): [string, Json] => [
    name,
    isObject(schema) ? jsonSchemaFrom(schema) : schema,
  ]);
  return Object.fromEntries(entries);
}

function isObject(value: Json | undefined): value is { [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
