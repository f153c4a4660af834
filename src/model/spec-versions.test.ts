import type {
  LanguageModelV2,
  LanguageModelV2CallOptions,
  LanguageModelV2StreamPart,
  LanguageModelV3,
  LanguageModelV3CallOptions,
  LanguageModelV3StreamPart,
  LanguageModelV4CallOptions,
} from '@ai-sdk/provider';
import { describe, expect, it } from 'vitest';
import { UsageError } from '../core/errors.ts';
import { isTextOnly, sourceOf } from './capability.ts';
import { InterruptedStreamError } from './classify-error.ts';
import { generate } from './collect.ts';
import { scriptedModel } from './providers/script-model.ts';
import { finishedBy, usageFrom } from './reply-parts.ts';
import { asLanguageModel } from './spec-versions.ts';

const call: LanguageModelV4CallOptions = {
  reasoning: 'low',
  temperature: 0.5,
  headers: { 'idempotency-key': 'k' },
  tools: [
    { type: 'function', name: 'look', inputSchema: { type: 'object' } },
    { type: 'provider', id: 'acme.search', name: 'search', args: {} },
  ],
  prompt: [
    { role: 'system', content: 'S' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'U' },
        { type: 'file', mediaType: 'text/plain', data: { type: 'text', text: 'in file' } },
        { type: 'file', mediaType: 'image/png', data: { type: 'url', url: new URL('http://x.example/a.png') } },
        { type: 'file', mediaType: 'image/png', data: { type: 'reference', reference: { acme: 'f1' } } },
      ],
    },
    {
      role: 'assistant',
      content: [
        { type: 'reasoning', text: 'R', providerOptions: { acme: { signature: 's' } } },
        { type: 'custom', kind: 'acme.note' },
        { type: 'tool-call', toolCallId: 'c', toolName: 'look', input: { at: 1 } },
      ],
    },
    {
      role: 'tool',
      content: [
        { type: 'tool-result', toolCallId: 'c', toolName: 'look', output: { type: 'execution-denied', reason: 'no' } },
        {
          type: 'tool-result',
          toolCallId: 'd',
          toolName: 'look',
          output: {
            type: 'content',
            value: [
              { type: 'text', text: 'T' },
              { type: 'file', mediaType: 'image/png', data: { type: 'data', data: Uint8Array.of(1, 2) } },
            ],
          },
        },
      ],
    },
  ],
};

const usageV2 = { inputTokens: 10, outputTokens: 5, totalTokens: 15, cachedInputTokens: 4, reasoningTokens: 2 };
const nested = {
  inputTokens: { total: 10, noCache: 6, cacheRead: 4, cacheWrite: undefined },
  outputTokens: { total: 5, text: 3, reasoning: 2 },
};
const toolCall = { type: 'tool-call' as const, toolCallId: 'c', toolName: 'look', input: '{"at":1}' };
const reasoning = { type: 'reasoning' as const, text: 'R', providerMetadata: { acme: { signature: 's' } } };

function modelV2(finish: 'stop' | 'unknown' = 'stop') {
  const asked: LanguageModelV2CallOptions[] = [];
  const parts: LanguageModelV2StreamPart[] = [
    {
      type: 'stream-start',
      warnings: [
        { type: 'unsupported-setting', setting: 'seed' },
        { type: 'other', message: 'm' },
      ],
    },
    { type: 'response-metadata', id: 'r' },
    { type: 'reasoning-start', id: '0' },
    { type: 'reasoning-delta', id: '0', delta: 'R' },
    { type: 'reasoning-end', id: '0', providerMetadata: reasoning.providerMetadata },
    { type: 'text-start', id: '1' },
    { type: 'text-delta', id: '1', delta: 'Hello' },
    { type: 'text-end', id: '1' },
    { type: 'file', mediaType: 'image/png', data: 'AA==' },
    toolCall,
    { type: 'finish', finishReason: finish, usage: usageV2 },
  ];
  const model: LanguageModelV2 & { textOnly: true } = {
    specificationVersion: 'v2',
    provider: 'acme',
    modelId: 'old',
    supportedUrls: {},
    textOnly: true,
    async doGenerate(options) {
      asked.push(options);
      return {
        content: [
          reasoning,
          { type: 'text', text: 'Hello' },
          { type: 'file', mediaType: 'image/png', data: 'AA==' },
          toolCall,
        ],
        finishReason: finish,
        usage: usageV2,
        response: { id: 'r' },
        warnings: [{ type: 'unsupported-setting', setting: 'seed' }],
      };
    },
    async doStream(options) {
      asked.push(options);
      return { stream: ReadableStream.from(parts) };
    },
  };
  return { model, asked };
}

function modelV3() {
  const asked: LanguageModelV3CallOptions[] = [];
  const finish = { unified: 'stop' as const, raw: 'stop' };
  const parts: LanguageModelV3StreamPart[] = [
    { type: 'text-start', id: '1' },
    { type: 'text-delta', id: '1', delta: 'Hello' },
    { type: 'file', mediaType: 'image/png', data: 'AA==' },
    toolCall,
    { type: 'finish', finishReason: finish, usage: nested },
  ];
  const model: LanguageModelV3 = {
    specificationVersion: 'v3',
    provider: 'acme',
    modelId: 'newer',
    supportedUrls: {},
    async doGenerate(options) {
      asked.push(options);
      const file = { type: 'file' as const, mediaType: 'image/png', data: 'AA==' };
      return {
        content: [{ type: 'text', text: 'Hello' }, file, toolCall],
        finishReason: finish,
        usage: nested,
        warnings: [],
      };
    },
    async doStream(options) {
      asked.push(options);
      return { stream: ReadableStream.from(parts) };
    },
  };
  return { model, asked };
}

describe('asLanguageModel', () => {
  it('passes a V4 object through', () => {
    const model = scriptedModel([]);
    expect(asLanguageModel(model)).toBe(model);
  });

  it('makes a text-only model of a function', async () => {
    const model = asLanguageModel((system: string, user: string) => `${system}|${user}`);
    expect([isTextOnly(model), sourceOf(model)]).toEqual([true, 'function']);
    expect((await model.doGenerate({ prompt: [{ role: 'system', content: 'S' }] })).content).toEqual([
      { type: 'text', text: 'S|' },
    ]);
  });

  it.each([
    ['gpt', 'the text "gpt"'],
    [undefined, 'undefined'],
    [{}, 'without specificationVersion'],
    [{ specificationVersion: 'v1', doGenerate() {}, doStream() {} }, 'specification v1'],
    [{ specificationVersion: 'v4', doGenerate() {} }, 'specification v4'],
  ])('refuses %j and says what is accepted', (value, named) => {
    expect(() => asLanguageModel(value)).toThrow(UsageError);
    expect(() => asLanguageModel(value)).toThrow(named);
    expect(() => asLanguageModel(value)).toThrow(/v4, v3 or v2.*function/);
  });
});

describe('a V2 model', () => {
  it('gives the same V4 reply streamed and whole', async () => {
    const model = asLanguageModel(modelV2().model);
    const streamed = await generate(model, call, { stream: true });
    expect(streamed).toEqual({
      content: [reasoning, { type: 'text', text: 'Hello' }, toolCall],
      finishReason: finishedBy('stop'),
      usage: nested,
      response: { id: 'r' },
    });
    expect(await generate(model, call, { stream: false })).toEqual(streamed);
    expect([isTextOnly(model), sourceOf(model), model.modelId]).toEqual([true, 'provider', 'old']);
  });

  it('is asked in its own shape', async () => {
    const { model, asked } = modelV2();
    await generate(asLanguageModel(model), call, { stream: false });
    expect(asked[0]).not.toHaveProperty('reasoning');
    expect(asked[0]).toMatchObject({
      temperature: 0.5,
      headers: { 'idempotency-key': 'k' },
      tools: [{ type: 'function' }, { type: 'provider-defined', id: 'acme.search' }],
    });
    expect(asked[0]?.prompt).toEqual([
      { role: 'system', content: 'S' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'U' },
          { type: 'file', mediaType: 'text/plain', data: new TextEncoder().encode('in file') },
          { type: 'file', mediaType: 'image/png', data: new URL('http://x.example/a.png') },
        ],
      },
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'R', providerOptions: { acme: { signature: 's' } } },
          { type: 'tool-call', toolCallId: 'c', toolName: 'look', input: { at: 1 } },
        ],
      },
      {
        role: 'tool',
        content: [
          { type: 'tool-result', toolCallId: 'c', toolName: 'look', output: { type: 'error-text', value: 'no' } },
          {
            type: 'tool-result',
            toolCallId: 'd',
            toolName: 'look',
            output: {
              type: 'content',
              value: [
                { type: 'text', text: 'T' },
                { type: 'media', mediaType: 'image/png', data: 'AQI=' },
              ],
            },
          },
        ],
      },
    ]);
  });

  it('whose stream ends without a reason is cut, and unknown usage stays unknown', async () => {
    await expect(generate(asLanguageModel(modelV2('unknown').model), call, { stream: true })).rejects.toBeInstanceOf(
      InterruptedStreamError,
    );
    const { model } = modelV2();
    const whole = model.doGenerate.bind(model);
    model.doGenerate = async (options) => ({
      ...(await whole(options)),
      usage: { inputTokens: undefined, outputTokens: undefined, totalTokens: undefined },
    });
    expect((await asLanguageModel(model).doGenerate(call)).usage).toEqual(usageFrom(undefined));
  });
});

describe('a V3 model', () => {
  it('gives the same V4 reply streamed and whole', async () => {
    const model = asLanguageModel(modelV3().model);
    const streamed = await generate(model, call, { stream: true });
    expect(streamed).toMatchObject({ content: [{ type: 'text', text: 'Hello' }, toolCall], usage: nested });
    expect(await generate(model, call, { stream: false })).toEqual(streamed);
  });

  it('is asked in its own shape', async () => {
    const { model, asked } = modelV3();
    await generate(asLanguageModel(model), call, { stream: true });
    const prompt = asked[0]?.prompt ?? [];
    expect(asked[0]).not.toHaveProperty('reasoning');
    expect(asked[0]?.tools).toEqual(call.tools);
    expect(prompt[1]?.content[1]).toEqual({
      type: 'file',
      mediaType: 'text/plain',
      data: new TextEncoder().encode('in file'),
    });
    expect(prompt[2]?.content).toHaveLength(2);
    expect(prompt[3]?.content).toMatchObject([
      { output: { type: 'execution-denied', reason: 'no' } },
      { output: { value: [{ type: 'text' }, { type: 'file-data', data: 'AQI=', mediaType: 'image/png' }] } },
    ]);
  });

  it('whose stream ends without a reason is cut', async () => {
    const { model } = modelV3();
    model.doStream = async () => ({
      stream: ReadableStream.from<LanguageModelV3StreamPart>([
        { type: 'finish', finishReason: { unified: 'other', raw: undefined }, usage: nested },
      ]),
    });
    await expect(generate(asLanguageModel(model), call, { stream: true })).rejects.toBeInstanceOf(
      InterruptedStreamError,
    );
  });
});
