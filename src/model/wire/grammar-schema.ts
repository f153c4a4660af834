import type { JsonSchema } from '../../core/json.ts';
import { mapSubschemas, told } from './json-schema.ts';

/**
 * What makes a grammar of a server large or impossible: an expression with a lookahead, a text that has to repeat a rule a
 * thousand times, conditions. They narrow only, so the original schema checks them afterwards.
 */
const leftOut: ReadonlySet<string> = new Set([
  'pattern',
  'format',
  'minLength',
  'maxLength',
  'multipleOf',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'uniqueItems',
  'propertyNames',
  'patternProperties',
  'minProperties',
  'maxProperties',
  'contains',
  'not',
  'if',
  'then',
  'else',
  'dependentSchemas',
  'dependentRequired',
  '$schema',
]);

/** A list longer than this is not counted by a grammar. */
const longestCounted = 64;

/**
 * A schema for servers that make a grammar of it (llama.cpp, LM Studio, vLLM): what they cannot say is left out and told in
 * the description. It accepts at least what the original accepts.
 */
export function grammarSchema(schema: JsonSchema): JsonSchema {
  // Without the patterns nobody knows which other properties are meant, so all of them are let through.
  const open = 'patternProperties' in schema;
  const kept = Object.entries(schema).filter(([keyword, value]) => {
    if (keyword === 'minItems' || keyword === 'maxItems') return Number(value) <= longestCounted;
    return !leftOut.has(keyword) && !(open && keyword === 'additionalProperties');
  });
  return { ...mapSubschemas(Object.fromEntries(kept), grammarSchema), ...told(schema, []) };
}
