import { UsageError } from '../core/errors.ts';
import { canonicalJson, type Json, type JsonSchema } from '../core/json.ts';
import { computeExpression } from '../tools/builtin/calculator/evaluate.ts';
import { expression, fitsFormat } from './json-formats.ts';

/** Where a value does not fit a schema. `path` is written as in items[0].name; the whole value has the empty path. */
export interface SchemaProblem {
  path: string;
  message: string;
}

interface Place {
  value: Json;
  path: string;
  schema: JsonSchema;
  root: Json;
  depth: number;
  /** Shared by the whole validation. */
  work: { done: number };
}

type Rule = (argument: Json, place: Place) => SchemaProblem[];

const deepest = 256;
/** Applications of a subschema to a value. Combinations that refer to themselves can ask for any number of them. */
const most = 200_000;
const unsupported = ['unevaluatedProperties', 'unevaluatedItems', '$dynamicRef', '$recursiveRef'];

/**
 * What is wrong with a value by a JSON Schema (draft-7 or 2020-12: types, objects, arrays, strings, numbers, combinations,
 * conditions, local `$ref`, and the formats date, time, date-time, email, uri, uuid). Keywords it does not know are
 * annotations. Throws `UsageError` for a schema it cannot judge by.
 */
export function schemaProblems(value: Json, schema: Json): SchemaProblem[] {
  return problemsAt({ value, path: '', root: schema, depth: 0, work: { done: 0 } }, schema);
}

function problemsAt(place: Omit<Place, 'schema'>, schema: Json): SchemaProblem[] {
  if (schema === false) return [{ path: place.path, message: 'is not allowed' }];
  if (!isObject(schema)) return [];
  if (++place.work.done > most)
    throw new UsageError('the schema asks for too many comparisons: make its combinations simpler');
  if (place.depth > deepest) throw new UsageError('the schema refers to itself without end: mend its $ref');
  const keyword = unsupported.find((name) => name in schema);
  if (keyword)
    throw new UsageError(`the schema uses ${keyword}, which is not supported: write additionalProperties or items`);
  const at: Place = { ...place, schema, depth: place.depth + 1 };
  return Object.entries(schema).flatMap(([name, argument]) => rules.get(name)?.(argument, at) ?? []);
}

function fault(place: Place, message: string): SchemaProblem[] {
  return [{ path: place.path, message }];
}

function isObject(value: Json | undefined): value is { [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function fits(place: Place, schema: Json): boolean {
  return problemsAt(place, schema).length === 0;
}

function member(place: Place, key: string | number, value: Json): Omit<Place, 'schema'> {
  const dotted = place.path === '' ? String(key) : `${place.path}.${key}`;
  return { ...place, value, path: typeof key === 'number' ? `${place.path}[${key}]` : dotted };
}

function typeOf(value: Json): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

function list(value: Json | undefined): Json[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}

function shown(value: Json): string {
  const text = JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}

/** A rule that compares a size with a bound. */
function bound(
  sizeOf: (value: Json) => number | undefined,
  holds: (size: number, limit: number) => boolean,
  message: string,
): Rule {
  return (limit, place) => {
    const size = sizeOf(place.value);
    if (size === undefined || typeof limit !== 'number' || holds(size, limit)) return [];
    return fault(place, message.replace('#', String(limit)));
  };
}

const numberOf = (value: Json): number | undefined => (typeof value === 'number' ? value : undefined);
const lengthOf = (value: Json): number | undefined => (typeof value === 'string' ? [...value].length : undefined);
const countOf = (value: Json): number | undefined => (Array.isArray(value) ? value.length : undefined);
const sizeOf = (value: Json): number | undefined => (isObject(value) ? Object.keys(value).length : undefined);
const atLeast = (size: number, limit: number): boolean => size >= limit;
const atMost = (size: number, limit: number): boolean => size <= limit;

function type(argument: Json, place: Place): SchemaProblem[] {
  const actual = typeOf(place.value);
  const allowed = list(argument);
  const whole = actual === 'number' && Number.isInteger(place.value);
  if (allowed.includes(actual) || (whole && allowed.includes('integer'))) return [];
  return fault(place, `must be ${allowed.join(' or ')}, not ${actual === 'number' ? shown(place.value) : actual}`);
}

function properties(argument: Json, place: Place): SchemaProblem[] {
  const { value } = place;
  if (!isObject(value) || !isObject(argument)) return [];
  return Object.entries(argument).flatMap(([key, schema]) => {
    const item = Object.hasOwn(value, key) ? value[key] : undefined;
    return item === undefined ? [] : problemsAt(member(place, key, item), schema);
  });
}

function required(argument: Json, place: Place): SchemaProblem[] {
  const { value } = place;
  if (!isObject(value)) return [];
  return list(argument)
    .filter((key): key is string => typeof key === 'string' && !Object.hasOwn(value, key))
    .flatMap((key) => [{ path: member(place, key, null).path, message: 'is missing' }]);
}

function patternProperties(argument: Json, place: Place): SchemaProblem[] {
  const { value } = place;
  if (!isObject(value) || !isObject(argument)) return [];
  return Object.entries(argument).flatMap(([pattern, schema]) =>
    Object.entries(value)
      .filter(([key]) => expression(pattern).test(key))
      .flatMap(([key, item]) => problemsAt(member(place, key, item), schema)),
  );
}

function additionalProperties(argument: Json, place: Place): SchemaProblem[] {
  const { value, schema } = place;
  if (!isObject(value)) return [];
  const named = isObject(schema['properties']) ? schema['properties'] : {};
  const patterns = isObject(schema['patternProperties'])
    ? Object.keys(schema['patternProperties']).map(expression)
    : [];
  return Object.entries(value)
    .filter(([key]) => !Object.hasOwn(named, key) && !patterns.some((pattern) => pattern.test(key)))
    .flatMap(([key, item]) => problemsAt(member(place, key, item), argument));
}

function propertyNames(argument: Json, place: Place): SchemaProblem[] {
  if (!isObject(place.value)) return [];
  return Object.keys(place.value)
    .filter((key) => !fits({ ...place, value: key }, argument))
    .flatMap((key) => fault(place, `has the property name ${shown(key)}, which is not allowed`));
}

function dependentRequired(argument: Json, place: Place): SchemaProblem[] {
  const { value } = place;
  if (!isObject(value) || !isObject(argument)) return [];
  return Object.entries(argument).flatMap(([key, names]) =>
    Object.hasOwn(value, key) && Array.isArray(names) ? required(names, place) : [],
  );
}

function prefixed(place: Place): Json[] {
  const { prefixItems, items } = place.schema;
  if (Array.isArray(prefixItems)) return prefixItems;
  return Array.isArray(items) ? items : [];
}

function tuple(argument: Json, place: Place): SchemaProblem[] {
  const { value } = place;
  if (!Array.isArray(value) || !Array.isArray(argument)) return [];
  return argument.flatMap((schema, index) => {
    const item = value[index];
    return item === undefined ? [] : problemsAt(member(place, index, item), schema);
  });
}

function restItems(argument: Json, place: Place): SchemaProblem[] {
  if (!Array.isArray(place.value)) return [];
  const start = prefixed(place).length;
  return place.value.slice(start).flatMap((item, index) => problemsAt(member(place, start + index, item), argument));
}

function contains(argument: Json, place: Place): SchemaProblem[] {
  if (!Array.isArray(place.value)) return [];
  const count = place.value.filter((item) => fits({ ...place, value: item }, argument)).length;
  const { minContains = 1, maxContains } = place.schema;
  if (typeof minContains === 'number' && count < minContains)
    return fault(place, `must contain ${minContains} or more items of the required kind, not ${count}`);
  if (typeof maxContains === 'number' && count > maxContains)
    return fault(place, `must contain at most ${maxContains} items of the required kind, not ${count}`);
  return [];
}

function uniqueItems(argument: Json, place: Place): SchemaProblem[] {
  if (argument !== true || !Array.isArray(place.value)) return [];
  const seen = new Set<string>();
  const twice = place.value.map(canonicalJson).findIndex((text) => seen.size === seen.add(text).size);
  return twice < 0 ? [] : [{ path: member(place, twice, null).path, message: 'repeats an earlier item' }];
}

function pattern(argument: Json, place: Place): SchemaProblem[] {
  if (typeof place.value !== 'string' || typeof argument !== 'string') return [];
  return expression(argument).test(place.value) ? [] : fault(place, `must match ${argument}`);
}

function format(argument: Json, place: Place): SchemaProblem[] {
  if (typeof place.value !== 'string' || fitsFormat(place.value, argument)) return [];
  return fault(place, `must be a ${String(argument)}, not ${shown(place.value)}`);
}

function multipleOf(argument: Json, place: Place): SchemaProblem[] {
  if (typeof place.value !== 'number' || typeof argument !== 'number' || argument <= 0) return [];
  // In decimals, since 0.3 / 0.1 is not whole in floating point.
  const rest = computeExpression(`mod(${place.value}, ${argument})`);
  return rest.ok && rest.value.n === 0n ? [] : fault(place, `must be a multiple of ${argument}`);
}

function oneOf(argument: Json, place: Place): SchemaProblem[] {
  const count = list(argument).filter((schema) => fits(place, schema)).length;
  if (count === 1) return [];
  return fault(place, count === 0 ? 'fits none of the allowed forms' : 'fits more than one of the allowed forms');
}

function condition(argument: Json, place: Place): SchemaProblem[] {
  const branch = fits(place, argument) ? place.schema['then'] : place.schema['else'];
  return branch === undefined ? [] : problemsAt(place, branch);
}

function reference(argument: Json, place: Place): SchemaProblem[] {
  const target = typeof argument === 'string' && argument.startsWith('#') ? pointed(place.root, argument) : undefined;
  if (target === undefined)
    throw new UsageError(
      `the schema refers to ${shown(argument)}, which is not in it: use a local #/$defs/… reference`,
    );
  return problemsAt(place, target);
}

function pointed(root: Json, pointer: string): Json | undefined {
  let target: Json | undefined = root;
  for (const part of decodeURIComponent(pointer.slice(1)).split('/').slice(1)) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (Array.isArray(target)) target = target[Number(key)];
    else target = isObject(target) && Object.hasOwn(target, key) ? target[key] : undefined;
  }
  return target;
}

function equalTo(allowed: Json[], place: Place): SchemaProblem[] {
  const text = canonicalJson(place.value);
  if (allowed.some((value) => canonicalJson(value) === text)) return [];
  return fault(place, `must be ${allowed.map(shown).join(' or ')}, not ${shown(place.value)}`);
}

const rules: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ['type', type],
  ['enum', (argument, place) => equalTo(list(argument), place)],
  ['const', (argument, place) => equalTo([argument], place)],
  ['properties', properties],
  ['required', required],
  ['patternProperties', patternProperties],
  ['additionalProperties', additionalProperties],
  ['propertyNames', propertyNames],
  ['dependentRequired', dependentRequired],
  ['minProperties', bound(sizeOf, atLeast, 'must have # or more properties')],
  ['maxProperties', bound(sizeOf, atMost, 'must have at most # properties')],
  ['prefixItems', tuple],
  ['items', (argument, place) => (Array.isArray(argument) ? tuple(argument, place) : restItems(argument, place))],
  ['additionalItems', (argument, place) => (Array.isArray(place.schema['items']) ? restItems(argument, place) : [])],
  ['contains', contains],
  ['uniqueItems', uniqueItems],
  ['minItems', bound(countOf, atLeast, 'must have # or more items')],
  ['maxItems', bound(countOf, atMost, 'must have at most # items')],
  ['minLength', bound(lengthOf, atLeast, 'must have # or more characters')],
  ['maxLength', bound(lengthOf, atMost, 'must have at most # characters')],
  ['pattern', pattern],
  ['format', format],
  ['minimum', bound(numberOf, atLeast, 'must be # or more')],
  ['maximum', bound(numberOf, atMost, 'must be at most #')],
  ['exclusiveMinimum', bound(numberOf, (size, limit) => size > limit, 'must be more than #')],
  ['exclusiveMaximum', bound(numberOf, (size, limit) => size < limit, 'must be less than #')],
  ['multipleOf', multipleOf],
  ['allOf', (argument, place) => list(argument).flatMap((schema) => problemsAt(place, schema))],
  [
    'anyOf',
    (argument, place) =>
      list(argument).some((schema) => fits(place, schema)) ? [] : fault(place, 'fits none of the allowed forms'),
  ],
  ['oneOf', oneOf],
  ['not', (argument, place) => (fits(place, argument) ? fault(place, 'has a form that is not allowed') : [])],
  ['if', condition],
  ['$ref', reference],
]);
