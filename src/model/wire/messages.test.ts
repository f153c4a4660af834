import type {
  LanguageModelV4CallOptions,
  LanguageModelV4Message,
  LanguageModelV4ToolCallPart,
  LanguageModelV4ToolResultPart,
} from '@ai-sdk/provider';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { userMessage } from '../../core/transcript.ts';
import { abilitiesOf } from './abilities.ts';
import { adaptMessages as adapt } from './messages.ts';

type Prompt = LanguageModelV4CallOptions['prompt'];

const adaptMessages = (prompt: Prompt, vendor: string): Prompt => adapt(prompt, abilitiesOf(vendor, 'fake').messages);

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

describe('what Mistral insists on', () => {
  const history = [
    assistant(call('call_abcdef12')),
    answers(result('call_abcdef12', '7')),
    userMessage('Two steps left.'),
  ];

  test('an assistant stands between a result and a message of the user', () => {
    const [, tool, between, user] = adaptMessages(history, 'mistral');
    expect([tool?.role, between?.role, user?.role]).toEqual(['tool', 'assistant', 'user']);
    expect(adaptMessages(history, 'openai').map(({ role }) => role)).toEqual(['assistant', 'tool', 'user']);
    expect(adaptMessages(history.slice(0, 2), 'mistral').map(({ role }) => role)).toEqual(['assistant', 'tool']);
  });

  test('ids of calls are nine letters and digits, those of its own stay, and no two are the same', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.constant('AbCd12345'), fc.string()), { minLength: 1, maxLength: 6 }), (ids) => {
        const prompt = ids.flatMap((id) => [assistant(call(id)), answers(result(id, 'x'))]);
        const sent = pairs(adaptMessages(prompt, 'mistral')).map(([id]) => id);
        expect(sent.every((id) => /^[a-zA-Z0-9]{9}$/.test(id))).toBe(true);
        expect(new Set(sent).size).toBe(ids.length);
        if (ids.includes('AbCd12345')) expect(sent).toContain('AbCd12345');
      }),
    );
  });

  test('so do servers that run one of its models', () => {
    for (const [provider, modelId] of [
      ['vllm', 'mistralai/Devstral-Small-2'],
      ['openrouter', 'mistralai/mistral-medium-3.5'],
    ] as const) {
      expect(abilitiesOf(provider, modelId).messages).toBe(abilitiesOf('mistral', '').messages);
    }
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

  test.each(['openai', 'anthropic', 'google', 'compatible', 'mistral'] as const)('%s', (dialect) => {
    fc.assert(
      fc.property(fc.array(message, { maxLength: 10 }), fc.nat(10), (messages, cut) => {
        const n = Math.min(cut, messages.length);
        fc.pre(!leavesCallOpen(messages, n));
        const shorter = JSON.stringify(adaptMessages(messages.slice(0, n), dialect));
        const longer = JSON.stringify(adaptMessages(messages, dialect));
        // Where user messages are joined, the last text goes on instead of ending.
        const joins = dialect === 'compatible' || dialect === 'mistral';
        expect(longer.startsWith(shorter.replace(joins ? /"?\}\]\}\]$|\]$/ : /\]$/, ''))).toBe(true);
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
