import { isDeepStrictEqual } from 'node:util';
import type { Json } from '../core/json.ts';

/** A node of a JSON Schema (draft-7): an object, or true and false. */
export type SchemaNode = { readonly [key: string]: unknown } | boolean;

/** One plain form that a schema allows, without references and alternatives. `kind` undefined allows every type. */
export interface Shape {
  kind?: string;
  /** The only values allowed (`enum`, `const`). */
  values?: readonly Json[];
  properties: ReadonlyMap<string, SchemaNode>;
  required: ReadonlySet<string>;
  /** What undeclared keys may hold; undefined when the schema does not say, false when there may be none. */
  additional?: SchemaNode;
  items: readonly SchemaNode[];
  /** What array items beyond `items` may hold. */
  rest?: SchemaNode;
}

const anything: Shape = { properties: new Map(), required: new Set(), items: [] };

/** Unions of unions are cut off here: no schema that a model can follow has more forms in one place. */
const maxShapes = 64;

/** Resolves the nodes of one JSON Schema into the plain forms they allow. The same node gives the same objects. */
export class SchemaShapes {
  readonly root: SchemaNode;
  readonly #known = new Map<SchemaNode, readonly Shape[]>();

  constructor(root: SchemaNode) {
    this.root = root;
  }

  of(node: SchemaNode): readonly Shape[] {
    const known = this.#known.get(node);
    if (known) return known;
    // A schema that is nothing but a reference to itself allows nothing; this also ends the recursion.
    this.#known.set(node, []);
    const shapes = this.#resolve(node).slice(0, maxShapes);
    this.#known.set(node, shapes);
    return shapes;
  }

  #resolve(node: SchemaNode): Shape[] {
    if (typeof node === 'boolean') return node ? [anything] : [];
    const { $ref, not } = node;
    if (typeof $ref === 'string') return [...this.of(this.#target($ref))];
    if (isNode(not) && Object.keys(not).length === 0) return [];
    let shapes = ownShapes(node);
    for (const part of nodes(node['allOf'])) shapes = combine(shapes, this.of(part));
    for (const union of [node['anyOf'], node['oneOf']]) {
      if (Array.isArray(union))
        shapes = combine(
          shapes,
          nodes(union).flatMap((branch) => this.of(branch)),
        );
    }
    return shapes;
  }

  /** The node that a local reference (`#`, `#/definitions/name`) points to; one that points nowhere allows anything. */
  #target(reference: string): SchemaNode {
    let node: unknown = this.root;
    for (const part of reference.split('/').slice(1)) {
      const key = decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
      node = isNode(node) && Object.hasOwn(node, key) ? node[key] : undefined;
    }
    return isSchema(node) ? node : true;
  }
}

/** True when the shape allows a value of this type at its top level; what is inside is not looked at. */
export function allowsType(shape: Shape, value: unknown): boolean {
  if (shape.values) return shape.values.some((allowed) => isDeepStrictEqual(allowed, value));
  if (shape.kind === undefined) return true;
  const kind = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
  return kind === shape.kind || (kind === 'number' && shape.kind === 'integer');
}

function ownShapes(node: { readonly [key: string]: unknown }): Shape[] {
  const shape: Shape = {
    properties: new Map(Object.entries(asObject(node['properties'])).filter(isSchemaEntry)),
    required: new Set(strings(node['required'])),
    items: Array.isArray(node['items']) ? nodes(node['items']) : [],
  };
  const rest = Array.isArray(node['items']) ? node['additionalItems'] : node['items'];
  if (isSchema(rest)) shape.rest = rest;
  if (isSchema(node['additionalProperties'])) shape.additional = node['additionalProperties'];
  // Keywords of JSON Schema hold JSON.
  if (Array.isArray(node['enum'])) shape.values = node['enum'] as Json[];
  if ('const' in node) shape.values = [node['const'] as Json];
  const types = Array.isArray(node['type']) ? strings(node['type']) : strings([node['type']]);
  return types.length === 0 ? [shape] : types.map((kind) => ({ ...shape, kind }));
}

/** Every pair of forms that can hold at once. */
function combine(left: readonly Shape[], right: readonly Shape[]): Shape[] {
  const pairs: Shape[] = [];
  for (const a of left) {
    for (const b of right) {
      const both = pairs.length < maxShapes ? merge(a, b) : undefined;
      if (both) pairs.push(both);
    }
  }
  return pairs;
}

function merge(a: Shape, b: Shape): Shape | undefined {
  const kind = commonKind(a.kind, b.kind);
  if (kind === false) return undefined;
  const values = a.values && b.values ? a.values.filter((value) => allowsType(b, value)) : (a.values ?? b.values);
  const additional = commonAdditional(a.additional, b.additional);
  const rest = a.rest ?? b.rest;
  return {
    ...(kind !== undefined && { kind }),
    ...(values && { values }),
    properties: mergedProperties(a.properties, b.properties),
    required: new Set([...a.required, ...b.required]),
    ...(additional !== undefined && { additional }),
    items: a.items.length > 0 ? a.items : b.items,
    ...(rest !== undefined && { rest }),
  };
}

/** The type that both allow, undefined for any, false for none. */
function commonKind(a: string | undefined, b: string | undefined): string | undefined | false {
  if (a === undefined || b === undefined || a === b) return a ?? b;
  const numeric = [a, b].includes('number') && [a, b].includes('integer');
  return numeric && 'integer';
}

/** Undeclared keys are refused only if no side allows them: a key that one side declares is declared. */
function commonAdditional(a: SchemaNode | undefined, b: SchemaNode | undefined): SchemaNode | undefined {
  return a === undefined || a === false ? (b ?? a) : a;
}

function mergedProperties(a: Shape['properties'], b: Shape['properties']): Shape['properties'] {
  const merged = new Map(a);
  for (const [key, node] of b) {
    const other = merged.get(key);
    merged.set(key, other === undefined ? node : { allOf: [other, node] });
  }
  return merged;
}

function isNode(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isSchema(value: unknown): value is SchemaNode {
  return typeof value === 'boolean' || isNode(value);
}

function isSchemaEntry(entry: [string, unknown]): entry is [string, SchemaNode] {
  return isSchema(entry[1]);
}

function asObject(value: unknown): { readonly [key: string]: unknown } {
  return isNode(value) ? value : {};
}

function nodes(value: unknown): SchemaNode[] {
  return Array.isArray(value) ? value.filter(isSchema) : [];
}

function strings(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}
