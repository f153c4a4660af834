import type { JsonSchema } from '../../core/json.ts';
import { asList, asSchema, joinObjects, pointedAt, requiredOf, typesOf } from './json-schema.ts';

const combiners = ['anyOf', 'oneOf', 'allOf'] as const;

/**
 * The schema with a plain object at its root, which every vendor wants of a tool: a reference there is followed, and a
 * union or intersection of objects becomes the object that holds all their properties. It may accept more than the
 * original, which still validates what comes back. Undefined when the root is no object.
 */
export function objectRoot(schema: JsonSchema): JsonSchema | undefined {
  const joined = joinedRoot(schema, schema, 0);
  if (!joined) return undefined;
  const { $schema: _draft, ...rest } = schema;
  const { $ref: _reference, anyOf: _anyOf, oneOf: _oneOf, allOf: _allOf, ...siblings } = rest;
  return { ...siblings, ...joined };
}

const maxNesting = 5;

function joinedRoot(schema: JsonSchema, root: JsonSchema, depth: number): JsonSchema | undefined {
  if (depth > maxNesting) return undefined;
  const target = '$ref' in schema ? pointedAt(root, schema['$ref']) : undefined;
  if (target) return joinedRoot(target, root, depth + 1);
  const combiner = combiners.find((name) => Array.isArray(schema[name]));
  if (!combiner) return plainObject(schema);
  const members = asList(schema[combiner]).map((member) => {
    const branch = asSchema(member);
    return branch && joinedRoot(branch, root, depth + 1);
  });
  const objects = members.filter((member) => member !== undefined);
  if (objects.length === 0 || objects.length < members.length) return undefined;
  const joined = joinObjects(objects, combiner === 'allOf' ? 'all' : 'any');
  return schema['properties'] ? joinObjects([joined, schema], 'all') : joined;
}

function plainObject(schema: JsonSchema): JsonSchema | undefined {
  const types = typesOf(schema);
  const isObject = types.includes('object') || (types.length === 0 && !('enum' in schema) && !('const' in schema));
  if (!isObject || '$ref' in schema) return undefined;
  const required = requiredOf(schema);
  return {
    ...schema,
    type: 'object',
    properties: asSchema(schema['properties']) ?? {},
    ...(required.length > 0 && { required }),
  };
}
