/** The same task under other loops: `turns` tool calls, then the end. Installed apart, see package.json beside this file. */
import { runAgentLoop } from '@earendil-works/pi-agent-core';
import { createAssistantMessageEventStream } from '@earendil-works/pi-ai';
import { isStepCount, ToolLoopAgent, tool } from 'ai';
import * as z from 'zod';
import { instantModel, page } from '../instant-model.ts';

type StreamFn = Parameters<typeof runAgentLoop>[5];
type PiModel = Parameters<StreamFn>[0];

const piModel = {
  id: 'instant',
  name: 'instant',
  api: 'openai-completions',
  provider: 'instant',
  baseUrl: '',
  reasoning: false,
  input: ['text'],
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  contextWindow: 1_000_000,
  maxTokens: 10_000,
} as unknown as PiModel; // only the fields the loop reads

const piUsage = {
  input: 100,
  output: 20,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 120,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
};

/** pi-agent-core's loop. */
export async function runPi(turns: number, delayMs = 0): Promise<number> {
  let turn = 0;
  let ran = 0;
  const streamFn: StreamFn = async () => {
    if (delayMs) await new Promise((resolve) => setTimeout(resolve, delayMs));
    const stream = createAssistantMessageEventStream();
    const over = turn >= turns;
    const content = over
      ? [{ type: 'text' as const, text: 'two' }]
      : [{ type: 'toolCall' as const, id: `c${turn}`, name: 'search', arguments: { query: `q${turn}` } }];
    turn++;
    const reason = over ? ('stop' as const) : ('toolUse' as const);
    const message = {
      role: 'assistant' as const,
      content,
      api: 'openai-completions' as const,
      provider: 'instant',
      model: 'instant',
      usage: piUsage,
      stopReason: reason,
      timestamp: Date.now(),
    };
    stream.push({ type: 'done', reason, message } as unknown as Parameters<typeof stream.push>[0]); // a complete reply
    stream.end(message as Parameters<typeof stream.end>[0]);
    return stream;
  };
  const search = {
    name: 'search',
    label: 'search',
    description: 'Search.',
    parameters: { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] },
    execute: async () => {
      ran++;
      return { content: [{ type: 'text' as const, text: page }], details: undefined };
    },
  };
  await runAgentLoop(
    [{ role: 'user', content: 't', timestamp: Date.now() }],
    { systemPrompt: 's', messages: [], tools: [search] } as unknown as Parameters<typeof runAgentLoop>[1],
    { model: piModel, convertToLlm: (messages) => messages as never },
    () => {},
    undefined,
    streamFn,
  );
  return ran;
}

/** The AI SDK's ToolLoopAgent. */
export async function runAiSdk(turns: number, delayMs = 0): Promise<number> {
  let ran = 0;
  const agent = new ToolLoopAgent({
    model: instantModel({ turns, final: false, delayMs: () => delayMs }),
    instructions: 's',
    tools: {
      search: tool({
        description: 'Search.',
        inputSchema: z.object({ query: z.string() }),
        execute: async () => {
          ran++;
          return page;
        },
      }),
    },
    stopWhen: isStepCount(turns + 2),
  });
  await agent.generate({ prompt: 't' });
  return ran;
}
