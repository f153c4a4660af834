import { instantModel } from './instant-model.ts';
import { defineAgent, inMemoryHost, react } from './library.ts';
import { search } from './loops.ts';
import { printTable } from './measure.ts';

/** How much of each request is, byte for byte, the beginning of the next one: what a provider's cache can use. */
export async function benchPrefix(): Promise<void> {
  const turns = 20;
  const requests: string[] = [];
  const model = instantModel({
    turns,
    final: true,
    seen: ({ prompt }) => requests.push(JSON.stringify(prompt).slice(0, -1)),
  });
  await defineAgent({ model, tools: [search], solver: react({ maxSteps: turns + 2 }), host: inMemoryHost() }).run('t');
  const shares = requests.slice(1).map((request, at) => shared(requests[at] ?? '', request));
  printTable('share of each request that is a byte-identical prefix of the next', [
    ['requests', requests.length],
    ['least', `${(100 * Math.min(...shares)).toFixed(1)} %`],
  ]);
}

function shared(before: string, after: string): number {
  let same = 0;
  while (same < before.length && before[same] === after[same]) same++;
  return same / before.length;
}
