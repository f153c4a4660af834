import { dynamicTool, jsonSchema, tool as sdkTool, type ToolSet } from 'ai';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { UsageError } from '../core/errors.ts';
import { prepareArguments } from './arguments.ts';
import { type DefineToolOptions, defineTool, defineTools, type ForeignTool } from './define-tool.ts';
import { type Tool, toolSpec } from './tool.ts';

/** Runs a call as the executor does, from the text a model sent. */
async function call(tool: Tool, args: unknown, signal: AbortSignal = new AbortController().signal): Promise<unknown> {
  const prepared = prepareArguments(JSON.stringify(args), tool.input);
  if (!prepared.ok) throw new Error(prepared.message);
  return await tool.run(prepared.args, { idempotencyKey: 'run-1/key', attempt: 1, signal });
}

const options: DefineToolOptions = { effect: 'read' };

const weather = sdkTool({
  description: 'The weather of a city.',
  inputSchema: z.object({ city: z.string().describe('Its name.'), days: z.number().int().default(1) }),
  execute: async ({ city, days }) => ({ city, days, degrees: 21 }),
});

describe('defineTool', () => {
  it('takes a tool with a zod schema as it is, defaults and description included', async () => {
    const tool = defineTool('weather', weather, options);
    expect(toolSpec(tool)).toMatchObject({
      name: 'weather',
      description: 'The weather of a city.',
      inputSchema: { properties: { city: { type: 'string', description: 'Its name.' } }, required: ['city'] },
    });
    expect(await call(tool, { city: 'Cork' })).toEqual({ city: 'Cork', days: 1, degrees: 21 });
    await expect(call(tool, { town: 'Cork' })).rejects.toThrow('city: this field is missing');
    expect(tool).toMatchObject({
      effect: 'read',
      trust: 'untrusted',
      timeoutMs: 30_000,
      retries: 0,
      idempotent: false,
    });
  });

  it('gives execute the idempotency key, the signal, the context and no messages', async () => {
    const seen: unknown[] = [];
    const spy = sdkTool({ inputSchema: z.object({}), execute: (_input, given) => void seen.push(given) });
    const { signal } = new AbortController();
    await call(defineTool('spy', spy, { ...options, context: { tenant: 4 } }), {}, signal);
    expect(seen).toEqual([{ toolCallId: 'run-1/key', messages: [], abortSignal: signal, context: { tenant: 4 } }]);
  });

  it('shows and checks a JSON Schema, and asks its own validation too', async () => {
    const even = jsonSchema<{ n: number }>(
      { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'], additionalProperties: false },
      {
        validate: (value) => {
          const { n } = value as { n: number };
          return n % 2 === 0
            ? { success: true, value: { n: n / 2 } }
            : { success: false, error: new Error('n must be even') };
        },
      },
    );
    const tool = defineTool('half', sdkTool({ inputSchema: even, execute: ({ n }) => n }), options);
    expect(toolSpec(tool).inputSchema).toMatchObject({ properties: { n: { type: 'integer' } } });
    expect(await call(tool, { n: '8' })).toBe(4);
    await expect(call(tool, { n: 3 })).rejects.toThrow('the arguments do not fit: n must be even');
    await expect(call(tool, { n: 'many' })).rejects.toThrow('n: must be integer');
    const lazy = { inputSchema: () => even, execute: ({ n }: { n: number }) => n };
    expect(await call(defineTool('lazy', lazy, options), { n: 4 })).toBe(2);
  });

  it('takes a standard schema that gives its JSON Schema', async () => {
    const inputSchema = {
      '~standard': {
        version: 1 as const,
        vendor: 'acme',
        validate: async (value: unknown) =>
          (value as { to: string }).to.includes('@') ? { value } : { issues: [{ message: 'to must be an address' }] },
        jsonSchema: {
          input: () => ({ type: 'object', properties: { to: { type: 'string' } }, required: ['to'] }),
          output: () => ({}),
        },
      },
    };
    const tool = defineTool('send', { inputSchema, execute: ({ to }: { to: string }) => `sent to ${to}` });
    expect(await call(tool, { to: 'a@b.example' })).toBe('sent to a@b.example');
    await expect(call(tool, { to: 'nobody' })).rejects.toThrow('to must be an address');
    await expect(call(tool, {})).rejects.toThrow('to: this field is missing');
  });

  it('takes dynamic tools and tools without a schema or a description', async () => {
    const dynamic = dynamicTool({
      description: 'Says it again.',
      inputSchema: jsonSchema({ type: 'object', properties: { word: { type: 'string' } } }),
      execute: async (input) => input,
    });
    expect(await call(defineTool('again', dynamic, options), { word: 'hm' })).toEqual({ word: 'hm' });
    const bare = defineTool('now', { execute: () => 'noon' }, options);
    expect(await call(bare, {})).toBe('noon');
    expect(bare.description).toBe('now');
    const told = { description: ({ context }: { context: string }) => `For ${context}.`, execute: () => 1 };
    expect(defineTool('told', told, { context: 'you' }).description).toBe('For you.');
  });

  it('gives the last value of a stream, and stops reading it when aborted', async () => {
    let finished = false;
    const counting = sdkTool({
      inputSchema: z.object({ upTo: z.number() }),
      async *execute({ upTo }) {
        try {
          for (let n = 1; n <= upTo; n++) {
            await new Promise((resolve) => setImmediate(resolve));
            yield n;
          }
        } finally {
          finished = true;
        }
      },
    });
    const tool = defineTool('count', counting, options);
    expect(await call(tool, { upTo: 3 })).toBe(3);
    finished = false;
    const controller = new AbortController();
    setTimeout(() => controller.abort(new Error('enough')), 20);
    await expect(call(tool, { upTo: 1e9 }, controller.signal)).rejects.toThrow('enough');
    expect(finished).toBe(true);
  });

  it.each<[string, unknown, unknown]>([
    ['text', { type: 'text', value: 'short' }, 'short'],
    ['json', { type: 'json', value: { a: 1 } }, { a: 1 }],
    [
      'content',
      {
        type: 'content',
        value: [
          { type: 'text', text: 'See' },
          { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'AAAA' } },
          { type: 'file', mediaType: 'text/plain', data: { type: 'text', text: 'inside' } },
        ],
      },
      'See\n[file, image/png]\ninside',
    ],
    ['error', { type: 'error-text', value: 'no such city' }, new Error('no such city')],
    ['refusal', { type: 'execution-denied', reason: 'closed' }, new Error('the tool refused the call: closed')],
  ])('applies toModelOutput: %s', async (_name, output, expected) => {
    const given: unknown[] = [];
    const foreign: ForeignTool = {
      inputSchema: z.object({ a: z.number() }),
      execute: () => 'raw',
      toModelOutput: (options) => {
        given.push(options);
        return output;
      },
    };
    const called = call(defineTool('t', foreign, options), { a: 1 });
    if (expected instanceof Error) await expect(called).rejects.toThrow(expected.message);
    else expect(await called).toEqual(expected);
    expect(given).toEqual([{ toolCallId: 'run-1/key', input: { a: 1 }, output: 'raw' }]);
  });

  it('lets nothing run unasked by default, or where the tool itself wants to be asked for', () => {
    const asking = { execute: () => 1, needsApproval: () => false };
    expect(defineTool('t', weather).effect).toBe('irreversible');
    expect(defineTool('t', asking, { effect: 'read' }).effect).toBe('write');
    expect(defineTool('t', { execute: () => 1, needsApproval: true }, { effect: 'irreversible' }).effect).toBe(
      'irreversible',
    );
    expect(defineTool('t', { execute: () => 1, needsApproval: false }, { effect: 'read' }).effect).toBe('read');
  });

  it.each<[string, ForeignTool, RegExp]>([
    ['no execute', { inputSchema: z.object({}) }, /'t' cannot be run here: it has no `execute`/],
    ['a provider’s tool', { type: 'provider', inputSchema: z.object({}) }, /its provider runs it/],
    [
      'a date',
      { inputSchema: z.object({ at: z.date() }), execute: () => 1 },
      /inputSchema of 't' cannot be used: Date/,
    ],
    ['a promised schema', { inputSchema: jsonSchema(Promise.resolve({})), execute: () => 1 }, /is a promise: await it/],
    [
      'a schema without JSON Schema',
      { inputSchema: { '~standard': { vendor: 'acme', validate: () => 1 } }, execute: () => 1 },
      /acme gives no JSON/,
    ],
    ['no schema at all', { inputSchema: 'text', execute: () => 1 }, /neither a zod schema/],
    ['an endless schema', { inputSchema: jsonSchema({ $ref: '#' }), execute: () => 1 }, /refers to itself/],
  ])('refuses %s with the reason', (_name, foreign, why) => {
    expect(() => defineTool('t', foreign)).toThrow(UsageError);
    expect(() => defineTool('t', foreign)).toThrow(why);
  });
});

describe('defineTools', () => {
  it('takes a whole set with options for each', async () => {
    const set = { weather, again: sdkTool({ inputSchema: z.object({}), execute: () => 'again' }) } satisfies ToolSet;
    const tools = defineTools(set, { weather: { effect: 'read', description: 'Weather.' } });
    expect(tools.map(({ name, effect, description }) => [name, effect, description])).toEqual([
      ['weather', 'read', 'Weather.'],
      ['again', 'irreversible', 'again'],
    ]);
    expect(await call(tools[1]!, {})).toBe('again');
  });

  it('refuses options for a tool that is not there', () => {
    const set: ToolSet = { weather };
    expect(() => defineTools(set, { wether: { effect: 'read' } })).toThrow(
      "options for 'wether', but no such tool: weather",
    );
    expect(defineTools({ toString: { execute: () => 1 } }).map(({ effect }) => effect)).toEqual(['irreversible']);
    expect(() => defineTools({}, JSON.parse('{"toString":{}}'))).toThrow(UsageError);
  });
});
