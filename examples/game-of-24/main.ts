/**
 * Searches for 24 and prints the tree. Without a model, moves and values are code; with `--model ID` that model proposes the moves and
 * judges the states, and code only checks that a move can be made and that the answer is right.
 */
import { parseArgs } from 'node:util';
import type { Thinker } from '../../src/index.ts';
import { defineAgent, type RunEvent, treeOfThoughts } from '../../src/index.ts';
import { gameOf24, type Numbers } from './game-of-24.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    model: { type: 'string' },
    search: { type: 'string', default: 'breadth-first' },
    blind: { type: 'boolean', default: false },
    tree: { type: 'boolean', default: false },
  },
});
/** Every state is worth the same to it, so that nothing good is kept and nothing bad is pruned. */
const indifferent: Thinker<Numbers> = {
  propose: async () => ({ ok: true, value: [] }),
  value: async () => ({ ok: true, value: 1 }),
};
const numbers = positionals.length > 0 ? positionals.join(' ') : '4 9 10 13';
const byModel = values.model !== undefined;

const agent = defineAgent({
  model: values.model ?? (() => Promise.reject(new Error('no model is needed here'))),
  solver: treeOfThoughts({
    problem: gameOf24({ proposer: !byModel, evaluator: !(byModel || values.blind) }),
    ...(values.blind && { thinker: indifferent }),
    search: values.search === 'depth-first' ? 'depth-first' : 'breadth-first',
    depth: 3,
    maxStates: 2_000,
  }),
  budget: { modelCalls: 200 },
});

const run = agent.run(`Make 24 of these numbers, each used once, with + - * / and brackets: ${numbers}`);
const counts = { kept: 0, pruned: 0, duplicate: 0, solution: 0 };
for await (const event of run) {
  if (event.type !== 'search.node') continue;
  counts[event.verdict]++;
  if (values.tree) console.log(nodeLine(event));
}
const result = await run;
const visited = Object.values(counts).reduce((sum, count) => sum + count, 0);
console.log(
  `${visited} states: ${counts.kept} kept, ${counts.pruned} pruned, ${counts.duplicate} duplicates, ${counts.solution} solution(s); ` +
    `${result.usage.modelCalls} model calls`,
);
const solved = result.status === 'completed';
console.log(solved ? result.answer : `no solution found: ${result.reason.detail}`);
await agent.close();

function nodeLine({ depth, verdict, value, state }: Extract<RunEvent, { type: 'search.node' }>): string {
  return `${'  '.repeat(depth)}${verdict} ${value} ${state.split('\n').slice(-2).join('; ')}`;
}
