/**
 * What every adapter does with the wire format of its vendor: what it sends is accepted, what it is sent comes back whole, and what
 * goes wrong is told apart. The texts that models and servers leave in the wrong place come through as they are, for the
 * loop to judge.
 */
import type { JSONObject, LanguageModelV4, LanguageModelV4Message } from '@ai-sdk/provider';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { userMessage } from '../core/transcript.ts';
import { classifyError } from '../model/classify-error.ts';
import { generate } from '../model/collect.ts';
import { jsonSchemaOf, tool, toolSpec } from '../tools/tool.ts';
import { askBy, asMessage, callsOf, resultsFor, textOf, ways } from './language-model-contract.ts';
import type { VendorReply, VendorRequest, VendorServerOptions } from './vendor-server.ts';

/** What differs between the vendors. */
export interface WireFacts {
  /** Names of behaviours of this suite that the API cannot show, with the reason. */
  skips?: Readonly<Record<string, string>>;
  /** Tokens in the server's fixed counts that the API tells. Default: 20, of which 5 cached, and 7, of which 3 thought. */
  usage?: { cached?: number | undefined; reasoning?: number | undefined };
  /** What of the thoughts comes back in the next request: the text, or the seal that stands for it. */
  thoughtBack: string;
  /** Parts of the body for the settings `none` and `high`. */
  reasoning: { none: JSONObject; high: JSONObject };
  /** A part of the body that makes the vendor keep the prompt; undefined where it does so by itself. */
  cache?: RegExp;
}

export interface WireHarness extends WireFacts {
  /** A model on a server that plays the script; `reasoning` as in `resolveModel`. */
  open(
    script: VendorServerOptions['script'],
    options?: { reasoning?: 'none' | 'high' },
  ): Promise<{ model: LanguageModelV4; requests: readonly VendorRequest[] }>;
}

const lookUp = toolSpec(
  tool({
    name: 'stock.look up/v2',
    description: 'Counts items in a store.',
    input: z.object({
      item: z.string().min(1).describe('what to count'),
      shelf: z.number().int().positive().optional(),
      mail: z.email().optional(),
      filter: z
        .object({ colour: z.enum(['red', 'blue']).optional(), size: z.union([z.string(), z.number()]) })
        .optional(),
    }),
    effect: 'read',
    run: () => 0,
  }),
);

const start: LanguageModelV4Message[] = [
  { role: 'system', content: 'Be brief. Answer in JSON when you are asked to.' },
  userMessage('How many bolts?'),
];
const said = (text: string): VendorReply => ({ type: 'text', text });
/** The name a tool was offered by. */
const wireName = ({ body }: VendorRequest): string =>
  /"name":"(stock_[^"]+)"/.exec(JSON.stringify(body))?.[1] ?? 'no tool was offered';

/** Texts in which servers leave what does not belong there; they are the loop's to read. */
const leftovers: readonly [what: string, text: string][] = [
  ['thoughts in tags', '<think>Perhaps {"n":1}? No.</think>\n{"n":7}'],
  ['thoughts whose opening tag the template wrote', 'Perhaps 6. No.</think>There are 7.'],
  ['a tagged call', '<tool_call>\n{"name":"look","arguments":{"item":"bolt < 3 mm"}}\n</tool_call>'],
  [
    'a call that looks like XML',
    '<tool_call>\n<function=look>\n<parameter=item>\nbolt < 3 mm\n</parameter>\n</function>\n</tool_call>',
  ],
  [
    'a call in bars',
    '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>look\n```json\n{"item":"bolt"}\n```<｜tool▁call▁end｜>',
  ],
  [
    'channels',
    '<|channel|>analysis<|message|>They want bolts.<|end|><|channel|>commentary to=functions.look<|message|>{"item":"bolt"}',
  ],
  ['a call of Mistral', '[TOOL_CALLS][{"name":"look","arguments":{"item":"bolt"}}]'],
  ['signs of every alphabet', '七个螺栓 🔩 ‑ \u2028 "\\n" \t end'],
];

/** Registers the suite. It belongs inside a `describe` of the caller's. */
export function vendorWireContract(harness: WireHarness): void {
  const { open } = harness;
  const behaviour = (what: string, run: () => Promise<void>): void => {
    const reason = harness.skips?.[what];
    if (reason === undefined) test(what, run);
    else test.skip(`${what} (skipped: ${reason})`, run);
  };
  const accepted = (requests: readonly VendorRequest[]) =>
    expect(requests.map(({ refused }) => refused)).toEqual(requests.map(() => undefined));
  const failureOf = async (reply: VendorReply, way: (typeof ways)[number] = 'streamed') => {
    const { model } = await open([reply]);
    const failed = await askBy(way, model, { prompt: start }).catch((error: unknown) => error);
    return { error: failed, ...classifyError(failed) };
  };

  requestTests(harness, behaviour, accepted);
  for (const way of ways) {
    behaviour(`${way}: usage tells cached and thought tokens apart`, async () => {
      const { model } = await open([said('Seven.')]);
      const { inputTokens, outputTokens } = (await askBy(way, model, { prompt: start })).usage;
      const { cached, reasoning } = { cached: 5, reasoning: 3, ...harness.usage };
      expect([inputTokens.total, inputTokens.cacheRead, outputTokens.total, outputTokens.reasoning]).toEqual([
        20,
        cached,
        7,
        reasoning,
      ]);
    });

    behaviour(`${way}: usage that nobody told is not made up`, async () => {
      const { model } = await open([{ ...said('Seven.'), noUsage: true } as VendorReply]);
      const { usage } = await askBy(way, model, { prompt: start });
      expect([usage.inputTokens.total ?? 0, usage.outputTokens.total ?? 0]).toEqual([0, 0]);
    });

    behaviour(`${way}: thoughts come apart from the text, and go back as they came`, async () => {
      const { model, requests } = await open(({ body }) =>
        requests.length === 1
          ? {
              type: 'tool-calls',
              reasoning: 'Bolts are counted.',
              calls: [{ name: wireName({ body } as VendorRequest), args: { item: 'bolt' } }],
            }
          : said('There are 7.'),
      );
      const { content } = await askBy(way, model, { prompt: start, tools: [lookUp] });
      expect(content.find((part) => part.type === 'reasoning')?.text).toBe('Bolts are counted.');
      expect(textOf(content)).not.toContain('Bolts are counted.');
      const prompt = [...start, asMessage(content), resultsFor(callsOf(content), '7')];
      expect(textOf((await askBy(way, model, { prompt, tools: [lookUp] })).content)).toBe('There are 7.');
      accepted(requests);
      expect(JSON.stringify(requests[1]?.body)).toContain(harness.thoughtBack);
    });

    behaviour(`${way}: a tool under an odd name is called and answered under its own`, async () => {
      const { model, requests } = await open((request) =>
        requests.length === 1
          ? { type: 'tool-calls', text: 'I look.', calls: [{ name: wireName(request), args: { item: 'bolt' } }] }
          : said('There are 7.'),
      );
      const { content } = await askBy(way, model, { prompt: start, tools: [lookUp] });
      expect(callsOf(content)).toMatchObject([{ toolName: lookUp.name, input: JSON.stringify({ item: 'bolt' }) }]);
      expect(textOf(content)).toBe('I look.');
      const prompt = [...start, asMessage(content), resultsFor(callsOf(content), '7')];
      await askBy(way, model, { prompt, tools: [lookUp] });
      accepted(requests);
    });

    behaviour(`${way}: calls under one id, or under none, have ids of their own`, async () => {
      for (const id of ['functions.look:0', '']) {
        const call = { id, name: 'look' };
        const { model } = await open([
          {
            type: 'tool-calls',
            calls: [
              { ...call, args: { n: 1 } },
              { ...call, args: { n: 2 } },
            ],
          },
        ]);
        const calls = callsOf((await askBy(way, model, { prompt: start })).content);
        expect(calls.map(({ input }) => input)).toEqual(['{"n":1}', '{"n":2}']);
        expect(new Set(calls.map(({ toolCallId }) => toolCallId.trim() || 'blank')).size).toBe(2);
      }
    });

    behaviour(`${way}: arguments that are no JSON come as the model wrote them, and can go back`, async () => {
      const rawArgs = '{"path":"t.ts","content":"describe(\'a\', () => {';
      const { model, requests } = await open([
        { type: 'tool-calls', calls: [{ name: 'write', args: {}, rawArgs }] },
        said('Sorry.'),
      ]);
      const { content } = await askBy(way, model, { prompt: start });
      expect(callsOf(content).map(({ input }) => input)).toEqual([rawArgs]);
      await askBy(way, model, { prompt: [...start, asMessage(content), resultsFor(callsOf(content), 'not JSON')] });
      accepted(requests);
    });

    behaviour(`${way}: a call without arguments has none, or an empty object`, async () => {
      const { model } = await open([{ type: 'tool-calls', calls: [{ name: 'list', args: {}, rawArgs: '' }] }]);
      const calls = callsOf((await askBy(way, model, { prompt: start })).content);
      expect(calls).toHaveLength(1);
      expect(['', '{}']).toContain(calls[0]?.input);
    });

    behaviour(`${way}: control tokens in the name of a call are left for the loop`, async () => {
      const name = 'look<|channel|>commentary';
      const { model } = await open([{ type: 'tool-calls', calls: [{ name, args: {} }] }]);
      expect(callsOf((await askBy(way, model, { prompt: start })).content).map(({ toolName }) => toolName)).toEqual([
        name,
      ]);
    });

    behaviour(`${way}: what servers leave in a text comes through sign by sign`, async () => {
      const { model } = await open(leftovers.map(([, text]) => said(text)));
      for (const [what, text] of leftovers) {
        expect([what, textOf((await askBy(way, model, { prompt: start })).content)]).toEqual([what, text]);
      }
    });

    behaviour(`${way}: a filtered answer ends with the filter`, async () => {
      const { model } = await open([{ type: 'content-filter' }]);
      expect((await askBy(way, model, { prompt: start })).finishReason.unified).toBe('content-filter');
    });

    behaviour(`${way}: a refusal ends with the filter`, async () => {
      const { model } = await open([{ type: 'refusal', text: 'I will not count those.' }]);
      expect((await askBy(way, model, { prompt: start })).finishReason.unified).toBe('content-filter');
    });

    behaviour(`${way}: an answer without words or calls is empty, not an error`, async () => {
      const { model } = await open([said('')]);
      expect(textOf((await askBy(way, model, { prompt: start })).content)).toBe('');
    });

    behaviour(`${way}: errors are told apart`, async () => {
      const http = (status: number, headers?: Record<string, string>): VendorReply => ({
        type: 'http-error',
        status,
        message: 'Incorrect API key provided: sk-abcdefgh12345678',
        ...(headers && { headers }),
      });
      const denied = await failureOf(http(401), way);
      expect(denied).toMatchObject({ kind: 'auth', retryable: false });
      expect(denied.message).not.toContain('abcdefgh');
      const slow = await failureOf(http(429, { 'retry-after': '7' }), way);
      expect(slow).toMatchObject({ kind: 'rate-limit', retryable: true });
      expect(Reflect.get(Object(slow.error), 'responseHeaders')).toMatchObject({ 'retry-after': '7' });
      expect(await failureOf(http(500), way)).toMatchObject({ kind: 'server', retryable: true });
      expect(await failureOf(http(503), way)).toMatchObject({ kind: 'overloaded', retryable: true });
    });
  }

  behaviour('continuation deltas with blank identity belong to the call that was begun', async () => {
    const calls = [{ id: 'call_x', name: 'sum', args: { expression: '19 + 23' } }];
    const { model } = await open([{ type: 'tool-calls', calls, blankDeltaIds: true }]);
    const [call, ...more] = callsOf((await askBy('streamed', model, { prompt: start })).content);
    expect([call?.toolName, call?.input, more]).toEqual(['sum', JSON.stringify(calls[0]!.args), []]);
  });

  behaviour('an error inside a stream that began well is an error that is worth another try', async () => {
    for (const text of [undefined, 'Half of it']) {
      const failure = await failureOf({
        type: 'stream-error',
        message: 'the server is overloaded',
        ...(text && { text }),
      });
      expect(failure.retryable).toBe(true);
      expect(failure.message).toContain('overloaded');
    }
  });

  behaviour('a turn whose end was told is whole, whatever was lost behind that', async () => {
    const { model } = await open([{ type: 'text', text: 'There are 7.', tornEnd: true }]);
    const { content, finishReason } = await askBy('streamed', model, { prompt: start });
    expect([textOf(content), finishReason.unified]).toEqual(['There are 7.', 'stop']);
  });

  behaviour('a stream that is cut is no answer, and worth another try', async () => {
    for (const reset of [false, true]) {
      const failure = await failureOf({ type: 'cut', text: 'I have all of', reset });
      expect([reset, failure.kind, failure.retryable]).toEqual([reset, 'interrupted', true]);
    }
  });
}

function requestTests(
  { open, reasoning, cache }: WireHarness,
  behaviour: (what: string, run: () => Promise<void>) => void,
  accepted: (requests: readonly VendorRequest[]) => void,
): void {
  behaviour('a history with every trap in it is accepted', async () => {
    const { model, requests } = await open([said('ok')]);
    const call = (toolCallId: string, input: unknown) => ({
      type: 'tool-call' as const,
      toolCallId,
      toolName: lookUp.name,
      input,
    });
    const result = (toolCallId: string, value: string) => ({
      type: 'tool-result' as const,
      toolCallId,
      toolName: lookUp.name,
      output: { type: 'text' as const, value },
    });
    const reused = 'functions.look:0';
    const prompt: LanguageModelV4Message[] = [
      ...start,
      { role: 'assistant', content: [call(reused, { item: 'nut' }), call(reused, { item: 'nail' })] },
      { role: 'tool', content: [result(reused, '1'), result(reused, '')] },
      userMessage('Two steps are left.'),
      { role: 'assistant', content: [call(reused, { item: 'peg' })] },
      { role: 'tool', content: [result(reused, '3')] },
      { role: 'assistant', content: [{ type: 'text', text: ' \n' }] },
      userMessage('  '),
      { role: 'assistant', content: [call('', 'not json')] },
      { role: 'tool', content: [] },
      { role: 'system', content: 'One step is left.' },
      userMessage('And now?'),
      userMessage('Please.'),
    ];
    await generate(model, { prompt, tools: [lookUp] }, { stream: false });
    accepted(requests);
  });

  behaviour('schemas with optional parts, patterns and open objects are accepted, for tools and answers', async () => {
    const Strict = z.object({ count: z.number(), unit: z.string().optional(), tags: z.array(z.string()).max(500) });
    const Loose = z.object({
      counts: z.record(z.string(), z.number()),
      any: z.unknown(),
      code: z.string().regex(/^(?!x)/),
    });
    const { model, requests } = await open(() => said('{"count":3,"tags":[]}'));
    for (const schema of [Strict, Loose].map((given) => jsonSchemaOf(given))) {
      const tools = [{ type: 'function' as const, name: 'tally', inputSchema: schema }];
      const responseFormat = { type: 'json' as const, name: 'tally', schema };
      await generate(model, { prompt: start, responseFormat }, { stream: false });
      await generate(model, { prompt: start, tools }, { stream: false });
    }
    accepted(requests);
  });

  behaviour('forced calls are asked for in a way that is accepted, whatever the model thinks', async () => {
    for (const level of [undefined, 'high'] as const) {
      const { model, requests } = await open(() => said('ok'), level && { reasoning: level });
      const other = { ...lookUp, name: 'other' };
      for (const toolChoice of [{ type: 'required' }, { type: 'tool', toolName: lookUp.name }] as const) {
        await generate(model, { prompt: start, tools: [lookUp, other], toolChoice }, { stream: true });
      }
      accepted(requests);
    }
  });

  behaviour('how much the model thinks is told in the terms of the vendor', async () => {
    for (const level of ['none', 'high'] as const) {
      const { model, requests } = await open(() => said('ok'), { reasoning: level });
      await generate(model, { prompt: start }, { stream: false });
      accepted(requests);
      expect(requests[0]?.body).toMatchObject(reasoning[level]);
    }
  });

  behaviour(
    'a prompt that grows is kept: the beginning has the same bytes, and what keeps it stays or moves to the end',
    async () => {
      const { model, requests } = await open(() => said('ok'));
      const turn = (n: number): LanguageModelV4Message[] => [
        {
          role: 'assistant',
          content: [{ type: 'tool-call', toolCallId: `call_${n}`, toolName: lookUp.name, input: { item: 'nut' } }],
        },
        resultsFor([{ type: 'tool-call', toolCallId: `call_${n}`, toolName: lookUp.name, input: '{}' }], String(n)),
      ];
      const prompts = [
        [...start, ...turn(1)],
        [...start, ...turn(1), ...turn(2)],
      ];
      for (const prompt of prompts) await generate(model, { prompt, tools: [lookUp] }, { stream: false });
      accepted(requests);
      const [shorter = '', longer = ''] = requests.map(({ body }) => historyOf(body));
      expect(longer.startsWith(shorter.slice(0, -1))).toBe(true);
      const kept = requests.map(({ body }) =>
        [...JSON.stringify(body).matchAll(new RegExp(cache ?? /no marks/, 'g'))].map(([found]) => found),
      );
      expect(kept[0]?.length).toBe(kept[1]?.length);
      if (cache) expect(kept[0]?.length).toBeGreaterThan(0);
      if (cache?.source.includes('key')) expect(kept[0]).toEqual(kept[1]);
    },
  );
}

/** The messages of a request without what marks them for a cache. */
function historyOf(body: object): string {
  const messages: unknown =
    Reflect.get(body, 'messages') ?? Reflect.get(body, 'input') ?? Reflect.get(body, 'contents');
  return JSON.stringify(messages)
    .replaceAll(/,?"cache_control":\{[^}]*\}/g, '')
    .replaceAll(/,\{"cachePoint":\{[^}]*\}\}/g, '');
}
