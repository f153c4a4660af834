import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4Message } from '@ai-sdk/provider';
import { describe, expect, test } from 'vitest';
import { userMessage } from '../core/transcript.ts';
import { wireName } from './wire/names.ts';
import { adaptToProvider } from './wire.ts';

const vendors = ['openai.responses', 'anthropic.messages', 'google.generative-ai', 'local.chat'] as const;

/** A vendor that remembers what it was asked and answers with the given content. */
function fakeVendor(
  provider: string,
  content: Awaited<ReturnType<LanguageModelV4['doGenerate']>>['content'] = [],
  { modelId = 'fake', raw }: { modelId?: string; raw?: string } = {},
): LanguageModelV4 & { asked: LanguageModelV4CallOptions[] } {
  const asked: LanguageModelV4CallOptions[] = [];
  const none = undefined;
  return {
    specificationVersion: 'v4',
    provider,
    modelId,
    supportedUrls: {},
    asked,
    async doGenerate(options) {
      asked.push(options);
      return {
        content,
        finishReason: { unified: 'stop', raw },
        usage: {
          inputTokens: { total: none, noCache: none, cacheRead: none, cacheWrite: none },
          outputTokens: { total: none, text: none, reasoning: none },
        },
        warnings: [],
      };
    },
    doStream: () => Promise.reject(new Error('not asked for')),
  };
}

/** One call and its result. */
function turn(id: string, toolName: string, value: string): LanguageModelV4Message[] {
  const output = { type: 'text' as const, value };
  return [
    { role: 'assistant', content: [{ type: 'tool-call', toolCallId: id, toolName, input: {} }] },
    { role: 'tool', content: [{ type: 'tool-result', toolCallId: id, toolName, output }] },
  ];
}

describe('the wrapper', () => {
  const odd = {
    type: 'function' as const,
    name: 'disk.free',
    description: 'd',
    inputSchema: { type: 'object' as const, properties: {} },
  };

  test.each(vendors)('%s is asked under a wire name, and the program sees its own', async (provider) => {
    const wire = wireName(odd.name);
    const vendor = fakeVendor(provider, [{ type: 'tool-call', toolCallId: 'a', toolName: wire, input: '{}' }]);
    const reply = await adaptToProvider(vendor).doGenerate({
      prompt: [userMessage('x'), ...turn('p', odd.name, 'r')],
      tools: [odd],
      toolChoice: { type: 'tool', toolName: odd.name },
    });
    expect(reply.content).toMatchObject([{ toolName: odd.name }]);
    expect(vendor.asked[0]).toMatchObject({
      tools: [{ name: wire }],
      toolChoice: { type: 'tool', toolName: wire },
      prompt: [{}, { content: [{ toolName: wire }] }, { content: [{ toolName: wire }] }],
    });
  });

  test.each(vendors)('%s: a tool that cannot be offered is reported once and the others stay', async (provider) => {
    const vendor = fakeVendor(provider);
    const told: string[] = [];
    const model = adaptToProvider(vendor, { onWarning: (warning) => told.push(warning) });
    const unusable = { ...odd, name: 'bad_one', inputSchema: { type: 'string' as const } };
    const options = {
      prompt: [userMessage('x')],
      tools: [unusable, odd],
      toolChoice: { type: 'tool' as const, toolName: 'bad_one' },
    };
    await model.doGenerate(options);
    const reply = await model.doGenerate(options);
    expect(told).toHaveLength(1);
    expect(told[0]).toContain('bad_one');
    expect(reply.warnings).toMatchObject([{ message: told[0] }]);
    expect(vendor.asked.map(({ tools, toolChoice }) => [tools?.length, toolChoice?.type])).toEqual([
      [1, 'auto'],
      [1, 'auto'],
    ]);
  });

  test('without a listener the report is a warning of the process', async () => {
    const heard = new Promise<Error>((resolve) => process.once('warning', resolve));
    const tools = [{ ...odd, name: 'unheard_of', inputSchema: { type: 'string' as const } }];
    await adaptToProvider(fakeVendor('local.chat')).doGenerate({ prompt: [userMessage('x')], tools });
    expect((await heard).message).toContain('unheard_of');
  });

  test('the same request has the same bytes, and tools are adapted once', async () => {
    const vendor = fakeVendor('openai.responses');
    const model = adaptToProvider(vendor);
    for (const text of ['x', 'y']) await model.doGenerate({ prompt: [userMessage(text)], tools: [odd] });
    expect(vendor.asked[0]?.tools?.[0]).toBe(vendor.asked[1]?.tools?.[0]);
  });

  test('a stream is mapped part by part, and giving it up gives up the vendor stream', async () => {
    let cancelled: unknown;
    const wire = wireName(odd.name);
    const vendor: LanguageModelV4 = {
      ...fakeVendor('anthropic.messages'),
      doStream: async () => ({
        stream: new ReadableStream({
          start(controller) {
            controller.enqueue({ type: 'stream-start', warnings: [] });
            controller.enqueue({ type: 'tool-input-start', id: 'a', toolName: wire });
          },
          cancel(reason) {
            cancelled = reason;
          },
        }),
      }),
    };
    const { stream } = await adaptToProvider(vendor).doStream({ prompt: [userMessage('x')], tools: [odd] });
    const reader = stream.getReader();
    await reader.read();
    expect((await reader.read()).value).toMatchObject({ type: 'tool-input-start', toolName: odd.name });
    await reader.cancel('enough');
    expect(cancelled).toBe('enough');
  });

  test('adapting twice is adapting once, and models of this process stay as they are', () => {
    const adapted = adaptToProvider(fakeVendor('openai.responses'));
    expect(adaptToProvider(adapted)).toBe(adapted);
    const own = { ...fakeVendor('scripted'), source: 'scripted' as const };
    expect(adaptToProvider(own)).toBe(own);
  });
});

const pick = { type: 'function' as const, name: 'pick', inputSchema: { type: 'object' as const, properties: {} } };
const other = { ...pick, name: 'other' };

/** What a vendor was asked, of one request. */
async function sent(
  provider: string,
  request: Partial<LanguageModelV4CallOptions>,
  { modelId = 'fake', ...options }: { modelId?: string; reasoning?: 'none' | 'high' } = {},
): Promise<LanguageModelV4CallOptions> {
  const vendor = fakeVendor(provider, [], { modelId });
  await adaptToProvider(vendor, options).doGenerate({ prompt: [userMessage('x')], ...request });
  return vendor.asked[0] as LanguageModelV4CallOptions;
}

describe('a choice that forces a call', () => {
  const choose = (provider: string, modelId?: string) =>
    sent(
      provider,
      { tools: [pick, other], toolChoice: { type: 'tool', toolName: 'pick' } },
      { ...(modelId && { modelId }) },
    );
  const said = ({ tools, toolChoice, reasoning }: LanguageModelV4CallOptions) => [
    tools?.map(({ name }) => name),
    toolChoice?.type,
    reasoning,
  ];

  test.each([
    ['openai.responses', '', [['pick', 'other'], 'tool', undefined]],
    ['llamacpp.chat', '', [['pick'], 'required', undefined]],
    ['zhipu.chat', '', [['pick'], 'auto', undefined]],
    ['deepseek.chat', 'deepseek-v4-flash', [['pick', 'other'], 'tool', 'none']],
    ['deepseek.chat', 'deepseek-reasoner', [['pick'], 'auto', undefined]],
    ['alibaba.chat', 'qwen3.7-plus', [['pick', 'other'], 'tool', 'none']],
    ['amazon-bedrock', 'meta.llama3-1-70b-instruct-v1:0', [['pick'], 'auto', undefined]],
  ])('%s %s', async (provider, modelId, expected) => {
    expect(said(await choose(provider, modelId))).toEqual(expected);
  });

  test('a free choice is sent as it is everywhere', async () => {
    for (const provider of ['llamacpp', 'zhipu', 'deepseek']) {
      const request = { tools: [pick, other], toolChoice: { type: 'auto' as const } };
      expect(said(await sent(provider, request))).toEqual([['pick', 'other'], 'auto', undefined]);
    }
  });
});

describe('how much a model thinks', () => {
  test('the setting of the model holds where a request has none', async () => {
    expect((await sent('openai.responses', {}, { reasoning: 'high' })).reasoning).toBe('high');
    expect((await sent('openai.responses', { reasoning: 'low' }, { reasoning: 'high' })).reasoning).toBe('low');
    expect((await sent('openai.responses', {})).reasoning).toBeUndefined();
  });

  test.each([
    ['openrouter', 'openrouter', { reasoning: { effort: 'high' } }, { reasoning: { enabled: false } }],
    ['zhipu.chat', 'zhipu', { thinking: { type: 'enabled' } }, { thinking: { type: 'disabled' } }],
    [
      'vllm.chat',
      'vllm',
      { reasoning_effort: 'high', chat_template_kwargs: { enable_thinking: true, reasoning_effort: 'high' } },
      { chat_template_kwargs: { enable_thinking: false } },
    ],
  ] as const)('%s is told in its own terms', async (provider, key, high, none) => {
    for (const [reasoning, own] of [
      ['high', high],
      ['none', none],
    ] as const) {
      const asked = await sent(provider, {}, { reasoning });
      expect(asked.reasoning).toBeUndefined();
      expect(asked.providerOptions?.[key]).toMatchObject(own);
    }
  });
});

describe('what keeps a prompt', () => {
  const system: LanguageModelV4Message = { role: 'system', content: 'Rules.' };
  const question = userMessage('How many?');
  const history = [system, question, ...turn('a', 'pick', '1')];
  const longer = [...history, ...turn('b', 'pick', '2')];
  const marked = ({ prompt }: LanguageModelV4CallOptions) =>
    prompt.flatMap(({ providerOptions }, index) => (providerOptions ? [index] : []));

  test.each([
    ['anthropic.messages', 'claude-sonnet-4-6', { anthropic: { cacheControl: { type: 'ephemeral' } } }],
    ['amazon-bedrock', 'us.amazon.nova-pro-v1:0', { amazonBedrock: { cachePoint: { type: 'default' } } }],
    ['openrouter', 'anthropic/claude-sonnet-4.6', { openrouter: { cacheControl: { type: 'ephemeral' } } }],
  ])(
    '%s: marks stand behind the system message and at the end, and only they move',
    async (provider, modelId, mark) => {
      const asked = [
        await sent(provider, { prompt: history, tools: [pick] }, { modelId }),
        await sent(provider, { prompt: longer, tools: [pick] }, { modelId }),
      ];
      expect(asked.map(marked)).toEqual([
        [0, 3],
        [0, 5],
      ]);
      expect(asked[1]?.prompt[5]?.providerOptions).toEqual(mark);
      const bytes = asked.map(({ prompt }) =>
        JSON.stringify(prompt.map(({ providerOptions: _marks, ...rest }) => rest)),
      );
      expect(bytes[1]?.startsWith(bytes[0]!.slice(0, -1))).toBe(true);
      expect(history.some((message) => message.providerOptions)).toBe(false);
    },
  );

  test('a single question is not written into a cache, only its rules are', async () => {
    expect(marked(await sent('anthropic.messages', { prompt: [system, question] }))).toEqual([0]);
  });

  test('a Bedrock model without cache points gets none', async () => {
    const asked = await sent(
      'amazon-bedrock',
      { prompt: history, tools: [pick] },
      { modelId: 'meta.llama3-8b-instruct-v1:0' },
    );
    expect(marked(asked)).toEqual([]);
  });

  test.each([
    ['openai.responses', 'openai'],
    ['azure.responses', 'openai'],
    ['mistral.chat', 'mistral'],
    ['xai.responses', 'xai'],
    ['moonshotai.chat', 'moonshotai'],
  ])('%s gets one key for one conversation', async (provider, key) => {
    const keyOf = async (prompt: LanguageModelV4Message[]) =>
      (await sent(provider, { prompt })).providerOptions?.[key]?.['promptCacheKey'];
    const first = await keyOf(history);
    expect(first).toMatch(/^[0-9a-f]{32}$/);
    expect(await keyOf(longer)).toBe(first);
    expect(await keyOf([system, userMessage('How many?'), ...turn('c', 'pick', '3')])).toBe(first);
    expect(await keyOf([{ ...system }, question])).toBe(first);
    expect(await keyOf([{ role: 'system', content: 'Other rules.' }, question])).not.toBe(first);
  });
});

test('a finish reason that only the vendor knows is understood', async () => {
  const reply = await adaptToProvider(fakeVendor('zhipu.chat', [], { raw: 'sensitive' })).doGenerate({
    prompt: [userMessage('x')],
  });
  expect(reply.finishReason).toEqual({ unified: 'content-filter', raw: 'sensitive' });
});
