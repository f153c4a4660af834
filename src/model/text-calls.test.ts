import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseJson } from './parse.ts';
import { recoverTextCalls } from './text-calls.ts';

type Pair = [tool: string, args: unknown];

/** The calls as tool and parsed arguments, or what came instead. */
function recovered(text: string): Pair[] | 'leaked' | undefined {
  const result = recoverTextCalls(text);
  if (result === undefined) return undefined;
  if ('leaked' in result) return 'leaked';
  return result.calls.map(({ tool, input }) => {
    const parsed = parseJson(input);
    return [tool, parsed.ok ? parsed.value : parsed.message];
  });
}

const bar = '｜';
const deepseek = (name: string): string => `<${bar}${name.replaceAll(' ', '▁')}${bar}>`;

describe('calls left in the text', () => {
  it.each<[string, string, Pair[]]>([
    [
      'Hermes',
      '<tool_call>\n{"name":"tide","arguments":{"port":"Brest"}}\n</tool_call>',
      [['tide', { port: 'Brest' }]],
    ],
    [
      'two Hermes calls',
      '<tool_call>{"name":"a","arguments":{"n":1}}</tool_call>\n<tool_call>{"name":"b","arguments":{}}</tool_call>',
      [
        ['a', { n: 1 }],
        ['b', {}],
      ],
    ],
    [
      'Hermes with arguments as text',
      '<tool_call>{"name":"a","arguments":"{\\"n\\":1}"}</tool_call>',
      [['a', { n: 1 }]],
    ],
    ['Hermes without arguments', '<tool_call>{"name":"a"}</tool_call>', [['a', {}]]],
    ['Hermes with parameters', '<tool_call>{"name":"a","parameters":{"n":1}}', [['a', { n: 1 }]]],
    [
      'a wrapped function',
      '<tool_call>{"type":"function","function":{"name":"a","arguments":{"n":1}}}</tool_call>',
      [['a', { n: 1 }]],
    ],
    ['a fence in the tags', '<tool_call>\n```json\n{"name":"a","arguments":{}}\n```\n</tool_call>', [['a', {}]]],
    [
      'Qwen-coder',
      '<tool_call>\n<function=edit>\n<parameter=text>\nif (a < b && c > 0) {\n  "x";\n}\n</parameter>\n<parameter=line>\n7\n</parameter>\n</function>\n</tool_call>',
      [['edit', { text: 'if (a < b && c > 0) {\n  "x";\n}', line: '7' }]],
    ],
    ['Qwen-coder without the outer tag', '<function=ls>\n</function>', [['ls', {}]]],
    ['Qwen-coder with JSON', '<function=ls>{"dir":"."}</function>', [['ls', { dir: '.' }]]],
    [
      'a value that names its own closing tag',
      '<function=w><parameter=t>ends with </parameter> usually</parameter></function>',
      [['w', { t: 'ends with </parameter> usually' }]],
    ],
    [
      'DeepSeek',
      `${deepseek('tool calls begin')}${deepseek('tool call begin')}function${deepseek('tool sep')}tide\n\`\`\`json\n{"port":"Brest"}\n\`\`\`${deepseek('tool call end')}${deepseek('tool calls end')}`,
      [['tide', { port: 'Brest' }]],
    ],
    [
      'later DeepSeek',
      `${deepseek('tool calls begin')}${deepseek('tool call begin')}tide${deepseek('tool sep')}{"port":"Brest"}${deepseek('tool call end')}${deepseek('tool call begin')}moon${deepseek('tool sep')}{}${deepseek('tool call end')}${deepseek('tool calls end')}${deepseek('end of sentence')}`,
      [
        ['tide', { port: 'Brest' }],
        ['moon', {}],
      ],
    ],
    [
      'Kimi',
      '<|tool_calls_section_begin|><|tool_call_begin|>functions.tide:0<|tool_call_argument_begin|>{"port":"Brest"}<|tool_call_end|><|tool_call_begin|>functions.tide:1<|tool_call_argument_begin|>{"port":"Vigo"}<|tool_call_end|><|tool_calls_section_end|>',
      [
        ['tide', { port: 'Brest' }],
        ['tide', { port: 'Vigo' }],
      ],
    ],
    [
      'harmony',
      '<|channel|>analysis<|message|>Need the tide.<|end|><|start|>assistant<|channel|>commentary to=functions.tide <|constrain|>json<|message|>{"port":"Brest"}<|call|>',
      [['tide', { port: 'Brest' }]],
    ],
    [
      'harmony, recipient first',
      '<|start|>assistant to=functions.tide<|channel|>commentary json<|message|>{"port":"Brest"}<|call|>',
      [['tide', { port: 'Brest' }]],
    ],
    [
      'harmony without its tokens',
      'analysisNeed the tide. So call.assistantcommentary to=functions.tide json{"port":"Brest"}',
      [['tide', { port: 'Brest' }]],
    ],
    ['bare commentary', 'commentary to=functions.tide json {"port":"Brest"}', [['tide', { port: 'Brest' }]]],
    [
      'Mistral',
      '[TOOL_CALLS] [{"name":"a","arguments":{"n":1}}, {"name":"b","arguments":{}}]</s>',
      [
        ['a', { n: 1 }],
        ['b', {}],
      ],
    ],
    [
      'later Mistral',
      '[TOOL_CALLS]a[CALL_ID]x1y2[ARGS]{"n":1}[TOOL_CALLS]b{}',
      [
        ['a', { n: 1 }],
        ['b', {}],
      ],
    ],
  ])('%s', (_, text, calls) => {
    expect(recovered(text)).toEqual(calls);
    expect(recovered(`\n ${text} \n`)).toEqual(calls);
  });

  it('keeps what has to be repaired as it was written, for the arguments to be judged', () => {
    const result = recoverTextCalls("<tool_call>{'name': 'a', 'arguments': {'deep': True,}}</tool_call>");
    expect(result).toEqual({ calls: [{ tool: 'a', input: "{'deep': True,}", format: 'tagged' }] });
  });

  it('takes a key of the prototype for an ordinary parameter', () => {
    const result = recoverTextCalls('<function=a><parameter=__proto__>x</parameter></function>');
    expect(result).toEqual({ calls: [{ tool: 'a', input: '{"__proto__":"x"}', format: 'xml-like' }] });
  });

  it.each([
    'You would write <tool_call>{"name":"erase","arguments":{"all":true}}</tool_call> for that. Shall I?',
    'For example:\n<tool_call>{"name":"erase","arguments":{}}</tool_call>\nerases it.',
    'For example:\n<tool_call>{"name": NAME, "arguments": {}}</tool_call>\nerases it.',
    'To erase, write <tool_call>{"name":"erase","arguments":{}}</tool_call>',
    '{"answer":"<|tool_call_begin|>a<|tool_call_argument_begin|>{\\"n\\":1}"}',
    'A call begins with <tool_call> and ends with </tool_call>.',
    'Qwen writes <function=name><parameter=key>value</parameter></function> into the text.',
    'In harmony a call is commentary to=functions.erase json{} and so on.',
    'Mistral begins with [TOOL_CALLS].',
    'The token <|call|> ends a message.',
    'Send it to=all {"a":1}',
    'analysis of the tide: it rises.',
    '{"answer":"<tool_call>{}</tool_call>"}',
    '["<|tool_call_begin|>a<|tool_call_argument_begin|>{}<|tool_call_end|>"]',
    '',
    '   ',
    'x < y > z',
  ])('takes %j for prose', (text) => {
    expect(recovered(text)).toBeUndefined();
  });

  it.each([
    '<tool_call>{"name":"a","arguments":{"text":"cut he',
    'I will do it.\n<tool_call>{"name":"a","arguments":{"text":"cut he',
    '<tool_call>{"arguments":{}}</tool_call>',
    '<tool_call>{"name":"a","arguments":{"t":"an "inner" quote"}}</tool_call>',
    '<tool_call>a\n<arg_key>k</arg_key>\n<arg_value>v</arg_value>\n</tool_call>',
    'I will do it.\n<tool_call>{"name":"a","arguments":{}}</tool_call>',
    '<tool_call>{"name":"a","arguments":{}}</tool_call>\nThe result is 12.',
    'I do <|tool_call_begin|>functions.a:0<|tool_call_argument_begin|>{}<|tool_call_end|>',
    '<|tool_calls_section_begin|><|tool_call_begin|>functions.a:0',
    '<|tool_call_begin|>functions.a:0<|tool_call_argument_begin|>{"n":',
    `${deepseek('tool calls begin')}${deepseek('tool call begin')}function${deepseek('tool sep')}`,
    '<function=a><parameter=k>never closed',
    '<function=a><parameter=k>1</parameter><parameter=k>2</parameter></function>',
    '<function=a>\n<parameter=k>\nx\n<parameter=m>\ny\n</parameter>\n</function>',
    '<function=a>{"k":1}',
    '[TOOL_CALLS][{"name":"a","arguments":{}}',
    '[TOOL_CALLS][]',
    'analysisThe user wants it.assistantfinalIt is 12.',
    '<|channel|>final<|message|>It is 12.<|return|>',
    '<|channel|>commentary to=functions.a <|constrain|>json<|message|>{"n":',
    'commentary to=functions.a json',
    '<|im_end|>',
    '</tool_call>',
  ])('never lets %j pass for an answer', (text) => {
    expect(recovered(text)).toBe('leaked');
  });

  it('gives back the arguments whatever their text, in every format that carries JSON', () => {
    const text = fc.string({
      unit: fc.constantFrom('a', '<', '>', '|', '"', '\\', '{', '}', '\n', '`', '</tool_call>', bar),
    });
    const wrappers = [
      (args: string) => `<tool_call>{"name":"t","arguments":${args}}</tool_call>`,
      (args: string) => `[TOOL_CALLS][{"name":"t","arguments":${args}}]`,
      (args: string) => `<|tool_call_begin|>t<|tool_call_argument_begin|>${args}<|tool_call_end|>`,
      (args: string) => `<|channel|>commentary to=functions.t<|message|>${args}<|call|>`,
      (args: string) => `<function=t>${args}</function>`,
    ];
    fc.assert(
      fc.property(
        fc.dictionary(text, text, { maxKeys: 3, noNullPrototype: true }),
        fc.constantFrom(...wrappers),
        (args, wrap) => {
          expect(recovered(wrap(JSON.stringify(args)))).toEqual([['t', args]]);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('gives back every value of the XML-like form byte for byte, but for one line break around it', () => {
    const text = fc.string({
      unit: fc.constantFrom('a', '<', '>', '&', '"', '\\', '{', '\n', ' ', '</', 'parameter>'),
    });
    fc.assert(
      fc.property(text, text, (first, second) => {
        fc.pre(!/<\/parameter>/.test(first + second));
        const call = `<function=t>\n<parameter=a>\n${first}\n</parameter>\n<parameter=b>\n${second}\n</parameter>\n</function>`;
        expect(recovered(call)).toEqual([['t', { a: first, b: second }]]);
      }),
      { numRuns: 500 },
    );
  });

  it('never turns a call between words into one that runs', () => {
    const words = fc.string({ unit: fc.constantFrom('so ', 'it', '\n', '.', '`', '<', 'to=', '<tool_call>') });
    fc.assert(
      fc.property(words, words, (before, after) => {
        fc.pre(/it|so/.test(before) || /it|so/.test(after));
        const result = recovered(`${before} <tool_call>{"name":"erase","arguments":{}}</tool_call> ${after}`);
        expect(Array.isArray(result)).toBe(false);
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    ' ',
    'to=',
    'assistant to=x',
    '<tool_call>',
    '<tool_call>{',
    '<function=a><parameter=b>',
    '</parameter>',
    '<|tool_call_begin|>',
    '<|a',
    '[TOOL_CALLS]a',
    'analysisA',
    '\n',
    'x\n<tool_call>{"name":"a"}',
  ])('reads a megabyte of %j in linear time', (unit) => {
    const text = unit.repeat(Math.ceil(1_000_000 / unit.length));
    const from = performance.now();
    recoverTextCalls(text);
    recoverTextCalls(`analysisX${text}`);
    recoverTextCalls(`<function=q><parameter=r>${text}`);
    expect(performance.now() - from).toBeLessThan(3000);
  });
});
