import type { LanguageModelV4Prompt } from '@ai-sdk/provider';
import * as z from 'zod';
import type { Agent, DurableHost, Tool } from '../src/index.ts';
import { instantModel, page } from './instant-model.ts';
import { defineAgent, react, tool } from './library.ts';

export const search: Tool = tool({
  name: 'search',
  description: 'Search.',
  input: z.object({ query: z.string() }),
  effect: 'read',
  run: async ({ query }) => query + page,
});

/** The least a loop can do: no state, no validation, no limits. */
export async function runBare(turns: number): Promise<number> {
  const model = instantModel({ turns, final: true });
  const prompt: LanguageModelV4Prompt = [
    { role: 'system', content: 's' },
    { role: 'user', content: [{ type: 'text', text: 't' }] },
  ];
  for (let ran = 0; ; ran++) {
    const { content } = await model.doGenerate({ prompt: [...prompt] });
    const call = content[0];
    if (call?.type !== 'tool-call') return ran;
    const input: unknown = JSON.parse(call.input);
    const { toolCallId, toolName } = call;
    prompt.push({ role: 'assistant', content: [{ type: 'tool-call', toolCallId, toolName, input }] });
    if (toolName === 'final') return ran;
    prompt.push({
      role: 'tool',
      content: [{ type: 'tool-result', toolCallId, toolName, output: { type: 'text', value: `q${ran}${page}` } }],
    });
  }
}

/** Our loop without layers, on a host of one's choice. */
export function benchAgent(options: { turns: number; host: DurableHost; delayMs?(): number; name: string }): Agent {
  const { turns, host, delayMs = () => 0, name } = options;
  return defineAgent({
    name,
    model: instantModel({ turns, final: true, delayMs }),
    tools: [search],
    solver: react({ maxSteps: turns + 2, stopWhen: [] }),
    budget: { modelCalls: 100_000, toolCalls: 100_000, tokens: 1_000_000_000, ms: undefined },
    host,
  });
}

/** One run; the number of tool calls it made. */
export async function runAgent(agent: Agent): Promise<number> {
  const result = await agent.run('t');
  return result.usage.toolCalls;
}
