import type { Json, JsonSchema } from '../../core/json.ts';
import {
  asList,
  asSchema,
  changed,
  joinObjects,
  mapSchemas,
  pointedAt,
  requiredOf,
  told,
  typesOf,
} from './json-schema.ts';

/** What Gemini takes as it is; the structural keywords have functions of their own, everything else is left out. */
const keptKeywords: readonly string[] = ['title', 'description', 'minItems', 'maxItems', 'minimum', 'maximum'];
const keptFormats: readonly Json[] = ['date-time', 'int32', 'int64', 'float', 'double'];
/** How often one definition is written out inside itself, and how many definitions in all, before a branch is cut. */
const maxUnfoldings = 2;
const maxInlined = 200;

interface Unfolding {
  root: JsonSchema;
  /** References being written out around this place. */
  around: readonly string[];
  budget: { inlined: number };
}

/**
 * A schema for Gemini: references are written out to a bounded depth and a cycle is cut to a plain object; keywords it
 * refuses are left out, but never a property of that name; a type array becomes one branch per type. It accepts at least
 * what the original accepts, which still validates the arguments. Undefined when a reference leads nowhere.
 */
export function geminiSchema(root: JsonSchema): JsonSchema | undefined {
  if (hasLostReference(root, root)) return undefined;
  return convert(root, { root, around: [], budget: { inlined: 0 } });
}

/** Whether some `$ref` in a place of a schema points nowhere; literal values (`enum`, `const`, `default`) are no schemas. */
function hasLostReference(value: Json, root: JsonSchema): boolean {
  if (Array.isArray(value)) return value.some((item) => hasLostReference(item, root));
  const schema = asSchema(value);
  if (!schema) return false;
  if (typeof schema['$ref'] === 'string' && !pointedAt(root, schema['$ref'])) return true;
  return Object.entries(schema).some(
    ([keyword, inner]) => !['enum', 'const', 'default', 'examples'].includes(keyword) && hasLostReference(inner, root),
  );
}

function convert(schema: JsonSchema, unfolding: Unfolding): JsonSchema {
  if (typeof schema['$ref'] === 'string') return inlined(schema, schema['$ref'], unfolding);
  const all = asList(schema['allOf']);
  if (all.length > 0) return convert(intersection(schema, all, unfolding), unfolding);
  const branches = schema['anyOf'] ?? schema['oneOf'];
  if (branches !== undefined) return union(schema, asList(branches), unfolding);
  const types = typesOf(schema);
  if (types.length > 1) return oneBranchEach(schema, types, unfolding);
  return typed(schema, unfolding);
}

function inlined(schema: JsonSchema, reference: string, unfolding: Unfolding): JsonSchema {
  const { root, around, budget } = unfolding;
  const { $ref: _reference, ...siblings } = schema;
  const target = pointedAt(root, reference) ?? {};
  budget.inlined += 1;
  if (around.filter((open) => open === reference).length >= maxUnfoldings || budget.inlined > maxInlined) {
    return { type: 'object', ...pick(target, keptKeywords), ...pick(siblings, ['description']) };
  }
  return convert({ ...target, ...siblings }, { ...unfolding, around: [...around, reference] });
}

function intersection(schema: JsonSchema, all: Json[], { root, budget }: Unfolding): JsonSchema {
  const { allOf: _allOf, ...siblings } = schema;
  budget.inlined += 1;
  if (budget.inlined > maxInlined) return { type: 'object', ...siblings };
  const parts = all.map((part) => {
    const member = asSchema(part) ?? {};
    return '$ref' in member ? { ...pointedAt(root, member['$ref']), ...pick(member, ['description']) } : member;
  });
  const merged = Object.assign({}, ...parts, siblings);
  const isObject = [...parts, siblings].some((part) => 'properties' in part);
  return isObject ? { ...merged, ...joinObjects([...parts, siblings], 'all') } : merged;
}

/** With branches Gemini wants nothing beside them, so the description goes into the first. */
function union(schema: JsonSchema, branches: Json[], unfolding: Unfolding): JsonSchema {
  const converted = branches.flatMap((branch) => {
    const member = convert(asSchema(branch) ?? {}, unfolding);
    return 'anyOf' in member ? asList(member['anyOf']).map((inner) => asSchema(inner) ?? {}) : [member];
  });
  const [first = {}, ...rest] = converted;
  const described = { ...pick(schema, ['description']), ...first };
  return rest.length === 0 ? described : { anyOf: [described, ...rest] };
}

function oneBranchEach(schema: JsonSchema, types: string[], unfolding: Unfolding): JsonSchema {
  const branches = types.map((type): JsonSchema => {
    if (type === 'null') return { type };
    const values = schema['enum'];
    return typed(
      { ...schema, type, ...(Array.isArray(values) && { enum: values.filter((value) => value !== null) }) },
      unfolding,
    );
  });
  return { anyOf: branches };
}

function typed(schema: JsonSchema, unfolding: Unfolding): JsonSchema {
  const inside = (member: JsonSchema) => convert(member, unfolding);
  const type = typesOf(schema)[0] ?? (schema['properties'] ? 'object' : undefined);
  const properties = schema['properties'] && mapSchemas(schema['properties'], inside);
  const required = requiredOf(schema).filter((name) => properties && name in properties);
  const items = schema['items'];
  const positions = Array.isArray(items) ? items : asList(schema['prefixItems']);
  return {
    ...(type !== undefined && { type }),
    ...pick(schema, keptKeywords),
    ...told(schema, keptFormats),
    ...(keptFormats.includes(schema['format'] ?? null) && { format: schema['format'] ?? '' }),
    ...choices(schema),
    ...(properties && { properties }),
    ...(required.length > 0 && { required }),
    ...(positions.length > 0 && { prefixItems: positions.map((item) => changed(item, inside)) }),
    ...(asSchema(items) && { items: inside(asSchema(items) ?? {}) }),
    ...(type === 'array' && items === undefined && { items: {} }),
  };
}

/** An `enum` of strings or numbers; Gemini has none for booleans. */
function choices(schema: JsonSchema): JsonSchema {
  const values = 'const' in schema ? [schema['const'] ?? null] : asList(schema['enum']);
  const usable = values.filter((value) => typeof value === 'string' || typeof value === 'number');
  if (usable.length === 0 || usable.length < values.length) return {};
  const type = usable.every((value) => typeof value === 'string') ? 'string' : 'number';
  return { ...(typesOf(schema).length === 0 && { type }), enum: usable };
}

function pick(schema: JsonSchema, keywords: readonly string[]): JsonSchema {
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => keywords.includes(keyword)));
}
