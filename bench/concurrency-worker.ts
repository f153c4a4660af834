/** One process of the concurrency benchmark: `runs` runs of `turns` steps with a slow model; prints what it took. */
import { inMemoryHost } from '../src/runtime/in-memory.ts';
import { benchAgent, runAgent } from './loops.ts';
import { loadPeers, type Peers } from './peers.ts';

const [contender = 'assay', runs = '1000', turns = '10', delayMs = '50'] = process.argv.slice(2);

async function runner(): Promise<Peers[number]['run']> {
  if (contender === 'assay') {
    const agent = benchAgent({ turns: Number(turns), host: inMemoryHost(), delayMs: Number(delayMs), name: 'many' });
    return () => runAgent(agent);
  }
  const peer = (await loadPeers()).find(({ name }) => name === contender);
  if (!peer) throw new Error(`no peer is named '${contender}'`);
  return peer.run;
}

const run = await runner();
await run(Number(turns), Number(delayMs));
const began = performance.now();
await Promise.all(Array.from({ length: Number(runs) }, () => run(Number(turns), Number(delayMs))));
const ms = performance.now() - began;
console.log(JSON.stringify({ ms, peakMiB: process.resourceUsage().maxRSS / 1024 }));
