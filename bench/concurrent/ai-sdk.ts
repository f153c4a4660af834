import { isStepCount, ToolLoopAgent, tool } from 'ai';
import * as z from 'zod';
import { instantModel, page } from '../instant-model.ts';
import { assertAnswer, type Contender, steps, toolCalls } from './contender.ts';

/** The AI SDK's own agent loop. It keeps nothing of a run. */
export const toolLoopAgent: Contender = {
  open: async ({ delayMs }) => {
    const agent = new ToolLoopAgent({
      model: instantModel({ turns: toolCalls, final: false, delayMs: () => delayMs }),
      instructions: 's',
      tools: {
        search: tool({
          description: 'Search.',
          inputSchema: z.object({ query: z.string() }),
          execute: async ({ query }) => query + page,
        }),
      },
      stopWhen: isStepCount(steps),
    });
    return {
      run: async () => {
        const { text, steps: taken } = await agent.generate({ prompt: 't' });
        assertAnswer(text);
        return taken.reduce((sum, step) => sum + step.toolResults.length, 0);
      },
      close: async () => {},
    };
  },
};
