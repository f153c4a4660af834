import type { JsonSchema } from '../../core/json.ts';
import { asList, asSchema, changed, mapSchemas } from './json-schema.ts';

const propertyKey = /^[a-zA-Z0-9_.-]{1,64}$/;
const schemaMaps: readonly string[] = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'];
const schemaLists: readonly string[] = ['anyOf', 'oneOf', 'allOf', 'prefixItems'];
const schemaPlaces: readonly string[] = ['items', 'additionalProperties', 'not', 'contains', 'if', 'then', 'else'];

/**
 * A tool schema for Anthropic, which reads draft 2020-12: a draft-7 tuple (`items` as a list) becomes `prefixItems`.
 * Undefined when a top-level property has a name it refuses.
 */
export function anthropicSchema(root: JsonSchema): JsonSchema | undefined {
  const names = Object.keys(asSchema(root['properties']) ?? {});
  return names.every((name) => propertyKey.test(name)) ? modern(root) : undefined;
}

function modern(schema: JsonSchema): JsonSchema {
  const { additionalItems, ...rest } = schema;
  const tuple = Array.isArray(rest['items']);
  const renewed: JsonSchema = {};
  for (const [keyword, value] of Object.entries(rest)) {
    if (keyword === 'items' && tuple) renewed['prefixItems'] = asList(value).map((item) => changed(item, modern));
    else if (schemaMaps.includes(keyword)) renewed[keyword] = mapSchemas(value, modern);
    else if (schemaLists.includes(keyword)) renewed[keyword] = asList(value).map((item) => changed(item, modern));
    else renewed[keyword] = schemaPlaces.includes(keyword) ? changed(value, modern) : value;
  }
  if (tuple && additionalItems !== undefined) renewed['items'] = changed(additionalItems, modern);
  return renewed;
}
