import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  APICallError,
  type LanguageModelV4,
  type LanguageModelV4CallOptions,
  type LanguageModelV4StreamPart,
  UnsupportedFunctionalityError,
} from '@ai-sdk/provider';
import { afterEach, describe, expect, test } from 'vitest';
import { isTextOnly, sourceOf } from '../capability.ts';
import { classifyError } from '../classify-error.ts';
import { collectStream, generate } from '../collect.ts';
import { scriptedModel } from '../providers/script-model.ts';
import type { Passage, ProviderLimiter } from '../rate-limit.ts';
import { finishedBy, partsOf, streamOf, usageFrom } from '../reply-parts.ts';
import { withRetry } from '../retry.ts';
import { limitModel, limitModelById } from './limit-model.ts';
import { inProcessLimits } from './rate-limiter.ts';

const call: LanguageModelV4CallOptions = { prompt: [{ role: 'user', content: [{ type: 'text', text: 'hello' }] }] };
const promptTokens = Math.ceil(JSON.stringify(call.prompt).length / 4);
const reply = {
  content: [{ type: 'text' as const, text: 'good day' }],
  ...{ finishReason: finishedBy('stop'), usage: usageFrom({ inputTokens: 30, outputTokens: 12 }), warnings: [] },
};

const modelOf = (change: Partial<LanguageModelV4> = {}): LanguageModelV4 => ({
  ...{ specificationVersion: 'v4', provider: 'test.chat', modelId: 'small', supportedUrls: {} },
  doGenerate: async () => reply,
  doStream: async () => ({ stream: streamOf(partsOf(reply)) }),
  ...change,
});

/** Notes what is done with it. */
function notingLimiter(): { limiter: ProviderLimiter; notes: string[] } {
  const notes: string[] = [];
  const passage: Passage = {
    leave: (tokens) => void notes.push(`leave ${tokens}`),
    hold: (ms) => void notes.push(`hold ${ms}`),
  };
  const enter: ProviderLimiter['enter'] = async ({ provider, modelId }, tokens) => {
    notes.push(`enter ${provider} ${modelId} ${tokens}`);
    return passage;
  };
  return { limiter: { limits: ({ provider }) => provider !== 'free', enter }, notes };
}

const refusal = (statusCode: number, responseHeaders: Record<string, string>, responseBody = ''): APICallError =>
  new APICallError({
    ...{ message: 'refused', url: 'http://127.0.0.1:1', requestBodyValues: {}, statusCode },
    ...{ responseHeaders, responseBody },
  });

async function read(stream: ReadableStream<LanguageModelV4StreamPart>): Promise<string[]> {
  const types: string[] = [];
  for await (const { type } of stream) types.push(type);
  return types;
}

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

describe('limitModel', () => {
  test('lets whole replies and streams pass the limiter, and reports the tokens that were used', async () => {
    const { limiter, notes } = notingLimiter();
    const model = limitModel(modelOf(), limiter);
    expect(await model.doGenerate(call)).toEqual(reply);
    const { stream } = await model.doStream(call);
    expect(notes).toHaveLength(3);
    expect(await read(stream)).toEqual(partsOf(reply).map(({ type }) => type));
    const pass = [`enter test.chat small ${promptTokens}`, 'leave 42'];
    // At the finish part, and again at the end, where it does nothing.
    expect(notes.slice(0, 4)).toEqual([...pass, ...pass]);
  });

  test('keeps what was assumed where usage is not reported or the reader leaves early', async () => {
    const { limiter, notes } = notingLimiter();
    await limitModel(
      modelOf({ doGenerate: async () => ({ ...reply, usage: usageFrom(undefined) }) }),
      limiter,
    ).doGenerate(call);
    expect(notes.at(-1)).toBe(`leave ${promptTokens}`);
    const { stream } = await limitModel(modelOf(), limiter).doStream(call);
    const reader = stream.getReader();
    await reader.read();
    await reader.cancel();
    expect(notes.slice(2)).toEqual([`enter test.chat small ${promptTokens}`, `leave ${promptTokens}`]);
  });

  test('is the same model to those who look, and takes functions and models of no limit', async () => {
    const { limiter, notes } = notingLimiter();
    const scripted = limitModel(scriptedModel(['hi']), limiter);
    expect([sourceOf(scripted), isTextOnly(scripted)]).toEqual(['scripted', false]);
    const fn = limitModel((_, user) => `heard ${user}`, limiter);
    expect([sourceOf(fn), isTextOnly(fn), fn.provider]).toEqual(['function', true, 'function']);
    expect((await fn.doGenerate(call)).content).toEqual([{ type: 'text', text: 'heard hello' }]);
    notes.length = 0;
    await limitModel(modelOf({ provider: 'free' }), limiter).doGenerate(call);
    expect(notes).toEqual([]);
  });

  test('asks a model without streams once, under one turn', async () => {
    const { limiter, notes } = notingLimiter();
    const whole = modelOf({
      doStream: () => Promise.reject(new UnsupportedFunctionalityError({ functionality: 'streaming' })),
    });
    const { stream } = await limitModel(whole, limiter).doStream(call);
    expect((await collectStream(stream, { stream: true }, undefined)).content).toEqual(reply.content);
    expect(notes).toEqual([`enter test.chat small ${promptTokens}`, 'leave 42']);
  });

  const failures: [string, unknown, string[]][] = [
    ['Retry-After in seconds', refusal(429, { 'Retry-After': '2' }), ['hold 2000']],
    ['an overloaded server that says for how long', refusal(529, { 'retry-after-ms': '1500' }), ['hold 1500']],
    ['a 429 without a wait', refusal(429, {}), []],
    ['a wait that no call would sit out', refusal(429, { 'retry-after': '3600' }), []],
    [
      'a quota that no wait refills',
      refusal(429, { 'retry-after': '2' }, '{"error":{"code":"insufficient_quota"}}'),
      [],
    ],
    ['a broken server with a wait of its own', refusal(500, { 'retry-after': '2' }), []],
    ['another error', new Error('no'), []],
  ];
  test.each(failures)('passes on %s, and holds back as the provider asks', async (_, error, held) => {
    const { limiter, notes } = notingLimiter();
    const expected = [...held, `leave ${promptTokens}`];
    const failing = limitModel(
      modelOf({ doGenerate: () => Promise.reject(error), doStream: () => Promise.reject(error) }),
      limiter,
    );
    await expect(failing.doGenerate(call)).rejects.toBe(error);
    await expect(failing.doStream(call)).rejects.toBe(error);
    expect(notes.filter((note) => !note.startsWith('enter'))).toEqual([...expected, ...expected]);
    notes.length = 0;
    const broken = modelOf({ doStream: async () => ({ stream: streamOf([{ type: 'error', error }]) }) });
    await read((await limitModel(broken, limiter).doStream(call)).stream);
    expect(notes.slice(1, 1 + expected.length)).toEqual(expected);
  });

  test('ends the wait with the signal, whose reason is no failure of the provider', async () => {
    let calls = 0;
    const counted = modelOf({
      doGenerate: async () => {
        calls++;
        return reply;
      },
    });
    const model = limitModel(counted, inProcessLimits({ test: { requestsPerMinute: 1 } }));
    await model.doGenerate(call);
    const stop = new AbortController();
    const options = { ...call, abortSignal: stop.signal };
    const waiting = withRetry(() => generate(model, options, { stream: false }), {
      ...{ signal: stop.signal, deadline: Number.POSITIVE_INFINITY },
    });
    const failure = waiting.catch((error: unknown) => error);
    setTimeout(() => stop.abort(new DOMException('enough', 'AbortError')), 20);
    expect(await failure).toBe(stop.signal.reason);
    expect(classifyError(await failure).kind).toBe('aborted');
    expect(calls).toBe(1);
  });

  test('a real 429 holds back the other calls under the limit', async () => {
    const arrivals: number[] = [];
    const answer = (response: ServerResponse): void => {
      arrivals.push(performance.now());
      if (arrivals.length === 1)
        response.writeHead(429, { 'retry-after-ms': '300' }).end('{"error":{"message":"slow"}}');
      else {
        const choices = [{ index: 0, message: { role: 'assistant', content: 'ok' }, finish_reason: 'stop' }];
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ id: 'c', choices, usage: { prompt_tokens: 3, completion_tokens: 1 } }));
      }
    };
    const server = createServer((request, response) => request.resume().on('end', () => answer(response)));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closers.push(() => server.close());
    const { port } = server.address() as AddressInfo;
    const limiter = inProcessLimits({ local: { requestsPerMinute: 60_000 } });
    const model = await limitModelById(`openai-compatible:http://127.0.0.1:${port}/v1#m`, limiter);
    await expect(model.doGenerate(call)).rejects.toThrow();
    await Promise.all([model.doGenerate(call), model.doGenerate(call)]);
    expect(Math.min(...arrivals.slice(1)) - (arrivals[0] ?? 0)).toBeGreaterThanOrEqual(298);
  });
});
