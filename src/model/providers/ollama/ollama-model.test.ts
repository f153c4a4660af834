import { createServer, type ServerResponse } from 'node:http';
import type { LanguageModelV4, LanguageModelV4Message } from '@ai-sdk/provider';
import { afterEach, describe, expect, test } from 'vitest';
import { userMessage } from '../../../core/transcript.ts';
import { startVendorServer, type VendorReply, type VendorServer } from '../../../testing/vendor-server.ts';
import { isLocal, isTextOnly, type ModelTraits } from '../../capability.ts';
import { classifyError } from '../../classify-error.ts';
import { type OllamaOptions, ollamaModel } from './ollama-model.ts';

let server: VendorServer | undefined;
let close: (() => void) | undefined;
afterEach(async () => {
  await server?.close();
  close?.();
  server = undefined;
  close = undefined;
});

const ok: VendorReply = { type: 'text', text: 'ok' };
const facts = (rest: object = {}, capabilities = ['completion', 'tools', 'thinking']) => ({
  capabilities,
  model_info: { 'qwen3.context_length': 40_960, 'general.parameter_count': 4_022_468_096 },
  ...rest,
});

async function open(
  options: Partial<OllamaOptions> = {},
  given: { show?: object | undefined; script?: () => VendorReply } = {},
): Promise<LanguageModelV4 & ModelTraits> {
  const show = 'show' in given ? given.show : facts();
  server = await startVendorServer({ script: given.script ?? (() => ok), show });
  return ollamaModel({ modelId: 'qwen3:4b', origin: server.url, onWarning: () => {}, ...options });
}

const ask = (text: string): { prompt: LanguageModelV4Message[] } => ({ prompt: [userMessage(text)] });
const bodies = () => server?.requests.map(({ body }) => body) ?? [];
const contexts = () => bodies().map(({ options }) => Reflect.get(Object(options), 'num_ctx'));

describe('the context', () => {
  test('is as large as the prompt needs, grows in steps and never shrinks', async () => {
    const model = await open();
    for (const size of [100, 30_000, 100]) await model.doGenerate(ask('x'.repeat(size)));
    expect(contexts()).toEqual([8_192, 16_384, 16_384]);
  });

  test('leaves room for the reply that is asked for', async () => {
    const model = await open();
    await model.doGenerate({ ...ask('hi'), maxOutputTokens: 20_000 });
    expect(contexts()).toEqual([32_768]);
  });

  test.each([
    ['of the user', { contextTokens: 5_000 }, facts({ parameters: 'num_ctx 9000' }), 5_000],
    ['of the Modelfile', {}, facts({ parameters: 'stop "<|im_end|>"\nnum_ctx                        9000' }), 9_000],
    ['of the model, where less was asked for than that', { contextTokens: 99_999 }, facts(), 40_960],
  ])('is the one %s', async (_whose, options, show, tokens) => {
    const model = await open(options, { show });
    await model.doGenerate(ask('hi'));
    expect([model.contextTokens, ...contexts()]).toEqual([tokens, tokens]);
  });

  test('that a prompt cannot fit into is an error before anything is sent, with the number that would do', async () => {
    const model = await open({ contextTokens: 4_096 });
    for (const call of [model.doGenerate(ask('x'.repeat(60_000))), model.doStream(ask('x'.repeat(60_000)))]) {
      const failure = classifyError(await Promise.resolve(call).catch((error: unknown) => error));
      expect(failure.retryable).toBe(false);
      expect(failure.message).toContain('ollama:qwen3:4b,context=16384');
    }
    expect(bodies()).toEqual([]);
  });

  test('that is tight for a prompt is a warning, said once to the user and with each reply', async () => {
    const told: string[] = [];
    const model = await open({ contextTokens: 4_096, onWarning: (warning) => told.push(warning) });
    const replies = [await model.doGenerate(ask('x'.repeat(12_000))), await model.doGenerate(ask('y'.repeat(12_000)))];
    expect(told).toEqual([expect.stringContaining('little room')]);
    expect(replies.map(({ warnings }) => warnings)).toEqual(Array(2).fill([{ type: 'other', message: told[0] }]));
    expect((await model.doGenerate(ask('hi'))).warnings).toEqual([]);
  });

  test('is reckoned with the number of tokens that prompts turned out to have', async () => {
    const tokens = 5_000;
    const counted = `${JSON.stringify({ message: { content: 'ok' }, done: true, prompt_eval_count: tokens, eval_count: 1 })}\n`;
    const model = await raw(counted);
    // 24,000 bytes for 5,000 tokens: nearly 5 a token, where 3 are assumed before anything is known.
    await model.doGenerate(ask('x'.repeat(24_000)));
    await model.doGenerate({ ...ask('x'.repeat(60_000)), maxOutputTokens: 3_000 });
    expect(asked.map((body) => Reflect.get(Object(body['options']), 'num_ctx'))).toEqual([16_384, 16_384]);
  });
});

let asked: Record<string, unknown>[] = [];

/** A model on a server that answers every chat with these bytes. */
async function raw(answer: string | ((response: ServerResponse) => void), show?: object): Promise<LanguageModelV4> {
  close?.();
  asked = [];
  const plain = createServer((message, response) => {
    const chunks: Buffer[] = [];
    message.on('data', (chunk: Buffer) => chunks.push(chunk));
    message.on('end', () => {
      if (message.url === '/api/show') {
        response.writeHead(show ? 200 : 404).end(JSON.stringify(show ?? {}));
        return;
      }
      asked.push(JSON.parse(Buffer.concat(chunks).toString()));
      if (typeof answer === 'string') response.end(answer);
      else answer(response);
    });
  });
  await new Promise<void>((resolve) => plain.listen(0, '127.0.0.1', resolve));
  close = () => void plain.close();
  const address = plain.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return ollamaModel({ modelId: 'qwen3:4b', origin: `http://127.0.0.1:${port}` });
}

describe('what the server tells of a model', () => {
  test('becomes its traits', async () => {
    const model = await open();
    expect(model).toMatchObject({ parameters: 4_022_468_096, contextTokens: 32_768, forcesCalls: true, local: true });
    expect(isTextOnly(model)).toBe(false);
    expect(isTextOnly(await open({}, { show: facts({}, ['completion']) }))).toBe(true);
  });

  test('is not needed: an old server or an unknown model is asked all the same', async () => {
    const model = await open({}, { show: undefined });
    expect([model.contextTokens, model.parameters, isTextOnly(model)]).toEqual([undefined, undefined, false]);
    await model.doGenerate({ ...ask('hi'), reasoning: 'none' });
    expect(bodies()[0]).toMatchObject({ think: false, options: { num_ctx: 8_192 } });
  });

  test('a model of the cloud does not run here, whatever asks it', async () => {
    expect(isLocal(await open({ modelId: 'gpt-oss:120b-cloud' }))).toBe(false);
  });

  test.each([
    ['qwen3:4b', ['thinking'], 'high', true],
    ['qwen3:4b', ['thinking'], 'none', false],
    ['qwen3:4b', ['thinking'], undefined, undefined],
    ['gpt-oss:20b', ['thinking'], 'medium', 'medium'],
    ['gpt-oss:20b', ['thinking'], 'none', 'low'],
    ['gemma3:4b', [], 'high', undefined],
    ['gemma3:4b', [], 'none', undefined],
  ] as const)(
    '%s, which can do %j, is told to think %s by %s',
    async (...[modelId, capabilities, reasoning, think]) => {
      const model = await open({ modelId }, { show: facts({}, ['completion', 'tools', ...capabilities]) });
      const { warnings } = await model.doGenerate({ ...ask('hi'), ...(reasoning && { reasoning }) });
      expect(bodies()[0]?.['think']).toBe(think);
      expect(warnings).toEqual(
        modelId === 'gemma3:4b' && reasoning === 'high' ? [{ type: 'unsupported', feature: 'reasoning' }] : [],
      );
    },
  );
});

describe('what is sent', () => {
  const look = {
    type: 'function' as const,
    name: 'look',
    inputSchema: { type: 'object' as const, properties: { at: { type: 'string' as const, pattern: '^x' } } },
  };

  test('sampling, the time to stay loaded, and images', async () => {
    const model = await open({ keepAlive: '-1' });
    const image = {
      type: 'file' as const,
      mediaType: 'image/png',
      data: { type: 'data' as const, data: new Uint8Array([1, 2]) },
    };
    const prompt: LanguageModelV4Message[] = [
      { role: 'user', content: [{ type: 'text', text: 'What is it?' }, image] },
    ];
    await model.doGenerate({
      prompt,
      temperature: 0.2,
      topP: 0.9,
      seed: 7,
      stopSequences: ['END'],
      maxOutputTokens: 50,
    });
    expect(bodies()[0]).toMatchObject({
      keep_alive: -1,
      messages: [{ content: 'What is it?', images: ['AQI='] }],
      options: { temperature: 0.2, top_p: 0.9, seed: 7, stop: ['END'], num_predict: 50 },
    });
    const link = { ...image, data: { type: 'url' as const, url: new URL('https://example.org/a.png') } };
    await expect(model.doGenerate({ prompt: [{ role: 'user', content: [link] }] })).rejects.toThrow('image/png');
  });

  test('a forced call is a format, without thinking, and what is written becomes the call', async () => {
    const script = (): VendorReply => ({ type: 'text', text: '{"name":"look","arguments":{"at":"x1"}}' });
    const model = await open({}, { script });
    const { content, finishReason } = await model.doGenerate({
      ...ask('hi'),
      tools: [look],
      toolChoice: { type: 'required' },
    });
    expect(content).toMatchObject([{ type: 'tool-call', toolName: 'look', input: '{"at":"x1"}' }]);
    expect(finishReason.unified).toBe('tool-calls');
    const named = {
      type: 'object',
      properties: { name: { enum: ['look'] }, arguments: { properties: { at: { type: 'string' } } } },
    };
    expect(bodies()[0]).toMatchObject({ think: false, format: named, tools: [{ function: { name: 'look' } }] });
    expect(JSON.stringify(bodies()[0]?.['format'])).not.toContain('"pattern"');
  });

  test('a model that was not held to the format has just said something', async () => {
    const model = await open({}, { script: () => ({ type: 'text', text: 'I would rather not.' }) });
    const { content } = await model.doGenerate({ ...ask('hi'), tools: [look], toolChoice: { type: 'required' } });
    expect(content).toEqual([{ type: 'text', text: 'I would rather not.' }]);
  });

  test('an answer schema next to tools is not a format, or the tools could not be called', async () => {
    const model = await open();
    const responseFormat = { type: 'json' as const, schema: { type: 'object' as const, properties: {} } };
    const { warnings } = await model.doGenerate({ ...ask('hi'), tools: [look], responseFormat });
    expect(bodies()[0]?.['format']).toBeUndefined();
    expect(warnings).toMatchObject([{ feature: 'responseFormat with tools' }]);
    await model.doGenerate({ ...ask('hi'), tools: [look], toolChoice: { type: 'none' }, responseFormat });
    expect(bodies()[1]).toMatchObject({ format: { type: 'object' } });
  });
});

describe('what comes back', () => {
  const line = (value: object) => `${JSON.stringify(value)}\n`;
  const done = line({ done: true, done_reason: 'stop', prompt_eval_count: 3, eval_count: 2 });

  test('a call without an id gets one, and arguments as text stay as they are', async () => {
    const calls = [{ function: { name: 'a', arguments: '{"half": ' } }, { function: { name: 'b' } }];
    const model = await raw(line({ message: { content: '', tool_calls: calls } }) + done);
    const { content } = await model.doGenerate(ask('hi'));
    expect(content).toMatchObject([
      { toolCallId: 'call_1', toolName: 'a', input: '{"half": ' },
      { toolCallId: 'call_2', toolName: 'b', input: '{}' },
    ]);
  });

  test('lines that come in pieces are read whole, the last one also without its end', async () => {
    const model = await raw((response) => {
      const bytes = Buffer.from(line({ message: { content: '七' } }) + done.trim());
      for (const byte of bytes) response.write(Buffer.from([byte]));
      response.end();
    });
    expect((await model.doGenerate(ask('hi'))).content).toEqual([{ type: 'text', text: '七' }]);
  });

  test.each([
    ['half a line at the end', line({ message: { content: 'Hal' } }) + done.slice(0, 20), 'interrupted', true],
    [
      'an error in the middle',
      line({ message: { content: 'Hal' } }) + line({ error: 'llama runner terminated' }),
      'server',
      true,
    ],
    ['a page of something else', '<html>\nhello\n</html>\n', 'server', true],
    ['a silent end', '', 'interrupted', true],
  ] as const)('%s is no reply', async (...[_what, answer, kind, retryable]) => {
    const model = await raw(answer);
    const failure = classifyError(await Promise.resolve(model.doGenerate(ask('hi'))).catch((error: unknown) => error));
    expect([failure.kind, failure.retryable]).toEqual([kind, retryable]);
  });

  test('a model that is not there is named in the words of the server', async () => {
    const model = await raw((response) =>
      response.writeHead(404).end('{"error":"model \'qwen3:4b\' not found, try pulling it first"}'),
    );
    const failure = classifyError(await Promise.resolve(model.doGenerate(ask('hi'))).catch((error: unknown) => error));
    expect(failure).toMatchObject({ kind: 'not-found', retryable: false });
    expect(failure.message).toContain('try pulling it first');
  });

  test('a server that is not there is a connection that failed, worth another try', async () => {
    const model = await ollamaModel({ modelId: 'm', origin: 'http://127.0.0.1:9' });
    const failure = classifyError(await Promise.resolve(model.doGenerate(ask('hi'))).catch((error: unknown) => error));
    expect(failure).toMatchObject({ kind: 'connection', retryable: true });
    expect(failure.message).toContain('Start the server');
  });
});
