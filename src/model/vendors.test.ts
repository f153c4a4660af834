import {
  APICallError,
  type LanguageModelV4,
  type LanguageModelV4CallOptions,
  type LanguageModelV4Content,
  type LanguageModelV4Message,
  type LanguageModelV4StreamPart,
  type LanguageModelV4ToolCall,
} from '@ai-sdk/provider';
import { afterEach, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { userMessage } from '../core/transcript.ts';
import {
  startVendorServer,
  type VendorReply,
  type VendorServer,
  type VendorServerOptions,
  vendorEnvironment,
} from '../testing/vendor-server.ts';
import { jsonSchemaOf, tool, toolSpec } from '../tools/tool.ts';
import { compatibleModel, vendors as vendorTable } from './providers/vendors.ts';
import { resolveModel } from './resolve.ts';

const vendors = [
  { id: 'openai:gpt-5-mini', wire: 'openai-responses' },
  { id: 'anthropic:claude-sonnet-4-5', wire: 'anthropic' },
  { id: 'google:gemini-2.5-flash', wire: 'google' },
  { id: 'openai-compatible:some-model', wire: 'openai-chat' },
] as const;

let server: VendorServer;
afterEach(() => server.close());

async function open(id: string, script: VendorServerOptions['script']): Promise<LanguageModelV4> {
  server = await startVendorServer({ script });
  return resolveModel(id, { env: vendorEnvironment(server.url) });
}

const lookUp = toolSpec(
  tool({
    name: 'stock.look up/v2',
    description: 'Counts items in a store.',
    input: z.object({
      item: z.string().min(1).describe('what to count'),
      shelf: z.number().int().positive().optional(),
      filter: z
        .object({ colour: z.enum(['red', 'blue']).optional(), size: z.union([z.string(), z.number()]) })
        .optional(),
    }),
    effect: 'read',
    run: () => 0,
  }),
);

interface Turn {
  calls: { id: string; args: unknown }[];
  results: string[];
}

function history(...turns: Turn[]): LanguageModelV4Message[] {
  const messages: LanguageModelV4Message[] = [{ role: 'system', content: 'Be brief.' }, userMessage('How many bolts?')];
  for (const { calls, results } of turns) {
    const toolName = lookUp.name;
    messages.push({
      role: 'assistant',
      content: calls.map(({ id, args }) => ({ type: 'tool-call', toolCallId: id, toolName, input: args })),
    });
    messages.push({
      role: 'tool',
      content: results.map((value, index) => {
        const output = { type: 'text' as const, value };
        return { type: 'tool-result', toolCallId: calls[index]!.id, toolName, output };
      }),
    });
  }
  return messages;
}

/** Calls the first tool that was offered, under the name it was offered by. */
function callOffered(body: unknown, ...args: { item: string }[]): VendorReply {
  const name = /"name":"(stock_[^"]+)"/.exec(JSON.stringify(body))?.[1] ?? 'no tool was offered';
  return { type: 'tool-calls', calls: args.map((given) => ({ name, args: given })) };
}

async function streamed(
  model: LanguageModelV4,
  options: LanguageModelV4CallOptions,
): Promise<LanguageModelV4StreamPart[]> {
  const { stream } = await model.doStream(options);
  return Array.fromAsync(stream);
}

const textIn = (parts: readonly (LanguageModelV4StreamPart | LanguageModelV4Content)[]) =>
  parts.map((part) => (part.type === 'text-delta' ? part.delta : part.type === 'text' ? part.text : '')).join('');
const finishIn = (parts: LanguageModelV4StreamPart[]) =>
  parts.map((part) => (part.type === 'finish' ? part.finishReason.unified : undefined)).findLast(Boolean);
const callsIn = (parts: readonly (LanguageModelV4StreamPart | LanguageModelV4Content)[]): LanguageModelV4ToolCall[] =>
  parts.filter((part) => part.type === 'tool-call');
const accepted = () => server.requests.map(({ refused }) => refused ?? 'accepted');

describe.each(vendors)('$id', ({ id, wire }) => {
  test('answers in text, with its usage', async () => {
    const model = await open(id, [{ type: 'text', text: 'Forty-two bolts.' }]);
    const reply = await model.doGenerate({ prompt: history() });
    expect(reply.content).toMatchObject([{ type: 'text', text: 'Forty-two bolts.' }]);
    expect(reply.finishReason.unified).toBe('stop');
    expect(reply.usage.inputTokens).toMatchObject({ total: 20, cacheRead: 5 });
    expect(reply.usage.outputTokens.total).toBe(7);
    expect(server.requests.map(({ vendor }) => vendor)).toEqual([wire]);
  });

  test.each(['plain', 'streamed'])('%s: calls a tool under its own name and takes the result', async (how) => {
    const model = await open(id, ({ body }) =>
      server.requests.length === 1 ? callOffered(body, { item: 'bolt' }) : { type: 'text', text: 'There are 7.' },
    );
    const ask = async (prompt: LanguageModelV4Message[]) =>
      how === 'plain'
        ? (await model.doGenerate({ prompt, tools: [lookUp] })).content
        : streamed(model, { prompt, tools: [lookUp] });
    const [call] = callsIn(await ask(history()));
    expect(call).toMatchObject({ toolName: lookUp.name, input: JSON.stringify({ item: 'bolt' }) });
    const turn = { calls: [{ id: call!.toolCallId, args: { item: 'bolt' } }], results: ['7'] };
    const answer = await ask(history(turn));
    expect(textIn(answer)).toBe('There are 7.');
    expect(accepted()).toEqual(['accepted', 'accepted']);
  });

  test('takes an answer schema with optional parts', async () => {
    const schema = jsonSchemaOf(
      z.object({ count: z.number(), unit: z.string().optional(), tags: z.array(z.string()) }),
    );
    const json = '{"count":3,"unit":null,"tags":[]}';
    const model = await open(id, [{ type: 'text', text: json }]);
    const reply = await model.doGenerate({ prompt: history(), responseFormat: { type: 'json', schema } });
    expect(reply.content).toMatchObject([{ type: 'text', text: json }]);
    expect(accepted()).toEqual(['accepted']);
    expect(JSON.stringify(server.requests[0]!.body)).toContain('"count":{"type":"number"');
  });

  test('takes schemas with open objects, for tools and answers', async () => {
    const loose = jsonSchemaOf(z.object({ counts: z.record(z.string(), z.number()), any: z.unknown() }));
    const model = await open(id, [{ type: 'text', text: '{"counts":{}}' }]);
    const tools = [{ type: 'function' as const, name: 'tally', inputSchema: loose }];
    await model.doGenerate({ prompt: history(), tools, responseFormat: { type: 'json', schema: loose } });
    expect(accepted()).toEqual(['accepted']);
  });

  test('streams the text of an answer', async () => {
    const model = await open(id, [{ type: 'text', text: 'One by one they came.' }]);
    const parts = await streamed(model, { prompt: history() });
    expect(textIn(parts)).toBe('One by one they came.');
    expect(finishIn(parts)).toBe('stop');
  });

  test.each(['plain', 'streamed'])('%s: a refusal is a content-filter finish', async (how) => {
    const model = await open(id, [{ type: 'refusal', text: 'I will not count those.' }]);
    const finish =
      how === 'plain'
        ? (await model.doGenerate({ prompt: history() })).finishReason.unified
        : finishIn(await streamed(model, { prompt: history() }));
    expect(finish).toBe('content-filter');
  });

  test('a filtered answer is a content-filter finish', async () => {
    const model = await open(id, [{ type: 'content-filter' }, { type: 'content-filter' }]);
    expect((await model.doGenerate({ prompt: history() })).finishReason.unified).toBe('content-filter');
    expect(finishIn(await streamed(model, { prompt: history() }))).toBe('content-filter');
  });

  test('an error inside a stream that began well is reported, never taken for an answer', async () => {
    const model = await open(id, [{ type: 'stream-error', text: 'Half of it', message: 'too busy' }]);
    const parts = await streamed(model, { prompt: history() });
    expect(parts.some(({ type }) => type === 'error')).toBe(true);
    expect(JSON.stringify(parts)).toContain('too busy');
    expect(finishIn(parts)).not.toBe('stop');
  });

  test.each([false, true])('a stream that is cut (reset: %s) does not finish well', async (reset) => {
    const model = await open(id, [{ type: 'cut', text: 'I have all of', reset }]);
    const parts = await streamed(model, { prompt: history() }).catch((error: Error) => error);
    if (Array.isArray(parts)) expect(['interrupted', 'other', 'error', undefined]).toContain(finishIn(parts));
    else expect(parts.message).not.toBe('');
  });

  test('a rate limit is an error with the headers that tell when to come back', async () => {
    const model = await open(id, [
      { type: 'http-error', status: 429, headers: { 'retry-after': '7' }, message: 'slow' },
    ]);
    const error = await model.doGenerate({ prompt: history() }).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(APICallError.isInstance(error) && [error.statusCode, error.responseHeaders?.['retry-after']]).toEqual([
      429,
      '7',
    ]);
  });

  test('a history with every trap in it is accepted', async () => {
    const model = await open(id, [{ type: 'text', text: 'ok' }]);
    const reused = { id: 'functions.look:0', args: { item: 'nut' } };
    const prompt: LanguageModelV4Message[] = [
      ...history({ calls: [reused, reused], results: ['1', ''] }, { calls: [reused], results: ['3'] }),
      { role: 'assistant', content: [{ type: 'text', text: ' \n' }] },
      userMessage('  '),
      { role: 'assistant', content: [{ type: 'tool-call', toolCallId: '', toolName: lookUp.name, input: 'not json' }] },
      { role: 'tool', content: [] },
      userMessage('And now?'),
      userMessage('Please.'),
    ];
    await model.doGenerate({ prompt, tools: [lookUp] });
    expect(accepted()).toEqual(['accepted']);
  });

  test('without the adapter the same vendor refuses', async () => {
    server = await startVendorServer({ script: [{ type: 'text', text: 'ok' }] });
    const modelId = id.slice(id.indexOf(':') + 1);
    const vendor = vendorTable.find(({ prefix }) => id.startsWith(`${prefix}:`));
    const baseUrl = `${server.url}/${wire === 'google' ? 'v1beta' : 'v1'}`;
    const connection = { modelId, baseUrl, apiKey: 'test-key' };
    const bare = vendor ? await vendor.create(connection) : await compatibleModel({ ...connection, name: 'bare' });
    const attempt = bare.doGenerate({ prompt: history(), tools: [lookUp] });
    await expect(attempt).rejects.toThrow(/invalid tool name/);
  });
});

test('continuation deltas with blank identity belong to the call that was begun', async () => {
  const calls = [{ id: 'call_x', name: 'sum', args: { expression: '19 + 23' } }];
  const model = await open('openai-compatible:m', [{ type: 'tool-calls', calls, blankDeltaIds: true }]);
  const parts = await streamed(model, { prompt: history() });
  expect(callsIn(parts)).toMatchObject([
    { toolCallId: 'call_x', toolName: 'sum', input: JSON.stringify({ expression: '19 + 23' }) },
  ]);
});

test.each(['plain', 'streamed'])('%s: two calls under one id come back as two calls with two ids', async (how) => {
  const twice = { id: 'functions.sum:0', name: 'sum' };
  const reply: VendorReply = {
    type: 'tool-calls',
    calls: [
      { ...twice, args: { n: 1 } },
      { ...twice, args: { n: 2 } },
    ],
  };
  const model = await open('openai-compatible:m', [reply]);
  const parts =
    how === 'plain'
      ? (await model.doGenerate({ prompt: history() })).content
      : await streamed(model, { prompt: history() });
  const calls = callsIn(parts);
  expect(calls.map(({ input }) => input)).toEqual(['{"n":1}', '{"n":2}']);
  expect(new Set(calls.map(({ toolCallId }) => toolCallId)).size).toBe(2);
});

test('OpenAI is not relied on to remember: items are sent in full, and nothing is stored', async () => {
  const model = await open('openai:gpt-5-mini', [
    { type: 'text', text: 'Seven.' },
    { type: 'text', text: 'Eight.' },
  ]);
  const first = await model.doGenerate({ prompt: history() });
  const said = first.content.filter((part) => part.type === 'text');
  const content = said.map(({ text, providerMetadata }) => ({
    type: 'text' as const,
    text,
    ...(providerMetadata && { providerOptions: providerMetadata }),
  }));
  await model.doGenerate({ prompt: [...history(), { role: 'assistant', content }, userMessage('Sure?')] });
  expect(accepted()).toEqual(['accepted', 'accepted']);
  expect(server.requests.map(({ body }) => body['store'])).toEqual([false, false]);
});
