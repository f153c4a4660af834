/**
 * What a model of `local:` keeps to, however it is run, shown with the tiny model of `writeTinyModel`. `open` starts an engine for a
 * file with 16,384 tokens of context, one thread and no graphics processor.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type LanguageModelV4CallOptions,
  type LanguageModelV4StreamPart,
  UnsupportedFunctionalityError,
} from '@ai-sdk/provider';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { userMessage } from '../core/transcript.ts';
import { classifyError } from '../model/classify-error.ts';
import type { LocalEngine, ReadProgress } from '../model/local/local-engine.ts';
import { localModel } from '../model/local/local-model.ts';
import { writeTinyModel } from './tiny-model.ts';

type Request = Omit<LanguageModelV4CallOptions, 'prompt'> & { prompt?: LanguageModelV4CallOptions['prompt'] };
type Schema = Extract<NonNullable<LanguageModelV4CallOptions['tools']>[number], { type: 'function' }>['inputSchema'];

const hello = 'Hello from the tiny test model.';
/** What one piece of a prompt may take on a machine that is busy with other tests. */
const promptlyMs = 1_000;

const tools: NonNullable<LanguageModelV4CallOptions['tools']> = [
  {
    type: 'function',
    name: 'count_stock',
    description: 'Counts items in a store.',
    inputSchema: {
      type: 'object',
      properties: {
        item: { type: 'string' },
        shelf: { type: 'integer', minimum: 1 },
        notes: { type: 'array', items: { type: 'string' } },
      },
      required: ['item'],
    },
  },
  { type: 'function', name: 'weather', inputSchema: object({ city: { type: 'string' } }) },
  { type: 'function', name: 'now', inputSchema: { type: 'object', properties: {} } },
];

const called: LanguageModelV4CallOptions['prompt'] = [
  userMessage('How many bolts?'),
  {
    role: 'assistant',
    content: [{ type: 'tool-call', toolCallId: 'c1', toolName: 'count_stock', input: { item: 'tiny', shelf: 7 } }],
  },
  {
    role: 'tool',
    content: [
      {
        type: 'tool-result',
        toolCallId: 'c1',
        toolName: 'count_stock',
        output: { type: 'json', value: { count: 21 } },
      },
    ],
  },
];

/** Registers the suite under the name. */
export function localModelContract(name: string, open: (file: string) => LocalEngine): void {
  describe(`local model contract: ${name}`, () => {
    const folder = mkdtempSync(join(tmpdir(), 'assay-local-'));
    const opened: LocalEngine[] = [];
    const started = (file: string): LocalEngine => {
      const engine = open(file);
      opened.push(engine);
      return engine;
    };
    let engine: LocalEngine;
    beforeAll(() => {
      writeTinyModel(join(folder, 'tiny.gguf'));
      writeTinyModel(join(folder, 'thinking.gguf'), { thinks: true });
      engine = started(join(folder, 'tiny.gguf'));
    });
    afterAll(async () => {
      for (const engine of opened) await engine.close();
      rmSync(folder, { recursive: true, force: true });
    });

    const ask = async (request: Request, from = engine) =>
      await localModel(from, { modelId: 'tiny' }).doGenerate({ prompt: [userMessage('Hi')], ...request });
    const stream = async (request: Request): Promise<LanguageModelV4StreamPart[]> => {
      const opened = await localModel(engine, { modelId: 'tiny' }).doStream({
        prompt: [userMessage('Hi')],
        ...request,
      });
      return await Array.fromAsync(opened.stream);
    };

    test('says its sentence, whole and streamed', async () => {
      const whole = await ask({});
      expect(whole.content).toEqual([{ type: 'text', text: hello }]);
      expect(whole.finishReason.unified).toBe('stop');
      const parts = await stream({});
      expect(types(parts)).toEqual([
        'stream-start',
        'response-metadata',
        'text-start',
        'text-delta',
        'text-end',
        'finish',
      ]);
      expect(deltas(parts, 'text-delta').join('')).toBe(hello);
      expect(deltas(parts, 'text-delta').length).toBeGreaterThan(4);
    });

    test('calls a tool when it chooses to, and when it has to', async () => {
      for (const toolChoice of [{ type: 'auto' }, { type: 'required' }] as const) {
        const { content, finishReason } = await ask({ tools, toolChoice });
        expect(calls(content)).toEqual([['count_stock', { item: 'tiny', shelf: 7 }]]);
        expect(finishReason.unified).toBe('tool-calls');
      }
      expect((await ask({ prompt: called, tools })).content).toEqual([{ type: 'text', text: 'The tool answered.' }]);
      const { content } = await ask({ prompt: called, tools, toolChoice: { type: 'required' } });
      expect(content).toMatchObject([{ type: 'tool-call' }]);
    });

    test('calls the tool that is named, and none when there is to be none', async () => {
      for (const [toolName, input] of [
        ['weather', { city: 'tiny' }],
        ['now', {}],
      ] as const) {
        expect(calls((await ask({ tools, toolChoice: { type: 'tool', toolName } })).content)).toEqual([
          [toolName, input],
        ]);
      }
      expect((await ask({ tools, toolChoice: { type: 'none' } })).content).toEqual([{ type: 'text', text: hello }]);
    });

    test('streams the arguments of a call without what the grammar puts behind them', async () => {
      const parts = await stream({ tools, toolChoice: { type: 'tool', toolName: 'weather' } });
      expect(types(parts).slice(2)).toEqual([
        'tool-input-start',
        'tool-input-delta',
        'tool-input-end',
        'tool-call',
        'finish',
      ]);
      expect(deltas(parts, 'tool-input-delta').join('')).toBe('{"city":"tiny"}');
      expect(deltas(parts, 'tool-input-delta').length).toBeGreaterThan(2);
      const [start, call] = [
        parts.find(({ type }) => type === 'tool-input-start'),
        parts.find(({ type }) => type === 'tool-call'),
      ];
      expect(call).toMatchObject({ toolCallId: start && 'id' in start && start.id, input: '{"city":"tiny"}' });
    });

    test('fits JSON to a schema, leaves out what is optional and null, and says what a grammar cannot hold', async () => {
      const schema: Schema = {
        type: 'object',
        properties: {
          name: { type: 'string', pattern: '^t' },
          count: { type: 'integer' },
          ok: { type: 'boolean' },
          kind: { enum: ['alpha', 'beta'] },
          tags: { type: 'array', items: { type: 'string' } },
          either: { anyOf: [object({ b: { const: 'x' } }), { type: 'number' }] },
          empty: { type: 'null' },
          tree: { $ref: '#/$defs/tree' },
          optional: { type: 'array', items: { type: 'string' } },
        },
        required: ['name', 'count', 'ok', 'kind', 'tags', 'either', 'empty', 'tree'],
        $defs: {
          tree: object({ v: { type: 'string' }, kids: { type: 'array', items: { $ref: '#/$defs/tree' } } }),
        },
      };
      const { content, warnings, finishReason } = await ask({ responseFormat: { type: 'json', schema } });
      expect(jsonOf(content)).toEqual({
        ...{ name: 'tiny', count: 7, ok: true, kind: 'alpha', tags: ['tiny'], either: 7, empty: null },
        tree: { v: 'tiny', kids: [] },
      });
      expect(finishReason.unified).toBe('stop');
      expect(warnings).toMatchObject([{ type: 'compatibility', feature: 'JSON schema: pattern' }]);
      const parts = await stream({ responseFormat: { type: 'json', schema: object({ a: { type: 'string' } }) } });
      expect(deltas(parts, 'text-delta').join('')).toBe('{"a":"tiny"}');
      expect(deltas(parts, 'text-delta').length).toBeGreaterThan(2);
      expect(jsonOf((await ask({ responseFormat: { type: 'json' } })).content)).toBeDefined();
    });

    test('offers tools and JSON output together', async () => {
      const schema: Schema = {
        ...object({ answer: { type: 'string' } }),
        properties: { answer: { type: 'string' }, list: { type: 'array' } },
      };
      const both: Request = { tools, responseFormat: { type: 'json', schema } };
      expect(calls((await ask(both)).content)).toEqual([['count_stock', { item: 'tiny', shelf: 7 }]]);
      const { content, finishReason } = await ask({ ...both, prompt: called });
      expect(jsonOf(content)).toEqual({ answer: 'tiny' });
      expect(finishReason.unified).toBe('stop');
      const plain = {
        tools,
        responseFormat: { type: 'json', schema: object({ answer: { type: 'string' } }) },
      } as const;
      expect(deltas(await stream({ ...plain, prompt: called }), 'text-delta').join('')).toBe('{"answer":"tiny"}');
    });

    test('reads of a longer history what is new, whichever tool is asked for', async () => {
      const first = (await ask({ prompt: called.slice(0, 1), tools })).usage;
      const second = (await ask({ prompt: called, tools, toolChoice: { type: 'tool', toolName: 'now' } })).usage;
      const { total = 0, cacheRead = 0, noCache = 0 } = second.inputTokens;
      expect(cacheRead).toBeGreaterThan(0.95 * (first.inputTokens.total ?? 0));
      expect(noCache).toBeLessThan(150);
      expect(total).toBe(cacheRead + noCache);
      expect(first.outputTokens.total).toBeGreaterThan(3);
    });

    test('tells how far a prompt is read', async () => {
      const seen: ReadProgress[] = [];
      const model = localModel(engine, { modelId: 'tiny', onReadProgress: (progress) => seen.push(progress) });
      await model.doGenerate({ prompt: [longMessage('progress', 200)], maxOutputTokens: 1 });
      expect(seen.length).toBeGreaterThan(5);
      expect(seen.map(({ read }) => read)).toEqual(seen.map(({ read }) => read).toSorted((a, b) => a - b));
      expect(seen.at(-1)?.read).toBe((seen.at(-1)?.total ?? 0) - 1);
    });

    test('stops soon when a long prompt is being read, and answers the next call', async () => {
      const controller = new AbortController();
      const begun = Promise.withResolvers<void>();
      let last: ReadProgress = { read: 0, total: 1 };
      const onReadProgress = (progress: ReadProgress): void => {
        last = progress;
        if (progress.read > 2_000) begun.resolve();
      };
      const model = localModel(engine, { modelId: 'tiny', onReadProgress });
      const running = model.doGenerate({ prompt: [longMessage('abort', 700)], abortSignal: controller.signal });
      await begun.promise;
      const from = performance.now();
      controller.abort(new Error('enough'));
      await expect(running).rejects.toThrow('enough');
      expect(last.read).toBeLessThan(0.8 * last.total);
      expect((await ask({})).content).toEqual([{ type: 'text', text: hello }]);
      expect(performance.now() - from).toBeLessThan(promptlyMs);
    });

    test('stops while it speaks, and when nobody reads its stream', async () => {
      const endless: Schema = object({ list: { type: 'array', items: { type: 'string' }, minItems: 500 } });
      const controller = new AbortController();
      const options: LanguageModelV4CallOptions = {
        prompt: [userMessage('Hi')],
        responseFormat: { type: 'json', schema: endless },
      };
      const { stream: speaking } = await localModel(engine, { modelId: 'tiny' }).doStream({
        ...options,
        abortSignal: controller.signal,
      });
      const reader = speaking.getReader();
      while ((await reader.read()).value?.type !== 'text-delta');
      controller.abort(new Error('enough'));
      const rest = await Array.fromAsync({ [Symbol.asyncIterator]: () => partsOf(reader) });
      expect(rest.at(-1)).toMatchObject({ type: 'error', error: { message: 'enough' } });
      const { stream: left } = await localModel(engine, { modelId: 'tiny' }).doStream(options);
      await left.cancel();
      const from = performance.now();
      expect((await ask({})).content).toEqual([{ type: 'text', text: hello }]);
      expect(performance.now() - from).toBeLessThan(promptlyMs);
    });

    test('refuses a prompt that leaves no room, with its numbers, before anything is said', async () => {
      const prompt = [userMessage('the quick brown fox '.repeat(1_000))];
      const failed = await stream({ prompt }).catch((error: unknown) => error);
      expect(failed).toMatchObject({
        name: 'ContextOverflowError',
        sizes: { contextTokens: 16_384, trainedTokens: 32_768 },
      });
      const failure = classifyError(failed);
      expect(failure).toMatchObject({ retryable: false, kind: 'bad-request' });
      expect(failure.message).toMatch(/18017 tokens.*16384.*ASSAY_LOCAL_CONTEXT, up to 32768/);
    });

    test('ends at the number of tokens it may write', async () => {
      const { content, finishReason, usage } = await ask({ maxOutputTokens: 3 });
      expect(content).toEqual([{ type: 'text', text: 'Hello from the' }]);
      expect([finishReason.unified, usage.outputTokens.total]).toEqual(['length', 3]);
      const parts = await stream({ tools, toolChoice: { type: 'tool', toolName: 'weather' }, maxOutputTokens: 12 });
      expect(types(parts).slice(2)).toEqual(['tool-input-start', 'tool-input-delta', 'tool-input-end', 'finish']);
      expect(parts.at(-1)).toMatchObject({ finishReason: { unified: 'length' } });
    });

    test('answers calls that come at once in their order, and lets those go that are aborted', async () => {
      const controller = new AbortController();
      const order: string[] = [];
      const asked = [
        ask({ prompt: [longMessage('first', 200)] }).then(() => order.push('first')),
        ask({ abortSignal: controller.signal }).catch((error: Error) => order.push(error.message)),
        ask({ tools }).then(({ content }) => order.push(calls(content)[0]?.[0] ?? '')),
        ask({}).then(({ content }) => order.push(content[0]?.type ?? '')),
      ];
      controller.abort(new Error('left the queue'));
      await Promise.all(asked);
      expect(order).toEqual(['left the queue', 'first', 'count_stock', 'text']);
    });

    test('takes stop sequences, and a seed decides what chance does', async () => {
      expect((await ask({ stopSequences: [' test'] })).content).toEqual([
        { type: 'text', text: 'Hello from the tiny' },
      ]);
      const drawn = (seed: number) =>
        ask({ seed, temperature: 12, topP: 1, topK: 0, maxOutputTokens: 20 }).then(({ content }) => content);
      expect(await drawn(1)).toEqual(await drawn(1));
      expect(await drawn(1)).not.toEqual(await drawn(2));
    });

    test('thinks only when it is asked to', async () => {
      const thinking = started(join(folder, 'thinking.gguf'));
      expect((await ask({}, thinking)).content).toEqual([{ type: 'text', text: hello }]);
      const { content, usage } = await ask({ reasoning: 'low' }, thinking);
      expect(content).toEqual([
        { type: 'reasoning', text: 'A thought.' },
        { type: 'text', text: hello },
      ]);
      expect(usage.outputTokens.reasoning).toBeGreaterThan(0);
    });

    test('takes texts of any kind as input, and refuses other files', async () => {
      const file = (mediaType: string, data: string) =>
        ask({
          prompt: [{ role: 'user', content: [{ type: 'file', mediaType, data: { type: 'data', data: btoa(data) } }] }],
        });
      expect((await file('text/markdown', '# Hi')).content).toEqual([{ type: 'text', text: hello }]);
      const refused = await file('image/png', 'x').catch((error: unknown) => error);
      expect(UnsupportedFunctionalityError.isInstance(refused)).toBe(true);
    });
  });
}

function object(properties: Record<string, Schema>): Schema {
  return { type: 'object', properties, required: Object.keys(properties) };
}

function longMessage(start: string, times: number): ReturnType<typeof userMessage> {
  return userMessage(`${start} ${'the quick brown fox '.repeat(times)}`);
}

async function* partsOf(
  reader: ReadableStreamDefaultReader<LanguageModelV4StreamPart>,
): AsyncGenerator<LanguageModelV4StreamPart> {
  for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
}

/** The types of parts in their order, each run of one type once. */
function types(parts: readonly LanguageModelV4StreamPart[]): string[] {
  return parts.map(({ type }) => type).filter((type, index, all) => type !== all[index - 1]);
}

function deltas(parts: readonly LanguageModelV4StreamPart[], type: 'text-delta' | 'tool-input-delta'): string[] {
  return parts.flatMap((part) => (part.type === type ? [part.delta] : []));
}

type Content = Awaited<ReturnType<ReturnType<typeof localModel>['doGenerate']>>['content'];

function calls(content: Content): [string, unknown][] {
  return content.flatMap((part) => (part.type === 'tool-call' ? [[part.toolName, JSON.parse(part.input)]] : []));
}

function jsonOf(content: Content): unknown {
  expect(content).toMatchObject([{ type: 'text' }]);
  return content.map((part) => (part.type === 'text' ? JSON.parse(part.text) : undefined))[0];
}
