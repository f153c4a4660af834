import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { LanguageModelV4 } from '@ai-sdk/provider';
import { afterEach, describe, expect, it } from 'vitest';
import { classifyError } from './classify-error.ts';
import { generate } from './collect.ts';
import { withRetry } from './retry.ts';

const closers: (() => Promise<void>)[] = [];
const unhandled: unknown[] = [];
const note = (error: unknown): void => void unhandled.push(error);
process.on('unhandledRejection', note);
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
  await new Promise((resolve) => setTimeout(resolve, 10));
  expect(unhandled).toEqual([]);
});

type Answer = (response: ServerResponse) => void;

/** A server on loopback that gives the answers in order, the last one again and again. */
async function serve(...answers: Answer[]) {
  let calls = 0;
  const server = createServer((request, response) => {
    request.resume();
    const answer = answers[Math.min(calls, answers.length - 1)];
    calls++;
    request.on('end', () => answer?.(response));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(
    () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  );
  const baseURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  return {
    calls: () => calls,
    chat: createOpenAICompatible({ name: 'local', baseURL, apiKey: 'k', includeUsage: true })('m') as LanguageModelV4,
    messages: createAnthropic({ baseURL, apiKey: 'k' })('m') as LanguageModelV4,
  };
}

const status =
  (code: number, body: object, headers: Record<string, string> = {}): Answer =>
  (response) => {
    response.writeHead(code, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  };

/** Server-sent events; a string is written as it is. `end` breaks the socket or ends the response. */
const events =
  (frames: (object | string)[], end: 'end' | 'destroy' = 'end'): Answer =>
  (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const frame of frames) {
      const name = typeof frame === 'object' && 'type' in frame ? `event: ${frame.type}\n` : '';
      response.write(typeof frame === 'string' ? frame : `${name}data: ${JSON.stringify(frame)}\n\n`);
    }
    if (end === 'end') response.end();
    else setTimeout(() => response.destroy(), 20);
  };

const delta = (value: object, finish: string | null = null): object => ({
  id: 'c1',
  choices: [{ index: 0, delta: value, finish_reason: finish }],
});
const whole = events([delta({ content: 'fine' }), delta({}, 'stop'), 'data: [DONE]\n\n']);

async function ask(model: LanguageModelV4, waits: number[] = []) {
  const { signal } = new AbortController();
  const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'go' }] }];
  const call = () => generate(model, { prompt, abortSignal: signal }, { stream: true });
  const sleep = async (ms: number): Promise<void> => void waits.push(ms);
  return await withRetry(call, { signal, deadline: Number.POSITIVE_INFINITY, sleep });
}

describe('chat completions', () => {
  it('waits as Retry-After says and asks again', async () => {
    const limit = status(429, { error: { message: 'slow' } }, { 'retry-after': '3' });
    const server = await serve(limit, status(529, { error: { message: 'busy' } }, { 'retry-after-ms': '40' }), whole);
    const waits: number[] = [];
    expect((await ask(server.chat, waits)).content).toEqual([{ type: 'text', text: 'fine' }]);
    expect([waits, server.calls()]).toEqual([[3000, 40], 3]);
  });

  it.each<[string, Answer]>([
    ['an end without a finish reason', events([delta({ content: 'so far' })])],
    ['a broken socket', events([delta({ content: 'so far' })], 'destroy')],
    [
      'an overload event in a 200 stream',
      events([delta({ content: 'so' }), { error: { type: 'overloaded_error', message: 'busy' } }]),
    ],
    ['an error event of a shape the package does not know', events([{ error: { type: 'overloaded_error' } }])],
    [
      'a half tool call',
      events([delta({ tool_calls: [{ index: 0, id: 'a', function: { name: 'save', arguments: '{"title":"x' } }] })]),
    ],
  ])('asks again after %s and returns only the whole reply', async (_name, broken) => {
    const server = await serve(broken, whole);
    expect((await ask(server.chat)).content).toEqual([{ type: 'text', text: 'fine' }]);
    expect(server.calls()).toBe(2);
  });

  it.each<[string, Answer]>([
    ['a lost [DONE]', events([delta({ content: 'all' }), delta({}, 'stop')])],
    ['half a frame', events([delta({ content: 'all' }), delta({}, 'stop'), 'data: {"id":"c'])],
    ['a garbled frame', events([delta({ content: 'all' }), delta({}, 'stop'), 'data: {"id":"c\n\n'])],
    ['a broken socket', events([delta({ content: 'all' }), delta({}, 'stop')], 'destroy')],
  ])('accepts a finished reply in spite of %s', async (_name, answer) => {
    const server = await serve(answer);
    const reply = await ask(server.chat);
    expect(reply).toMatchObject({ content: [{ type: 'text', text: 'all' }], finishReason: { unified: 'stop' } });
    expect(server.calls()).toBe(1);
  });

  it('fails at once on a refusal before the stream, without a stray rejection', async () => {
    const server = await serve(status(400, { error: { code: 'content_filter', message: 'no' } }));
    const error: unknown = await ask(server.chat).catch((thrown: unknown) => thrown);
    expect(classifyError(error)).toMatchObject({ kind: 'content-filter', status: 400 });
    expect(server.calls()).toBe(1);
  });

  it('says that no server runs', async () => {
    const server = await serve(whole);
    for (const close of closers.splice(0)) await close();
    const error: unknown = await ask(server.chat).catch((thrown: unknown) => thrown);
    expect(classifyError(error).message).toMatch(/ECONNREFUSED.*Start the server/);
  });
});

describe('Anthropic messages', () => {
  const usage = { input_tokens: 4, output_tokens: 2 };
  const begun = [
    {
      type: 'message_start',
      message: { id: 'm1', type: 'message', role: 'assistant', model: 'm', content: [], usage },
    },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'all' } },
  ];
  const stopped = [
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage },
  ];
  const done = events([...begun, ...stopped, { type: 'message_stop' }]);

  it('accepts a reply whose last frame is cut after the stop reason', async () => {
    const server = await serve(events([...begun, ...stopped, 'event: message_stop\ndata: {"ty'], 'destroy'));
    expect(await ask(server.messages)).toMatchObject({ content: [{ text: 'all' }], finishReason: { unified: 'stop' } });
    expect(server.calls()).toBe(1);
  });

  it.each<[string, Answer]>([
    ['an end before the stop reason', events(begun)],
    ['an overload event first', events([{ type: 'error', error: { type: 'overloaded_error', message: 'busy' } }])],
    [
      'an overload event after text',
      events([...begun, { type: 'error', error: { type: 'overloaded_error', message: 'busy' } }]),
    ],
  ])('asks again after %s', async (_name, broken) => {
    const server = await serve(broken, done);
    expect((await ask(server.messages)).content).toEqual([{ type: 'text', text: 'all' }]);
    expect(server.calls()).toBe(2);
  });
});
