/** The agent that the tests of the MCP server talk to, the same in a process of its own and in the test's. */
import { appendFileSync } from 'node:fs';
import * as z from 'zod';
import type { Agent } from '../../src/agent.ts';
import { defineAgent, sqliteHost, tool } from '../../src/index.ts';
import { callFinal, callTool } from '../../src/testing/replies.ts';
import { scriptedModel } from '../../src/testing/testing.ts';

/** `folder` holds the journal, and `paid.txt` with a line for each payment. `prints`: a tool writes to standard output, as libraries do. */
export function mcpTestAgent(folder: string, { prints = false }: { prints?: boolean } = {}): Agent {
  const price = tool({
    name: 'price',
    description: 'The price of a thing.',
    input: z.object({ thing: z.string() }),
    effect: 'read',
    run: ({ thing }) => {
      if (prints) {
        console.log(`looking up ${thing}`);
        process.stdout.write('{"jsonrpc":"2.0","method":"notifications/nonsense"}\n');
      }
      return `${thing}: 12.50 EUR`;
    },
  });
  const pay = tool({
    name: 'pay',
    description: 'Pays.',
    input: z.object({ sum: z.number() }),
    effect: 'irreversible',
    run: ({ sum }) => {
      appendFileSync(`${folder}/paid.txt`, `${sum}\n`);
      return `paid ${sum}`;
    },
  });
  const evidence = [{ observation: 'obs-1', quote: 'mug: 12.50 EUR' }];
  const model = scriptedModel([
    { when: { contains: 'Wait.' }, reply: { delayMs: 15_000, text: 'late' } },
    { when: { contains: 'Fail.' }, reply: { error: { status: 400, message: 'no such deployment' } } },
    { when: { contains: 'Count.' }, reply: callFinal('{"count":3}') },
    { when: { contains: 'Pay 5', turn: 1 }, reply: callTool('pay', { sum: 5 }) },
    { when: { contains: 'Pay 5 and 6.', turn: 2 }, reply: callTool('pay', { sum: 6 }) },
    { when: { contains: 'Pay 5' }, reply: callFinal('The payments are done.') },
    { when: { turn: 1 }, reply: callTool('price', { thing: 'mug' }) },
    { reply: callFinal('A mug costs 12.50 EUR.', [{ text: 'A mug costs 12.50 EUR.', evidence }]) },
  ]);
  const host = sqliteHost({ file: `${folder}/runs.db`, suspendAfterMs: 20, pollMs: 10 });
  return defineAgent({ model, tools: [price, pay], host });
}
