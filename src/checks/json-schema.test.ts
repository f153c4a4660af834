import { describe, expect, it } from 'vitest';
import { UsageError } from '../core/errors.ts';
import type { Json } from '../core/json.ts';
import { schemaProblems } from './json-schema.ts';

const tree: Json = {
  $ref: '#/$defs/node',
  $defs: { node: { type: 'object', properties: { next: { $ref: '#/$defs/node' }, size: { type: 'integer' } } } },
};
// As text, since a literal with a `then` looks like a promise.
const conditional: Json = JSON.parse('{"if": {"required": ["a"]}, "then": {"required": ["b"]}}');

describe('fits', () => {
  it.each<[string, Json, Json]>([
    ['type', { type: 'integer' }, 4],
    ['a list of types', { type: ['string', 'null'] }, null],
    ['enum', { enum: [1, 'a', { b: [2] }] }, { b: [2] }],
    ['an optional property', { type: 'object', properties: { a: { type: 'string' } } }, {}],
    ['a property the schema does not name', { properties: { a: { type: 'string' } } }, { b: 1 }],
    ['a keyword for another type', { minLength: 3, required: ['a'], minItems: 2 }, 1],
    ['pattern is not anchored', { pattern: 'b+' }, 'abbc'],
    ['characters, not code units', { maxLength: 1 }, '😀'],
    ['multipleOf in decimals', { multipleOf: 0.1 }, 0.3],
    ['a schema that refers to itself', tree, { next: { next: { size: 3 } } }],
    ['if and else', { if: { required: ['a'] }, else: { required: ['b'] } }, { b: 1 }],
    ['contains', { contains: { const: 3 } }, [1, 3]],
    ['tuples of draft 7', { items: [{ type: 'string' }], additionalItems: { type: 'number' } }, ['a', 1, 2]],
    ['an unknown keyword', { 'x-note': 1, title: 'T', default: 3 }, 'v'],
    ['a format', { format: 'date' }, '2022-02-28'],
    ['true', true, 1],
  ])('%s', (_, schema, value) => {
    expect(schemaProblems(value, schema)).toEqual([]);
  });
});

describe('does not fit', () => {
  it.each<[string, Json, Json, string]>([
    ['type', { type: 'integer' }, 4.5, ''],
    ['type of null', { type: 'object' }, null, ''],
    ['required without properties', { required: ['total'] }, {}, 'total'],
    ['properties without type', { properties: { a: { type: 'string' } } }, { a: 1 }, 'a'],
    ['a deep place', { properties: { a: { items: { required: ['b'] } } } }, { a: [{ b: 1 }, {}] }, 'a[1].b'],
    ['a property too many', { properties: { a: {} }, additionalProperties: false }, { a: 1, c: 2 }, 'c'],
    ['a pattern property', { patternProperties: { '^n_': { type: 'number' } } }, { n_x: 'a' }, 'n_x'],
    ['property names', { propertyNames: { maxLength: 2 } }, { abc: 1 }, ''],
    ['dependentRequired', { dependentRequired: { a: ['b'] } }, { a: 1 }, 'b'],
    ['a recursive place', tree, { next: { next: { size: 'x' } } }, 'next.next.size'],
    ['prefixItems', { prefixItems: [{ type: 'string' }], items: false }, ['a', 2], '[1]'],
    [
      'uniqueItems',
      { uniqueItems: true },
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
      '[1]',
    ],
    ['minContains', { contains: { type: 'number' }, minContains: 2 }, [1, 'a'], ''],
    ['maxItems', { maxItems: 1 }, [1, 2], ''],
    ['minLength', { minLength: 2 }, 'a', ''],
    ['pattern', { pattern: '^b+$' }, 'abbc', ''],
    ['format', { format: 'date' }, '2022-02-30', ''],
    ['exclusiveMaximum', { exclusiveMaximum: 3 }, 3, ''],
    ['multipleOf', { multipleOf: 0.1 }, 0.35, ''],
    ['enum', { enum: ['a', 'b'] }, 'c', ''],
    ['const', { const: 'a' }, 'b', ''],
    ['allOf', { allOf: [{ minimum: 1 }, { maximum: 2 }] }, 3, ''],
    ['anyOf', { anyOf: [{ type: 'string' }, { type: 'null' }] }, 3, ''],
    ['oneOf when two fit', { oneOf: [{ type: 'number' }, { minimum: 1 }] }, 3, ''],
    ['not', { not: { type: 'string' } }, 'a', ''],
    ['then', conditional, { a: 1 }, 'b'],
    ['false', false, 1, ''],
    ['names of the prototype', { required: ['toString'] }, {}, 'toString'],
  ])('%s', (_, schema, value, path) => {
    expect(schemaProblems(value, schema).map((problem) => problem.path)).toEqual([path]);
  });
});

it.each<[string, Json]>([
  ['a keyword it cannot judge by', { unevaluatedProperties: false }],
  ['a reference elsewhere', { $ref: 'https://s.example/x.json' }],
  ['a reference to nothing', { $ref: '#/$defs/none' }],
  ['a reference to itself', { $ref: '#' }],
  ['a broken pattern', { pattern: '(' }],
])('refuses a schema with %s', (_, schema) => {
  expect(() => schemaProblems('a', schema)).toThrow(UsageError);
});

describe('a schema or a value that asks for too much', () => {
  it('is refused, or judged in the time its size takes', () => {
    const began = Date.now();
    const tangled: Json = {
      $ref: '#/$defs/a',
      $defs: {
        a: { anyOf: [{ items: { $ref: '#/$defs/a' } }, { allOf: [{ items: { $ref: '#/$defs/a' } }] }], not: {} },
      },
    };
    const nested: Json = JSON.parse(`${'['.repeat(60)}${']'.repeat(60)}`);
    expect(() => schemaProblems(nested, tangled)).toThrow('too many comparisons');
    const many = Array.from({ length: 100_000 }, (_, index) => index);
    expect(schemaProblems([...many, 7], { uniqueItems: true })).toMatchObject([{ path: '[100000]' }]);
    expect(Date.now() - began).toBeLessThan(3_000);
  });
});
