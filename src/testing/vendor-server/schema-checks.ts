import type { Json, JsonSchema } from '../../core/json.ts';
import { asList, asSchema, requiredOf, typesOf } from '../../model/wire/json-schema.ts';

const toolName = /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/;
const strictKeywords = new Set(
  (
    'type description title enum const anyOf $ref $defs properties required additionalProperties items pattern format ' +
    'multipleOf minimum maximum exclusiveMinimum exclusiveMaximum minItems maxItems'
  ).split(' '),
);
const geminiKeywords = new Set(
  (
    'type format title description enum items prefixItems minItems maxItems minimum maximum anyOf properties required ' +
    'propertyOrdering'
  ).split(' '),
);

export function badName(name: Json | undefined): string | undefined {
  return typeof name === 'string' && toolName.test(name) ? undefined : `invalid tool name ${JSON.stringify(name)}`;
}

/** The first problem any schema inside has, found by `problem`, which sees each schema and where it stands. */
function firstProblem(
  schema: Json | undefined,
  problem: (schema: JsonSchema, path: string) => string | undefined,
  path = '#',
): string | undefined {
  const at = asSchema(schema);
  if (!at) return undefined;
  const own = problem(at, path);
  if (own !== undefined) return own;
  const inner: [string, Json][] = [
    ...['properties', '$defs'].flatMap((keyword) => Object.entries(asSchema(at[keyword]) ?? {})),
    ...['anyOf', 'oneOf', 'allOf', 'prefixItems'].flatMap((keyword) => Object.entries(asList(at[keyword]))),
    ...['items', 'additionalProperties'].map((keyword): [string, Json] => [keyword, at[keyword] ?? null]),
  ];
  return inner
    .map(([name, member]) => firstProblem(member, problem, `${path}/${name}`))
    .find((found) => found !== undefined);
}

/** What OpenAI's strict mode refuses. */
export function strictProblem(root: Json | undefined): string | undefined {
  if (asSchema(root)?.['type'] !== 'object' || 'anyOf' in (asSchema(root) ?? {})) return 'the root must be an object';
  return firstProblem(root, (schema, path) => {
    const unknown = Object.keys(schema).find((keyword) => !strictKeywords.has(keyword));
    if (unknown) return `${path}: '${unknown}' is not permitted`;
    if ('$ref' in schema) return Object.keys(schema).length > 1 ? `${path}: $ref cannot have siblings` : undefined;
    if (!('type' in schema) && !('anyOf' in schema)) return `${path}: schema must have a 'type' key`;
    return typesOf(schema).includes('object') ? openObject(schema, path) : undefined;
  });
}

function openObject(schema: JsonSchema, path: string): string | undefined {
  if (schema['additionalProperties'] !== false) return `${path}: 'additionalProperties' must be false`;
  const missing = Object.keys(asSchema(schema['properties']) ?? {}).find((name) => !requiredOf(schema).includes(name));
  return missing && `${path}: 'required' must include every key, missing '${missing}'`;
}

/** What Gemini refuses. */
export function geminiProblem(root: Json | undefined): string | undefined {
  return firstProblem(root, (schema, path) => {
    const unknown = Object.keys(schema).find((keyword) => !geminiKeywords.has(keyword));
    if (unknown) return `${path}: Unknown name "${unknown}"`;
    if (Array.isArray(schema['type'])) return `${path}: Proto field is not repeating, cannot start list: type`;
    if ('anyOf' in schema && Object.keys(schema).length > 1) return `${path}: any_of must be the only field set`;
    const lost = requiredOf(schema).find((name) => !(name in (asSchema(schema['properties']) ?? {})));
    return lost && `${path}: required[${lost}]: property is not defined`;
  });
}

const grammarTrouble = new Set(
  (
    'pattern format minLength maxLength multipleOf exclusiveMinimum exclusiveMaximum uniqueItems propertyNames ' +
    'patternProperties contains not if then else dependentSchemas'
  ).split(' '),
);

/** What servers that make a grammar of a schema refuse, or choke on. */
export function grammarProblem(root: Json | undefined): string | undefined {
  return firstProblem(root, (schema, path) => {
    const trouble = Object.keys(schema).find((keyword) => grammarTrouble.has(keyword));
    if (trouble) return `${path}: failed to parse grammar (${trouble})`;
    return Number(schema['maxItems'] ?? 0) > 100
      ? `${path}: number of repetitions exceeds sane defaults, please reduce the number of repetitions`
      : undefined;
  });
}

/** What Anthropic refuses in a tool schema. */
export function anthropicProblem(root: Json | undefined): string | undefined {
  const schema = asSchema(root) ?? {};
  if (schema['type'] !== 'object') return 'input_schema.type: Field required';
  if (['anyOf', 'oneOf', 'allOf'].some((keyword) => keyword in schema)) {
    return 'input_schema does not support oneOf, allOf, or anyOf at the top level';
  }
  const key = Object.keys(asSchema(schema['properties']) ?? {}).find((name) => !/^[a-zA-Z0-9_.-]{1,64}$/.test(name));
  if (key !== undefined) return `property keys should match pattern, got '${key}'`;
  return firstProblem(root, (at, path) => (Array.isArray(at['items']) ? `${path}: not draft 2020-12` : undefined));
}
