import type { JsonSchema } from '../../core/json.ts';
import { asList, asSchema, changed, mapSubschemas } from './json-schema.ts';

const propertyKey = /^[a-zA-Z0-9_.-]{1,64}$/;
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
  if (!Array.isArray(rest['items'])) return mapSubschemas(rest, modern);
  const { items, ...others } = rest;
  const tuple = { prefixItems: asList(items).map((item) => changed(item, modern)) };
  const further = additionalItems === undefined ? {} : { items: changed(additionalItems, modern) };
  return { ...mapSubschemas(others, modern), ...tuple, ...further };
}
