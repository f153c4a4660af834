import { afterEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { defineAgent } from '../../src/agent.ts';
import { resolveModel } from '../../src/model/resolve.ts';
import type { DurableHost } from '../../src/runtime/durable.ts';
import { InMemoryJournals, inMemoryHost } from '../../src/runtime/in-memory.ts';
import { planAndSolve } from '../../src/solver/plan-and-solve/plan-and-solve.ts';
import { verification } from '../../src/solver/verification/verification.ts';
import {
  startVendorServer,
  type VendorReply,
  type VendorServer,
  vendorEnvironment,
} from '../../src/testing/vendor-server.ts';
import { tool } from '../../src/tools/tool.ts';

/** Whole runs over each vendor's package and wire format, against a server of ours on loopback that refuses what they refuse. */

const models = [
  'openai:gpt-5-mini',
  'anthropic:claude-sonnet-4-6',
  'google:gemini-2.5-flash',
  'openai-compatible:test-model',
];

let server: VendorServer | undefined;
afterEach(async () => {
  await server?.close();
});

const tide = tool({
  name: 'tide.table',
  description: 'The next high water at a harbour.',
  input: z.object({
    harbour: z.string(),
    day: z.string().optional(),
    options: z.object({ unit: z.enum(['m', 'ft']).optional() }).optional(),
  }),
  effect: 'read',
  run: ({ harbour }) => `High water at ${harbour} is at 14:05.`,
});

const json = (value: object): VendorReply => ({ type: 'text', text: JSON.stringify(value) });
const call = (name: string, args: Record<string, string>): VendorReply => ({
  type: 'tool-calls',
  calls: [{ name, args }],
});
const final: VendorReply = {
  type: 'tool-calls',
  calls: [
    {
      name: 'final',
      args: {
        answer: 'At 14:05.',
        claims: [
          {
            text: 'High water at Cork is at 14:05.',
            evidence: [{ observation: 'obs-1', quote: 'High water at Cork is at 14:05.' }],
          },
        ],
      },
    },
  ],
};
const plan = json({
  goal: 'the time of high water',
  constraints: [],
  givens: [],
  steps: [
    {
      id: 's1',
      objective: 'look it up',
      needsExternalInfo: true,
      successCondition: 'quoted',
      status: 'todo',
      result: null,
    },
  ],
});

/** A reply, or one that needs the name under which the tool was offered. */
type Scripted = VendorReply | ((wireName: string) => VendorReply);

/** Replies by what the request asks for, so that one script serves every wire format. */
function script(first: readonly Scripted[]) {
  const before = [...first];
  return ({ body }: { body: object }): VendorReply => {
    const text = JSON.stringify(body);
    const asked = asides.find(([role]) => text.includes(role))?.[1] ?? before.shift();
    if (asked) return typeof asked === 'function' ? asked(wireNameIn(text)) : asked;
    return text.includes('14:05') ? final : call(wireNameIn(text), { harbour: 'Cork' });
  };
}

/** What the layers ask, each under its role. */
const asides: [role: string, reply: VendorReply][] = [
  ['ROLE planner', plan],
  ['ROLE questions', json({ questions: [{ question: 'When is high water at Cork?', claim: 1 }] })],
  ['ROLE answers', json({ answer: '14:05' })],
  ['ROLE verdict', json({ verdict: 'pass', issues: [], needsMoreTools: false })],
];

/** The name under which the tool was offered. */
function wireNameIn(text: string): string {
  return /"(tide[^"]*)"/.exec(text)?.[1] ?? 'tide';
}

async function run(id: string, first: readonly Scripted[], listen: boolean) {
  server = await startVendorServer({ script: script(first) });
  const model = await resolveModel(id, { env: vendorEnvironment(server.url) });
  const handle = defineAgent({ model, tools: [tide], layers: [verification(), planAndSolve()] }).run(
    'When is high water at Cork?',
  );
  if (listen) for await (const _ of handle);
  return {
    result: await handle,
    refused: server.requests.filter((request) => request.refused),
    requests: server.requests,
  };
}

/** The rest differ in what they send and are sent, not in how a run goes on. */
const others = [
  'azure:mine',
  'bedrock:eu.anthropic.claude-sonnet-4-5-20250929-v1:0',
  'mistral:mistral-medium-latest',
  'groq:openai/gpt-oss-120b',
  'xai:grok-4.3',
  'deepseek:deepseek-v4-flash',
  'alibaba:qwen-plus',
  'moonshotai:kimi-k2.5',
  'zhipu:glm-4.7',
  'openrouter:anthropic/claude-sonnet-4.6',
  'ollama:qwen3:14b',
  'lmstudio:m',
  'llamacpp:m',
  'vllm:m',
];

it.each(others)('%s: plans, acts, verifies and answers', async (id) => {
  const { result, refused } = await run(id, [], true);
  expect(refused).toEqual([]);
  expect(result).toMatchObject({ status: 'completed', answer: 'At 14:05.' });
  expect(result.usage).toMatchObject({ estimatedCalls: 0, modelCalls: 6 });
});

describe('what a server leaves in the text', () => {
  const call = (name: string, wrap: (call: string) => string): ((wireName: string) => VendorReply) => {
    return (wireName) => ({
      type: 'text',
      text: wrap(JSON.stringify({ name: name || wireName, arguments: { harbour: 'Cork' } })),
    });
  };
  it.each([
    [
      'ollama:qwen3:14b',
      'a tagged call',
      call('', (json) => `<think>Maybe {"harbour":"Rome"}.</think><tool_call>${json}</tool_call>`),
    ],
    ['mistral:mistral-medium-latest', 'a call of its own', call('', (json) => `[TOOL_CALLS][${json}]`)],
    [
      'vllm:openai/gpt-oss-20b',
      'channels',
      (name: string): VendorReply => ({
        type: 'text',
        text: `<|channel|>analysis<|message|>Tide.<|end|><|start|>assistant<|channel|>commentary to=functions.${name} <|constrain|>json<|message|>{"harbour":"Cork"}<|call|>`,
      }),
    ],
  ] as const)('%s: %s is run as a call', async (...[id, _what, leftover]) => {
    const { result, refused } = await run(id, [leftover], true);
    expect(refused).toEqual([]);
    expect(result.attempt.observations).toMatchObject([{ tool: 'tide.table', args: { harbour: 'Cork' } }]);
    expect(result).toMatchObject({ status: 'completed', answer: 'At 14:05.' });
  });

  it('arguments that were cut are not run, and the request behind them is accepted', async () => {
    const cut = (name: string): VendorReply => ({
      type: 'tool-calls',
      calls: [{ name, args: {}, rawArgs: '{"harbour": "Co' }],
    });
    for (const id of ['openrouter:z-ai/glm-4.7', 'openai-compatible:m']) {
      const { result, refused } = await run(id, [cut], true);
      expect(refused).toEqual([]);
      expect(result.attempt.observations).toMatchObject([{ args: { harbour: 'Cork' } }]);
    }
  });
});

describe.each(models)('%s', (id) => {
  it.each([
    ['streamed', true],
    ['whole', false],
  ])('plans, acts, verifies and answers, %s', async (_, listen) => {
    const { result, refused } = await run(id, [], listen);
    expect(refused).toEqual([]);
    expect(result).toMatchObject({ status: 'completed', answer: 'At 14:05.' });
    expect(result.attempt.observations).toMatchObject([{ tool: 'tide.table', args: { harbour: 'Cork' } }]);
    expect(result.usage).toMatchObject({ estimatedCalls: 0, modelCalls: 6 });
  });

  it('goes on after an overload and a stream that was cut', async () => {
    const { result } = await run(id, [{ type: 'stream-error' }, { type: 'cut', text: 'I have all I' }], true);
    expect(result).toMatchObject({ status: 'completed', answer: 'At 14:05.' });
  });

  it('goes on after a crash in the middle of two calls with a request the vendor accepts', async () => {
    const both: VendorReply = {
      type: 'tool-calls',
      calls: [
        { id: 'twice', name: 'note', args: { text: 'a' } },
        { id: 'twice', name: 'note', args: { text: 'b' } },
      ],
    };
    const crashed = await startVendorServer({
      script: ({ body }) => (JSON.stringify(body).includes('interrupted this call') ? final : both),
    });
    server = crashed;
    const model = await resolveModel(id, { env: vendorEnvironment(crashed.url) });
    let entered: () => void = () => {};
    const inside = new Promise<void>((resolve) => {
      entered = resolve;
    });
    const journals = new InMemoryJournals();
    const agentOn = (host: DurableHost, run: () => Promise<string>) => {
      const input = z.object({ text: z.string() });
      const note = tool({ name: 'note', description: 'Keeps a note.', input, effect: 'write', run });
      return defineAgent({ model, tools: [note], policy: { write: 'allow' }, host });
    };
    const first = inMemoryHost({ journals });
    const hang = (): Promise<string> => {
      entered();
      return new Promise(() => {});
    };
    agentOn(first, hang)
      .run('note it', { runId: 'lost' })
      .result.catch(() => {});
    await inside;
    await first.close();
    const agent = agentOn(inMemoryHost({ journals, suspendAfterMs: 5 }), async () => 'kept');
    expect((await agent.resume('lost')).status).toBe('awaiting_approval');
    const [signal = ''] = (await agent.host.info('lost'))?.waitingFor ?? [];
    await agent.decide('lost', signal, { approved: false, reason: 'leave it' });
    const result = await agent.resume('lost');
    expect(result.answer).toBe('At 14:05.');
    expect(result.attempt.observations.map(({ status }) => status)).toEqual(['unknown-outcome', 'ok']);
    expect(crashed.requests.filter((request) => request.refused)).toEqual([]);
  });

  it('ends at a refusal by the content filter', async () => {
    const { result } = await run(id, [{ type: 'content-filter' }], true);
    expect(result).toMatchObject({ status: 'failed', reason: { code: 'refused' } });
  });
});
