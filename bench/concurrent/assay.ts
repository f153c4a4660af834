import type { DurableHost } from '../../src/index.ts';
import { inMemoryHost, sqliteHost } from '../library.ts';
import { benchAgent } from '../loops.ts';
import { assertAnswer, type Contender, type OpenAgent, toolCalls } from './contender.ts';

export const inMemory: Contender = { open: async ({ delayMs }) => openAgent(inMemoryHost(), delayMs) };

export const sqlite: Contender = {
  open: async ({ folder, delayMs }) => openAgent(sqliteHost({ file: `${folder}/assay.db` }), delayMs),
};

function openAgent(host: DurableHost, delayMs: number): OpenAgent {
  const agent = benchAgent({ turns: toolCalls, host, delayMs: () => delayMs, name: 'concurrent' });
  return {
    run: async () => {
      const { attempt, usage } = await agent.run('t');
      assertAnswer(attempt?.answer);
      return usage.toolCalls;
    },
    close: () => agent.close(),
  };
}
