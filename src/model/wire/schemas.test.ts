import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import type { Json, JsonSchema } from '../../core/json.ts';
import {
  anthropicProblem,
  geminiProblem,
  grammarProblem,
  strictProblem,
} from '../../testing/vendor-server/schema-checks.ts';
import { jsonSchemaOf } from '../../tools/tool.ts';
import { abilitiesOf } from './abilities.ts';
import { anthropicSchema } from './anthropic-schema.ts';
import { geminiSchema } from './gemini-schema.ts';
import { grammarSchema } from './grammar-schema.ts';
import { asSchema } from './json-schema.ts';
import { objectRoot } from './object-root.ts';
import { strictSchema } from './strict-schema.ts';
import { answerSchema } from './tools.ts';

const json = (schema: z.ZodType): JsonSchema => jsonSchemaOf(schema) as JsonSchema;

const order = json(
  z.object({
    dish: z.string().describe('what to cook'),
    portions: z.int().min(1).optional().describe('how many'),
    note: z.string().nullable(),
    size: z.enum(['small', 'large']).optional(),
    address: z.object({ street: z.string().optional() }).optional(),
    either: z.union([z.string(), z.object({ n: z.number() })]).optional(),
    kind: z.literal('lunch').optional(),
  }),
);

const tree: JsonSchema = {
  type: 'object',
  properties: { top: { anyOf: [{ $ref: '#/definitions/Leaf' }, { type: 'null' }], description: 'the root' } },
  required: ['top'],
  definitions: {
    Leaf: {
      type: 'object',
      properties: { label: { type: 'string' }, next: { $ref: '#/definitions/Leaf', description: 'more' } },
    },
  },
};

describe('OpenAI strict mode', () => {
  test('every key is required, what was optional may be null, and descriptions stay', () => {
    const strict = strictSchema(order)!;
    expect(strictProblem(strict)).toBeUndefined();
    expect(strict).toMatchObject({
      required: ['dish', 'portions', 'note', 'size', 'address', 'either', 'kind'],
      additionalProperties: false,
      properties: {
        dish: { type: 'string', description: 'what to cook' },
        portions: { type: ['integer', 'null'], description: 'how many', minimum: 1 },
        note: { type: ['string', 'null'] },
        size: { type: ['string', 'null'], enum: ['small', 'large', null] },
        address: {
          type: ['object', 'null'],
          properties: { street: { type: ['string', 'null'] } },
          required: ['street'],
        },
        either: { anyOf: [{ type: 'string' }, { type: 'object' }, { type: 'null' }] },
        kind: { type: ['string', 'null'], enum: ['lunch', null] },
      },
    });
  });

  test('recursion stays a reference into $defs', () => {
    const strict = strictSchema(tree)!;
    expect(strictProblem(strict)).toBeUndefined();
    expect(strict).toMatchObject({
      $defs: {
        Leaf: {
          required: ['label', 'next'],
          properties: { next: { anyOf: [{ $ref: '#/$defs/Leaf' }, { type: 'null' }], description: 'more' } },
        },
      },
    });
  });

  test.each([
    ['an open object', z.object({ extra: z.record(z.string(), z.number()) })],
    ['a value of any type', z.object({ anything: z.unknown() })],
    ['a tuple', z.object({ pair: z.tuple([z.string(), z.number()]) })],
    ['an object that keeps unknown keys', z.looseObject({ a: z.string() })],
    ['a list', z.array(z.string())],
  ])('%s cannot be expressed, so the schema is sent without strict', (_what, schema) => {
    expect(strictSchema(json(schema))).toBeUndefined();
  });

  test('an answer schema that strict mode cannot express is sent as it is, and not as strict', () => {
    const open = jsonSchemaOf(z.object({ counts: z.record(z.string(), z.number()) }));
    const { schema, strict } = answerSchema(open, abilitiesOf('openai', ''));
    expect(strict).toBe(false);
    expect(schema).toMatchObject({ properties: { counts: { additionalProperties: { type: 'number' } } } });
    const list = jsonSchemaOf(z.array(z.string()));
    expect(answerSchema(list, abilitiesOf('openai', ''))).toEqual({ schema: undefined, strict: false, json: false });
  });

  test('a vendor that is always strict is asked for JSON where its schema cannot be strict', () => {
    const open = jsonSchemaOf(z.object({ counts: z.record(z.string(), z.number()) }));
    for (const vendor of ['xai', 'openrouter']) {
      expect(answerSchema(open, abilitiesOf(vendor, ''))).toEqual({ schema: undefined, strict: false, json: true });
    }
  });
});

describe('servers that make a grammar', () => {
  test('what would make it large or impossible is told in words, and values and properties stay', () => {
    const schema = json(
      z.object({
        mail: z.email().describe('where to'),
        pattern: z.string().max(5000),
        days: z.array(z.iso.date()).max(500),
        parts: z.array(z.enum(['format', 'pattern'])).max(3),
      }),
    );
    const sent = grammarSchema(schema);
    expect(grammarProblem(sent)).toBeUndefined();
    expect(sent).toMatchObject({
      properties: {
        mail: { type: 'string', description: expect.stringMatching(/^where to \(format: email, pattern: /) },
        pattern: { type: 'string', description: '(maxLength: 5000)' },
        parts: { maxItems: 3, items: { enum: ['format', 'pattern'] } },
      },
      required: ['mail', 'pattern', 'days', 'parts'],
    });
    expect(sent['properties']).not.toHaveProperty('days.maxItems');
  });

  test('with patterned properties every property is let through', () => {
    const schema: JsonSchema = {
      type: 'object',
      patternProperties: { '^x': { type: 'number' } },
      additionalProperties: false,
    };
    expect(grammarSchema(schema)).toEqual({ type: 'object' });
  });
});

describe('Gemini', () => {
  test('keywords it refuses are left out, but a property of that name stays', () => {
    const schema: JsonSchema = {
      $schema: 'http://json-schema.org/draft-07/schema#',
      type: 'object',
      additionalProperties: false,
      properties: {
        pattern: { type: 'string', pattern: '^x', description: 'a property with the name of a keyword' },
        $ref: { type: 'string' },
        additionalProperties: { type: 'boolean', default: true },
      },
      required: ['pattern', 'gone'],
    };
    const adapted = geminiSchema(schema)!;
    expect(geminiProblem(adapted)).toBeUndefined();
    expect(adapted).toEqual({
      type: 'object',
      properties: {
        pattern: { type: 'string', description: 'a property with the name of a keyword (pattern: ^x)' },
        $ref: { type: 'string' },
        additionalProperties: { type: 'boolean' },
      },
      required: ['pattern'],
    });
  });

  test('a type array becomes one branch per type, so null stays possible', () => {
    const adapted = geminiSchema({
      type: 'object',
      properties: {
        n: { type: ['number', 'null'], description: 'how far', minimum: 2 },
        colour: { type: ['string', 'null'], enum: ['red', null] },
      },
    });
    expect(adapted).toMatchObject({
      properties: {
        n: { anyOf: [{ type: 'number', description: 'how far', minimum: 2 }, { type: 'null' }] },
        colour: { anyOf: [{ type: 'string', enum: ['red'] }, { type: 'null' }] },
      },
    });
  });

  test('references are written out, and a cycle ends in a plain object', () => {
    const adapted = geminiSchema(tree)!;
    expect(geminiProblem(adapted)).toBeUndefined();
    const text = JSON.stringify(adapted);
    expect(text).not.toContain('$ref');
    expect(text.match(/"label"/g)).toHaveLength(2);
    expect(text).toContain('"next":{"type":"object","description":"more"}');
    expect(text).toContain('the root');
  });

  test('definitions that refer to each other in every way stay bounded', () => {
    const names = Array.from({ length: 12 }, (_, index) => `T${index}`);
    const properties = Object.fromEntries(names.map((name) => [name, { $ref: `#/$defs/${name}` }]));
    const $defs = Object.fromEntries(names.map((name) => [name, { type: 'object', properties }]));
    const adapted = geminiSchema({ type: 'object', properties, $defs });
    expect(JSON.stringify(adapted).length).toBeLessThan(200_000);
  });

  test.each([
    [{ $ref: '#' }],
    [{ type: 'object', properties: { a: { $ref: '#/$defs/A' } }, $defs: { A: { allOf: [{ $ref: '#/$defs/A' }] } } }],
    [{ type: 'object', properties: { a: { $ref: '#/$defs/A' } }, $defs: { A: { $ref: '#/$defs/A' } } }],
  ] as JsonSchema[][])('a schema that is nothing but a cycle comes to an end: %j', (schema) => {
    expect(geminiProblem(geminiSchema(schema!))).toBeUndefined();
  });

  test('a reference that leads nowhere makes the schema unusable', () => {
    expect(geminiSchema({ type: 'object', properties: { a: { $ref: '#/$defs/Missing' } } })).toBeUndefined();
    expect(geminiSchema({ type: 'object', properties: { a: { $ref: 'https://example.org/x.json' } } })).toBeUndefined();
  });

  test('an intersection becomes one object', () => {
    const both = json(z.intersection(z.object({ a: z.string() }), z.object({ b: z.number().optional() })));
    expect(geminiSchema(both)).toMatchObject({ type: 'object', properties: { a: {}, b: {} }, required: ['a'] });
  });
});

describe('Anthropic', () => {
  test('a tuple is written as draft 2020-12 has it', () => {
    const given = {
      type: 'object',
      properties: { pair: { type: 'array', items: [{ type: 'string' }], additionalItems: { type: 'number' } } },
    };
    expect(anthropicSchema(given as JsonSchema)).toMatchObject({
      properties: { pair: { prefixItems: [{ type: 'string' }], items: { type: 'number' } } },
    });
  });

  test('a property name it refuses makes the tool unusable', () => {
    expect(anthropicSchema({ type: 'object', properties: { 'größe in cm': { type: 'number' } } })).toBeUndefined();
  });
});

describe('the root of a tool schema', () => {
  test('a union of objects becomes the object that holds all of them', () => {
    const schema = json(
      z.union([z.object({ kind: z.literal('a'), x: z.string() }), z.object({ kind: z.literal('b'), y: z.number() })]),
    );
    expect(objectRoot(schema)).toMatchObject({
      type: 'object',
      properties: { kind: { type: 'string', enum: ['a', 'b'] }, x: {}, y: {} },
      required: ['kind'],
    });
  });

  test('a property that the members of a union describe differently may be what either says', () => {
    const args = [z.object({ page: z.number() }), z.object({ query: z.string() })] as const;
    const [page, query] = args.map((one) => asSchema(asSchema(json(z.object({ args: one }))['properties'])?.['args']));
    const schema = json(
      z.union([z.object({ args: args[0] }), z.object({ args: args[1] }), z.object({ args: args[0] })]),
    );
    expect(objectRoot(schema)?.['properties']).toEqual({ args: { anyOf: [page, query] } });
  });

  test('a reference is followed, and the definitions stay', () => {
    const schema: JsonSchema = {
      $ref: '#/definitions/A',
      definitions: { A: { type: 'object', properties: { b: { type: 'string' } } } },
    };
    expect(objectRoot(schema)).toMatchObject({ type: 'object', properties: { b: {} }, definitions: { A: {} } });
  });

  test.each([
    [{ type: 'string' }],
    [{ anyOf: [{ type: 'object' }, { type: 'string' }] }],
    [{ $ref: '#/gone' }],
    [{ $ref: '#' }],
  ] as JsonSchema[][])('what is no object has none: %j', (schema) => expect(objectRoot(schema!)).toBeUndefined());
});

describe('for any schema', () => {
  const leaf: fc.Arbitrary<JsonSchema> = fc.constantFrom<JsonSchema>(
    {},
    { type: 'string', format: 'email', minLength: 2 },
    { type: ['integer', 'null'], exclusiveMinimum: 0 },
    { enum: ['a', 1, null] },
    { const: true },
    { $ref: '#/$defs/Node', description: 'linked' },
    { $ref: '#' },
  );
  const { node } = fc.letrec<{ node: JsonSchema }>((tie) => ({
    node: fc.oneof(
      { maxDepth: 3 },
      leaf,
      fc.dictionary(fc.constantFrom('a', 'type', '$ref', 'required'), tie('node'), { maxKeys: 3 }).map(
        (properties): JsonSchema => ({
          type: 'object',
          properties,
          required: Object.keys(properties).slice(0, 1),
          additionalProperties: false,
        }),
      ),
      tie('node').map((items): JsonSchema => ({ type: 'array', items, uniqueItems: true })),
      fc.tuple(tie('node'), tie('node')).map((members): JsonSchema => ({ anyOf: members, description: 'either' })),
      fc.tuple(tie('node'), tie('node')).map((members): JsonSchema => ({ allOf: members })),
    ),
  }));
  const root = fc
    .tuple(node, node)
    .map(([a, Node]): JsonSchema => ({ type: 'object', properties: { a }, $defs: { Node } as Record<string, Json> }));

  test('what is sent is in the dialect of the vendor', () => {
    fc.assert(
      fc.property(root, (schema) => {
        const object = objectRoot(schema)!;
        expect(geminiProblem(geminiSchema(object))).toBeUndefined();
        expect(anthropicProblem(anthropicSchema(object))).toBeUndefined();
        expect(grammarProblem(grammarSchema(object))).toBeUndefined();
        const strict = strictSchema(object);
        if (strict) expect(strictProblem(strict)).toBeUndefined();
      }),
      { numRuns: 300 },
    );
  });
});
