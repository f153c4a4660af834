import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import type { Json, JsonSchema } from '../../core/json.ts';
import { llamaSchema, withoutNulls } from './llama-schema.ts';

function object(properties: Record<string, JsonSchema>, required: string[] = Object.keys(properties)): JsonSchema {
  return { type: 'object', properties, required };
}

const text: JsonSchema = { type: 'string' };

describe('a schema for a grammar', () => {
  test('what is optional may be null, and keeps its description', () => {
    const { schema, hasOptional } = llamaSchema(object({ a: text, b: { ...text, description: 'the b' } }, ['a']));
    expect(schema).toEqual({
      type: 'object',
      properties: { a: text, b: { oneOf: [text, { type: 'null' }], description: 'the b' } },
    });
    expect(hasOptional).toBe(true);
    expect(llamaSchema(object({ a: text })).hasOptional).toBe(false);
  });

  test('unions, literals, tuples and free objects are said in the words of the grammar', () => {
    const of = (schema: JsonSchema): JsonSchema => llamaSchema(schema).schema;
    expect(of({ anyOf: [text, { const: 1 }] })).toEqual({ oneOf: [text, { enum: [1] }] });
    expect(of({ type: ['string', 'null'] })).toEqual({ type: ['string', 'null'] });
    expect(of({ type: ['array', 'null'], items: text })).toEqual({
      oneOf: [{ type: 'array', items: text }, { type: 'null' }],
    });
    expect(of({ type: 'array', prefixItems: [text], minItems: 1 })).toEqual({
      type: 'array',
      prefixItems: [text],
      minItems: 1,
      maxItems: 1,
    });
    expect(of({ type: 'object' })).toEqual({ type: 'object', properties: {}, additionalProperties: true });
    expect(of(object({}))).toEqual({ type: 'object', properties: {} });
    expect(of({ type: 'object', additionalProperties: text })).toMatchObject({ additionalProperties: text });
    expect(of({ allOf: [object({ a: text }), object({ b: text })] })).toEqual({
      type: 'object',
      properties: { a: text, b: text },
    });
    expect(of({ type: 'string', format: 'date' })).toEqual({ type: 'string', format: 'date' });
  });

  test('references become definitions of the root, also to themselves', () => {
    const { schema } = llamaSchema({
      $defs: { tree: object({ kids: { type: 'array', items: { $ref: '#/$defs/tree' } } }) },
      $ref: '#/$defs/tree',
    });
    const reference = { $ref: '#/$defs/tree0' };
    expect(schema).toEqual({
      ...reference,
      $defs: { tree0: { type: 'object', properties: { kids: { type: 'array', items: reference } } } },
    });
    expect(llamaSchema(object({ self: { $ref: '#' } }, [])).schema).toMatchObject({
      $defs: { Root0: { type: 'object' } },
    });
  });

  test('what the grammar does not hold is named', () => {
    const schema = object({
      a: { type: 'string', pattern: '^a', format: 'email' },
      b: { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
      c: { type: 'array', uniqueItems: true },
      d: { const: { deep: 1 } },
      e: { $ref: '#/$defs/nowhere' },
      f: { type: 'string', maxLength: 10_000 },
    });
    expect(llamaSchema(schema).notEnforced.toSorted()).toEqual(
      [
        '$ref #/$defs/nowhere',
        'const of a list or an object',
        'format',
        'maxLength',
        'minimum',
        'pattern',
        'uniqueItems',
      ].toSorted(),
    );
  });
});

describe('taking nulls out', () => {
  const point = object({ kind: { const: 'point' }, x: { type: 'number' }, name: text }, ['kind', 'x']);
  const circle = object({
    kind: { const: 'circle' },
    r: { type: ['number', 'null'] },
    name: { type: ['string', 'null'] },
  });

  test('takes those of optional properties and leaves those that are asked for', () => {
    const schema = {
      ...object({ shapes: { type: 'array', items: { anyOf: [point, circle] } }, note: text }, ['shapes']),
    };
    const value: Json = {
      shapes: [
        { kind: 'point', x: 1, name: null },
        { kind: 'circle', r: null, name: null },
      ],
      note: null,
    };
    expect(withoutNulls(value, schema)).toEqual({
      shapes: [
        { kind: 'point', x: 1 },
        { kind: 'circle', r: null, name: null },
      ],
    });
  });

  test('follows references, tuples and free keys', () => {
    const schema: JsonSchema = {
      ...object(
        {
          next: { $ref: '#' },
          pair: { type: 'array', prefixItems: [object({ a: text }, [])] },
          free: { type: 'object', additionalProperties: object({ a: text }, []) },
        },
        [],
      ),
    };
    const value: Json = { next: { next: null, pair: [{ a: null }], free: { k: { a: null } } }, pair: null, free: null };
    expect(withoutNulls(value, schema)).toEqual({ next: { pair: [{}], free: { k: {} } } });
  });

  test('any value of a zod schema, written with null for what is absent, comes back as it was', () => {
    const leaf = z.object({ a: z.string(), b: z.number().optional(), c: z.string().nullable() });
    const shape = z.object({
      list: z.array(leaf).optional(),
      one: leaf,
      either: z.union([leaf, z.string()]).optional(),
    });
    const anyLeaf = fc.record(
      { a: fc.string(), b: fc.integer(), c: fc.option(fc.string()) },
      { requiredKeys: ['a', 'c'] },
    );
    const value = fc.record(
      { list: fc.array(anyLeaf), one: anyLeaf, either: fc.oneof(anyLeaf, fc.string()) },
      { requiredKeys: ['one'] },
    );
    fc.assert(
      fc.property(value, (given) => {
        const filled = { list: null, either: null, ...given, one: { b: null, ...given.one } };
        const back = withoutNulls(filled as Json, z.toJSONSchema(shape) as JsonSchema);
        expect(back).toEqual(given);
        expect(shape.safeParse(back).success).toBe(true);
      }),
    );
  });
});
