import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Message,
  LanguageModelV4ToolCallPart,
  LanguageModelV4ToolResultPart,
} from '@ai-sdk/provider';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { userMessage } from '../core/transcript.ts';
import { adaptMessages } from './wire/messages.ts';
import { wireCallId, wireName } from './wire/names.ts';
import { adaptToProvider } from './wire.ts';

const vendors = ['openai.responses', 'anthropic.messages', 'google.generative-ai', 'local.chat'] as const;

/** A vendor that remembers what it was asked and answers with the given content. */
function fakeVendor(
  provider: string,
  content: Awaited<ReturnType<LanguageModelV4['doGenerate']>>['content'] = [],
): LanguageModelV4 & { asked: LanguageModelV4CallOptions[] } {
  const asked: LanguageModelV4CallOptions[] = [];
  const none = undefined;
  return {
    specificationVersion: 'v4',
    provider,
    modelId: 'fake',
    supportedUrls: {},
    asked,
    async doGenerate(options) {
      asked.push(options);
      return {
        content,
        finishReason: { unified: 'stop', raw: none },
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

function call(toolCallId: string, input: unknown = {}, toolName = 'look'): LanguageModelV4ToolCallPart {
  return { type: 'tool-call', toolCallId, toolName, input };
}

function result(toolCallId: string, value: string, toolName = 'look'): LanguageModelV4ToolResultPart {
  return { type: 'tool-result', toolCallId, toolName, output: { type: 'text', value } };
}

const assistant = (...content: Extract<LanguageModelV4Message, { role: 'assistant' }>['content']) =>
  ({ role: 'assistant', content }) satisfies LanguageModelV4Message;
const answers = (...content: LanguageModelV4ToolResultPart[]) =>
  ({ role: 'tool', content }) satisfies LanguageModelV4Message;

/** Each call with the text of its result. */
function pairs(messages: LanguageModelV4Message[]): [string, unknown][] {
  return messages.flatMap((message) =>
    message.role === 'tool'
      ? message.content.flatMap((part): [string, unknown][] =>
          part.type === 'tool-result' ? [[part.toolCallId, 'value' in part.output && part.output.value]] : [],
        )
      : [],
  );
}

describe('messages', () => {
  test('a call that was interrupted gets a result that says so, before anything else', () => {
    const adapted = adaptMessages(
      [userMessage('go'), assistant(call('a'), call('b')), answers(result('b', 'B')), userMessage('stop')],
      'openai',
    );
    expect(adapted.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user']);
    expect(pairs(adapted)).toEqual([
      ['a', 'interrupted: the outcome of this call is not known'],
      ['b', 'B'],
    ]);
  });

  test('a result that answers no open call is dropped, also when it is the second one', () => {
    const adapted = adaptMessages(
      [
        userMessage('go'),
        answers(result('x', 'lost')),
        assistant(call('a')),
        answers(result('a', '1')),
        answers(result('a', '2')),
      ],
      'anthropic',
    );
    expect(adapted.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool']);
    expect(pairs(adapted)).toEqual([['a', '1']]);
  });

  test('results in several messages and any order become one message in call order', () => {
    const adapted = adaptMessages(
      [assistant(call('a'), call('b')), answers(result('b', '2')), answers(result('a', '1'))],
      'google',
    );
    expect(pairs(adapted)).toEqual([
      ['a', '1'],
      ['b', '2'],
    ]);
    expect(adapted).toHaveLength(2);
  });

  test('calls under one id keep their own results and get ids of their own', () => {
    const adapted = adaptMessages(
      [
        assistant(call('f:0'), call('f:0')),
        answers(result('f:0', 'first'), result('f:0', 'second')),
        assistant(call('f:0')),
        answers(result('f:0', 'third')),
      ],
      'anthropic',
    );
    const found = pairs(adapted);
    expect(found.map(([, value]) => value)).toEqual(['first', 'second', 'third']);
    expect(new Set(found.map(([id]) => id)).size).toBe(3);
    expect(found.every(([id]) => /^[a-zA-Z0-9_-]{1,64}$/.test(id))).toBe(true);
  });

  test.each([
    ['{"a":1}', { a: 1 }],
    ['[1]', { input: [1] }],
    ['{"a":', { input: '{"a":' }],
    ['', {}],
    [undefined, {}],
    [null, {}],
    [7, { input: 7 }],
  ])('the input %j of a call in the history is sent as the object %j', (given, sent) => {
    const [message] = adaptMessages([assistant(call('a', given)), answers(result('a', 'x'))], 'openai');
    expect(message).toMatchObject({ content: [{ input: sent }] });
  });

  test('blank text never goes out, an assistant without content neither, and a blank user message says that it is one', () => {
    const adapted = adaptMessages(
      [
        { role: 'system', content: ' ' },
        userMessage('\n'),
        assistant({ type: 'text', text: ' ' }),
        assistant({ type: 'reasoning', text: 'hm' }),
        {
          role: 'user',
          content: [
            { type: 'text', text: ' ' },
            { type: 'text', text: 'real' },
          ],
        },
        assistant({ type: 'text', text: '' }, call('a')),
        answers(result('a', '  ')),
      ],
      'anthropic',
    );
    expect(adapted).toMatchObject([
      { role: 'user', content: [{ text: '(empty message)' }] },
      { role: 'user', content: [{ text: 'real' }] },
      { role: 'assistant', content: [{ type: 'tool-call' }] },
      { role: 'tool', content: [{ output: { value: '(no output)' } }] },
    ]);
  });

  test('an empty text that carries a thought signature of Gemini is sent back to Gemini', () => {
    const signed = { type: 'text' as const, text: '', providerOptions: { google: { thoughtSignature: 's' } } };
    expect(adaptMessages([assistant(signed, call('a')), answers(result('a', 'x'))], 'google')[0]).toEqual(
      assistant(signed, call('a')),
    );
  });

  test('user messages in a row become one for servers whose templates want turns, and stay apart elsewhere', () => {
    const prompt = [userMessage('one'), userMessage('two')];
    expect(adaptMessages(prompt, 'compatible')).toEqual([userMessage('one\n\ntwo')]);
    expect(adaptMessages(prompt, 'anthropic')).toEqual(prompt);
  });

  test('an instruction in the middle is a system message for OpenAI and a user message elsewhere', () => {
    const prompt: LanguageModelV4Message[] = [
      userMessage('hi'),
      assistant({ type: 'text', text: 'yes' }),
      { role: 'system', content: 'hurry' },
    ];
    expect(adaptMessages(prompt, 'openai')).toEqual(prompt);
    expect(adaptMessages(prompt, 'google').at(-1)).toEqual(userMessage('hurry'));
  });

  test('calls the vendor ran itself keep their ids and need no result of ours', () => {
    const own = { ...call('srv:1'), providerExecuted: true };
    const prompt = [assistant(own, { ...result('srv:1', 'found') }, { type: 'text' as const, text: 'done' })];
    expect(adaptMessages(prompt, 'anthropic')).toEqual(prompt);
  });
});

describe('a longer history begins with the bytes of a shorter one', () => {
  const id = fc.constantFrom('a', 'b', 'f:1', '');
  const text = fc.constantFrom('', ' ', 'x', 'hello');
  const message: fc.Arbitrary<LanguageModelV4Message> = fc.oneof(
    text.map((content): LanguageModelV4Message => ({ role: 'system', content })),
    text.map(userMessage),
    fc
      .array(
        fc.oneof(
          text.map((value) => ({ type: 'text' as const, text: value })),
          fc.tuple(id, fc.constantFrom('ok', 'no.t', 'ok_2')).map(([callId, name]) => call(callId, { n: 1 }, name)),
        ),
        { maxLength: 3 },
      )
      .map((content) => assistant(...content)),
    fc
      .array(
        fc.tuple(id, text).map(([callId, value]) => result(callId, value)),
        { maxLength: 3 },
      )
      .map((content) => answers(...content)),
  );
  /** The calls a history leaves open: the place where a synthetic result would later give way to a real one. */
  const leavesCallOpen = (messages: LanguageModelV4Message[], n: number) =>
    messages.slice(0, n).findLast(({ role }) => role !== 'tool')?.role === 'assistant' && messages[n]?.role === 'tool';

  test.each(['openai', 'anthropic', 'google', 'compatible'] as const)('%s', (dialect) => {
    fc.assert(
      fc.property(fc.array(message, { maxLength: 10 }), fc.nat(10), (messages, cut) => {
        const n = Math.min(cut, messages.length);
        fc.pre(!leavesCallOpen(messages, n));
        const shorter = JSON.stringify(adaptMessages(messages.slice(0, n), dialect));
        const longer = JSON.stringify(adaptMessages(messages, dialect));
        // Where user messages are joined, the last text goes on instead of ending.
        expect(longer.startsWith(shorter.replace(dialect === 'compatible' ? /"?\}\]\}\]$|\]$/ : /\]$/, ''))).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  test('every call has one result and every id is new, whatever the history', () => {
    fc.assert(
      fc.property(fc.array(message, { maxLength: 12 }), (messages) => {
        const adapted = adaptMessages(messages, 'anthropic');
        const called = adapted.flatMap((at) =>
          at.role === 'assistant'
            ? at.content.flatMap((part) => (part.type === 'tool-call' ? [part.toolCallId] : []))
            : [],
        );
        expect(pairs(adapted).map(([answered]) => answered)).toEqual(called);
        expect(new Set(called).size).toBe(called.length);
      }),
    );
  });

  test('the messages given are not changed', () => {
    fc.assert(
      fc.property(fc.array(message, { maxLength: 8 }), (messages) => {
        const before = JSON.stringify(messages);
        adaptMessages(messages, 'compatible');
        expect(JSON.stringify(messages)).toBe(before);
      }),
    );
  });
});

describe('names', () => {
  test('a name every vendor accepts stays, any other gets one that is accepted', () => {
    expect(wireName('read_file-2')).toBe('read_file-2');
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (name) => {
        expect(wireName(name)).toMatch(/^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/);
      }),
    );
  });

  test('two names never meet, even if one is written like the name coined for the other', () => {
    const names = [
      'disk.free.now',
      'disk/free/now',
      'disk free now',
      'disk_free_now',
      'ärger',
      'x'.repeat(65),
      'x'.repeat(64),
    ];
    const coined = names.map(wireName);
    const all = [...names, ...coined.filter((name) => !names.includes(name))];
    expect(new Set(all.map(wireName)).size).toBe(all.length);
  });

  test('a taken or blank call id gets a new one', () => {
    expect(wireCallId('toolu_1', new Set())).toBe('toolu_1');
    expect(wireCallId('toolu_1', new Set(['toolu_1']))).not.toBe('toolu_1');
    expect(wireCallId('  ', new Set())).toMatch(/^[a-zA-Z0-9_-]+$/);
  });
});

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
      prompt: [userMessage('x'), assistant(call('p', {}, odd.name)), answers(result('p', 'r', odd.name))],
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
