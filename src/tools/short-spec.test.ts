import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { shortSpec, toolLine } from './short-spec.ts';
import { functionSpec } from './tool.ts';

const spec = functionSpec(
  'search',
  'Searches 1.5 million documents, e.g. by words. Then it goes on for long.\nAnd on.',
  z.object({
    query: z.string().min(1).max(99).describe('What to look for.'),
    title: z.string().optional().describe('A part of the title.'),
    within: z.array(z.object({ description: z.string(), year: z.int().min(1900) })).default([]),
  }),
);

describe('a tool in short', () => {
  it('is one line with its parameters', () => {
    expect(toolLine(spec)).toBe(
      '- search { query: string, title?: string, within?: array of ({ description: string, year: integer }) }: Searches 1.5 million documents, e.g. by words.',
    );
  });

  it('keeps the structure of its schema and leaves out words and limits', () => {
    const { inputSchema } = shortSpec(spec);
    expect(inputSchema).toEqual({
      type: 'object',
      properties: {
        query: { type: 'string' },
        title: { type: 'string' },
        within: {
          type: 'array',
          items: {
            type: 'object',
            properties: { description: { type: 'string' }, year: { type: 'integer' } },
            required: ['description', 'year'],
          },
        },
      },
      required: ['query'],
    });
  });

  it('keeps references, alternatives and maps', () => {
    const tree = z.object({
      name: z.string(),
      get children() {
        return z.array(tree);
      },
    });
    const { inputSchema } = shortSpec(
      functionSpec(
        't',
        '',
        z.object({
          at: z.union([z.enum(['a', 'b']), tree]),
          more: z.record(z.string(), z.number()),
          some: z.array(z.string()).min(1),
        }),
      ),
    );
    const text = JSON.stringify(inputSchema);
    expect(text).toContain('"$ref"');
    expect(text).toContain('"minItems":1');
    expect(text).toContain('"enum":["a","b"]');
    expect(text).toContain('"additionalProperties":{"type":"number"}');
  });

  it('cuts a sentence without an end', () => {
    const long = functionSpec('long', 'word '.repeat(100), z.object({}));
    expect(shortSpec(long).description?.length).toBeLessThanOrEqual(130);
  });
});
