import {
  type LanguageModelV4,
  type LanguageModelV4CallOptions,
  type LanguageModelV4Content,
  type LanguageModelV4StreamPart,
  UnsupportedFunctionalityError,
} from '@ai-sdk/provider';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { InterruptedStreamError, StreamedProviderError } from './classify-error.ts';
import { type Generated, generate } from './collect.ts';
import type { Progress } from './content-fold.ts';
import { finishedBy, partsOf, streamOf, usageFrom } from './reply-parts.ts';

const prompt: LanguageModelV4CallOptions['prompt'] = [{ role: 'user', content: [{ type: 'text', text: 'go' }] }];
const usage = usageFrom({ inputTokens: 11, outputTokens: 5, cachedTokens: 3 });
const stop: LanguageModelV4StreamPart = { type: 'finish', finishReason: finishedBy('stop'), usage };

function model(methods: Partial<LanguageModelV4>): LanguageModelV4 {
  const missing = (): never => {
    throw new Error('not to be called');
  };
  return {
    specificationVersion: 'v4',
    provider: 'fake',
    modelId: 'fake-1',
    supportedUrls: {},
    doGenerate: missing,
    doStream: missing,
    ...methods,
  };
}

/** A stream of the parts that then ends as told. */
function streaming(parts: LanguageModelV4StreamPart[], end: 'close' | 'hang' | Error = 'close') {
  const seen = { cancelled: false };
  const fake = model({
    doStream: async () => ({
      stream: new ReadableStream<LanguageModelV4StreamPart>({
        start(controller) {
          for (const part of parts) controller.enqueue(part);
          if (end === 'close') controller.close();
        },
        pull(controller) {
          if (end instanceof Error) controller.error(end);
        },
        cancel() {
          seen.cancelled = true;
        },
      }),
    }),
  });
  return { fake, seen };
}

async function read(parts: LanguageModelV4StreamPart[], end: 'close' | 'hang' | Error = 'close'): Promise<Generated> {
  return await generate(streaming(parts, end).fake, { prompt }, { stream: true });
}

const text = (id: string, delta: string): LanguageModelV4StreamPart => ({ type: 'text-delta', id, delta });
const rawChat = (finish: string | null): LanguageModelV4StreamPart => ({
  type: 'raw',
  rawValue: { choices: [{ index: 0, delta: {}, finish_reason: finish }] },
});

const unhandled: unknown[] = [];
const note = (error: unknown): void => void unhandled.push(error);
beforeEach(() => {
  unhandled.length = 0;
  process.on('unhandledRejection', note);
});
afterEach(async () => {
  await new Promise((resolve) => setTimeout(resolve, 5));
  process.off('unhandledRejection', note);
  expect(unhandled).toEqual([]);
});

describe('a whole reply', () => {
  it('is the same as the one doGenerate gives', async () => {
    const metadata = fc.option(fc.constant({ fake: { signature: 'sig' } }), { nil: undefined });
    const block = fc
      .record({
        type: fc.constantFrom('text' as const, 'reasoning' as const),
        text: fc.string({ minLength: 1 }),
        metadata,
      })
      .map(
        ({ metadata: found, ...rest }): LanguageModelV4Content => ({
          ...rest,
          ...(found && { providerMetadata: found }),
        }),
      );
    const call = fc
      .record({ id: fc.uuid(), input: fc.json() })
      .map(({ id, input }): LanguageModelV4Content => ({ type: 'tool-call', toolCallId: id, toolName: 'look', input }));
    const content = fc.array(fc.oneof(block, call), { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(content, fc.integer({ min: 1, max: 4 }), async (parts, size) => {
        const reply = { content: parts, finishReason: finishedBy('stop'), usage };
        const split = (whole: string): string[] => whole.match(new RegExp(`.{1,${size}}`, 'gs')) ?? [];
        const fake = model({
          doGenerate: async () => ({ ...reply, warnings: [] }),
          doStream: async () => ({ stream: streamOf(partsOf(reply, split)) }),
        });
        const deltas: string[] = [];
        const streamed = await generate(fake, { prompt }, { stream: true, onDelta: (delta) => deltas.push(delta) });
        expect(streamed).toEqual(await generate(fake, { prompt }, { stream: false }));
        expect(streamed.content).toEqual(parts);
        expect(deltas.join('')).toBe(parts.map((part) => (part.type === 'text' ? part.text : '')).join(''));
      }),
    );
  });

  it('keeps interleaved blocks apart, reuses of an id too, and takes the metadata that came last', async () => {
    const { content } = await read([
      { type: 'reasoning-start', id: '0', providerMetadata: { fake: { step: 1 } } },
      { type: 'text-start', id: '0' },
      { type: 'reasoning-delta', id: '0', delta: 'hm' },
      text('0', 'A'),
      { type: 'text-end', id: '0' },
      { type: 'reasoning-end', id: '0', providerMetadata: { fake: { step: 2 } } },
      { type: 'text-start', id: '0' },
      text('0', 'B'),
      text('stray', 'C'),
      stop,
    ]);
    expect(content).toEqual([
      { type: 'reasoning', text: 'hm', providerMetadata: { fake: { step: 2 } } },
      { type: 'text', text: 'A' },
      { type: 'text', text: 'B' },
      { type: 'text', text: 'C' },
    ]);
  });

  it('leaves out files, sources, reports and empty texts, and keeps reasoning without words', async () => {
    const file: LanguageModelV4Content = { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'AA==' } };
    const { content } = await read([
      file,
      { type: 'source', sourceType: 'url', id: 's', url: 'http://x.example' },
      { type: 'custom', kind: 'fake.report' },
      { type: 'text-start', id: 'a' },
      { type: 'text-end', id: 'a' },
      { type: 'reasoning-start', id: 'b', providerMetadata: { fake: { hidden: 'blob' } } },
      stop,
    ]);
    expect(content).toEqual([{ type: 'reasoning', text: '', providerMetadata: { fake: { hidden: 'blob' } } }]);
    const whole = { content: [file], finishReason: finishedBy('stop'), usage, warnings: [] };
    expect((await generate(model({ doGenerate: async () => whole }), { prompt }, { stream: false })).content).toEqual(
      [],
    );
  });

  it('reports the response without its headers and body', async () => {
    const response = { id: 'r1', modelId: 'm', headers: { 'x-key': 'k' }, body: {} };
    const fake = model({
      doGenerate: async () => ({ content: [], finishReason: finishedBy('stop'), usage, warnings: [], response }),
    });
    expect((await generate(fake, { prompt }, { stream: false })).response).toEqual({ id: 'r1', modelId: 'm' });
    expect((await read([{ type: 'response-metadata', id: 'r2' }, stop])).response).toEqual({ id: 'r2' });
  });

  it('tells of hidden work by its length only', async () => {
    const progress: Progress[] = [];
    const { fake } = streaming([
      { type: 'reasoning-delta', id: 'r', delta: 'abc' },
      { type: 'tool-input-start', id: 'c', toolName: 'look' },
      { type: 'tool-input-delta', id: 'c', delta: '{"a"' },
      { type: 'tool-input-delta', id: 'c', delta: ':1}' },
      stop,
    ]);
    await generate(fake, { prompt }, { stream: true, onProgress: (info) => progress.push({ ...info }) });
    expect(progress).toEqual([
      { type: 'reasoning', chars: 3 },
      { type: 'tool-input', tool: 'look', chars: 0 },
      { type: 'tool-input', tool: 'look', chars: 4 },
      { type: 'tool-input', tool: 'look', chars: 7 },
    ]);
  });

  it('comes from doGenerate when the provider cannot stream', async () => {
    const fake = model({
      doStream: () => {
        throw new UnsupportedFunctionalityError({ functionality: 'streaming' });
      },
      doGenerate: async () => ({
        content: [{ type: 'text', text: 'all' }],
        finishReason: finishedBy('stop'),
        usage,
        warnings: [],
      }),
    });
    const deltas: string[] = [];
    const reply = await generate(fake, { prompt }, { stream: true, onDelta: (delta) => deltas.push(delta) });
    expect([reply.content, deltas]).toEqual([[{ type: 'text', text: 'all' }], ['all']]);
  });

  it('is over with the finish part: later garbage, errors and silence do not matter, and the stream is cancelled', async () => {
    const garbage: LanguageModelV4StreamPart = { type: 'error', error: { message: 'late' } };
    for (const [parts, end] of [
      [[garbage], 'close'],
      [[], new Error('late')],
      [[], 'hang'],
    ] as [LanguageModelV4StreamPart[], 'close' | 'hang' | Error][]) {
      const { fake, seen } = streaming([text('a', 'whole'), stop, ...parts], end);
      const reply = await generate(fake, { prompt }, { stream: true });
      expect(reply.content).toEqual([{ type: 'text', text: 'whole' }]);
      if (end === 'hang') expect(seen.cancelled).toBe(true);
    }
  });

  it('is whole when the server gave its reason and only the last frame is lost or garbled', async () => {
    const broken: LanguageModelV4StreamPart = { type: 'error', error: new Error('bad JSON') };
    const errorFinish: LanguageModelV4StreamPart = {
      type: 'finish',
      finishReason: { unified: 'error', raw: undefined },
      usage,
    };
    expect(await read([text('a', 'x'), rawChat('length'), broken, errorFinish])).toMatchObject({
      content: [{ type: 'text', text: 'x' }],
      finishReason: { unified: 'length' },
      usage,
    });
    expect((await read([text('a', 'x'), rawChat('stop')], new TypeError('terminated'))).finishReason.unified).toBe(
      'stop',
    );
    const anthropic = { type: 'message_delta', delta: { stop_reason: 'end_turn' } };
    expect((await read([text('a', 'x'), { type: 'raw', rawValue: anthropic }])).finishReason.unified).toBe('stop');
  });
});

describe('a cut reply', () => {
  const half: LanguageModelV4StreamPart[] = [
    { type: 'tool-input-start', id: 'c', toolName: 'save_page' },
    { type: 'tool-input-delta', id: 'c', delta: '{"title":"Ca' },
  ];
  const call: LanguageModelV4StreamPart = {
    type: 'tool-call',
    toolCallId: 'c',
    toolName: 'save_page',
    input: '{"title":"Ca',
  };
  const ended = (unified: 'interrupted' | 'other'): LanguageModelV4StreamPart => ({
    type: 'finish',
    finishReason: { unified, raw: undefined },
    usage,
  });
  it.each<[string, LanguageModelV4StreamPart[], 'close' | Error]>([
    ['an end without a finish part', [text('a', 'I will now')], 'close'],
    ['an empty stream', [], 'close'],
    ['a finish part that says interrupted', [...half, call, ended('interrupted')], 'close'],
    ['a finish part without a reason of the server', [text('a', 'I'), ended('other')], 'close'],
    ['a lost connection', [text('a', 'I')], new TypeError('terminated')],
    ['a reason of the server but a call still open', [...half, rawChat('tool_calls')], 'close'],
    ['a raw chunk without a reason', [text('a', 'I'), rawChat(null)], 'close'],
  ])('%s is an InterruptedStreamError', async (_name, parts, end) => {
    await expect(read(parts, end)).rejects.toBeInstanceOf(InterruptedStreamError);
  });

  it('names the cut connection and the call that came half', async () => {
    await expect(read(half)).rejects.toThrow(/connection .* cut .* save_page/);
  });

  it('keeps an unusual reason that the server did give', async () => {
    const odd: LanguageModelV4StreamPart = { type: 'finish', finishReason: { unified: 'other', raw: 'pause' }, usage };
    expect((await read([text('a', 'x'), odd])).finishReason.raw).toBe('pause');
  });

  it('is also one without streaming', async () => {
    const whole = {
      content: [],
      finishReason: { unified: 'interrupted' as const, raw: undefined },
      usage,
      warnings: [],
    };
    await expect(
      generate(model({ doGenerate: async () => whole }), { prompt }, { stream: false }),
    ).rejects.toBeInstanceOf(InterruptedStreamError);
  });
});

describe('a failed reply', () => {
  it('throws the error event typed, whether text was shown or not', async () => {
    const event: LanguageModelV4StreamPart = { type: 'error', error: { type: 'overloaded_error', message: 'busy' } };
    const failing = [[event], [text('a', 'Par'), event]].map((parts) => read(parts, 'hang'));
    for (const reply of failing) await expect(reply).rejects.toBeInstanceOf(StreamedProviderError);
  });

  it('throws the provider’s own errors unchanged', async () => {
    const own = new Error('own');
    await expect(read([{ type: 'error', error: own }])).rejects.toBe(own);
    await expect(read([text('a', 'x')], own)).rejects.toBe(own);
    const fake = model({ doStream: () => Promise.reject(own), doGenerate: () => Promise.reject(own) });
    await expect(generate(fake, { prompt }, { stream: true })).rejects.toBe(own);
    await expect(generate(fake, { prompt }, { stream: false })).rejects.toBe(own);
  });

  it('cancels the stream when a handler throws', async () => {
    const { fake, seen } = streaming([text('a', 'x')], 'hang');
    const onDelta = (): void => {
      throw new Error('handler');
    };
    await expect(generate(fake, { prompt }, { stream: true, onDelta })).rejects.toThrow('handler');
    expect(seen.cancelled).toBe(true);
  });
});

describe('abort', () => {
  const never = new Promise<never>(() => undefined);
  const reason = new Error('stop now');
  it.each<[string, LanguageModelV4, boolean]>([
    ['before the stream opens', model({ doStream: () => never }), true],
    ['in the middle of a stream', streaming([text('a', 'x')], 'hang').fake, true],
    ['without streaming', model({ doGenerate: () => never }), false],
  ])('rejects at once with the reason, %s, though the provider ignores the signal', async (_name, fake, stream) => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(reason), 10);
    await expect(generate(fake, { prompt, abortSignal: controller.signal }, { stream })).rejects.toBe(reason);
  });

  it('cancels a stream that opens too late, and lets a late failure pass', async () => {
    const { fake, seen } = streaming([], 'hang');
    const late = model({
      doStream: async (options) => {
        await new Promise((resolve) => setTimeout(resolve, 20));
        return fake.doStream(options);
      },
      doGenerate: () => new Promise((_, reject) => setTimeout(() => reject(new Error('late')), 20)),
    });
    for (const stream of [true, false]) {
      const abortSignal = AbortSignal.timeout(5);
      await expect(generate(late, { prompt, abortSignal }, { stream })).rejects.toThrow(/timeout/);
    }
    await new Promise((resolve) => setTimeout(resolve, 40));
    expect(seen.cancelled).toBe(true);
  });

  it('makes no call when it came before, and leaves no listener behind', async () => {
    await expect(
      generate(model({}), { prompt, abortSignal: AbortSignal.abort(reason) }, { stream: true }),
    ).rejects.toBe(reason);
    const { signal } = new AbortController();
    let listeners = 0;
    const { addEventListener, removeEventListener } = signal;
    signal.addEventListener = (...args: Parameters<typeof addEventListener>) => {
      listeners++;
      addEventListener.apply(signal, args);
    };
    signal.removeEventListener = (...args: Parameters<typeof removeEventListener>) => {
      listeners--;
      removeEventListener.apply(signal, args);
    };
    await generate(streaming([stop]).fake, { prompt, abortSignal: signal }, { stream: true });
    expect(listeners).toBe(0);
  });
});
