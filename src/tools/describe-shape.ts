import type { SchemaNode, SchemaShapes, Shape } from './schema-shapes.ts';

const maxFields = 30;
const maxValues = 20;
const maxLength = 1500;

/** The fields of a schema in one line, for a message to a model: `{ path: string, mode?: "read" | "write" }`. Deeper ones are not named. */
export function describeShape(shapes: SchemaShapes, deepest = 2): string {
  const text = describe({ shapes, deepest }, shapes.root, 0);
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
}

interface Described {
  shapes: SchemaShapes;
  deepest: number;
}

function describe(all: Described, node: SchemaNode, depth: number): string {
  const forms = all.shapes.of(node).map((shape) => describeForm(all, shape, depth));
  return [...new Set(forms)].join(' | ') || 'nothing';
}

function describeForm(all: Described, shape: Shape, depth: number): string {
  if (shape.values) {
    const rest = shape.values.length > maxValues ? ' | …' : '';
    return `${shape.values
      .slice(0, maxValues)
      .map((value) => JSON.stringify(value))
      .join(' | ')}${rest}`;
  }
  if (shape.kind === 'array')
    return depth > all.deepest ? 'array' : `array of (${describe(all, shape.rest ?? true, depth + 1)})`;
  if (shape.kind !== 'object') return shape.kind ?? 'any';
  if (depth > all.deepest) return 'object';
  const fields = [...shape.properties].map(
    ([key, node]) => `${key}${shape.required.has(key) ? '' : '?'}: ${describe(all, node, depth + 1)}`,
  );
  if (fields.length > maxFields || isOpen(shape)) fields.splice(maxFields, Number.POSITIVE_INFINITY, '…');
  return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`;
}

function isOpen(shape: Shape): boolean {
  return shape.additional !== undefined && shape.additional !== false;
}
