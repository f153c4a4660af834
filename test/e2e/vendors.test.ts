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

/** Replies by what the request asks for, so that one script serves every wire format. */
function script(first: VendorReply[]) {
  const before = [...first];
  return ({ body }: { body: object }): VendorReply => {
    const text = JSON.stringify(body);
    if (text.includes('ROLE planner')) return plan;
    if (text.includes('ROLE questions'))
      return json({ questions: [{ question: 'When is high water at Cork?', claim: 1 }] });
    if (text.includes('ROLE answers')) return json({ answer: '14:05' });
    if (text.includes('ROLE verdict')) return json({ verdict: 'pass', issues: [], needsMoreTools: false });
    const early = before.shift();
    if (early) return early;
    return text.includes('14:05')
      ? final
      : call(text.includes('tide.table') ? 'tide.table' : wireNameIn(text), { harbour: 'Cork' });
  };
}

/** The name under which the tool was offered. */
function wireNameIn(text: string): string {
  return /"(tide[^"]*)"/.exec(text)?.[1] ?? 'tide';
}

async function run(id: string, first: VendorReply[], listen: boolean) {
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
