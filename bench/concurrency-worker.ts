/** One process of the concurrency benchmark: `runs` runs of `turns` steps with a slow model; prints what it took. */

import { inMemoryHost } from './library.ts';
import { benchAgent, runAgent } from './loops.ts';
import { loadPeers, type Peers } from './peers.ts';

const [contender = 'assay', runs = '1000', turns = '10', delayMs = '50'] = process.argv.slice(2);

/** Runs before the clock starts, without delay: a service is warm, its code compiled for good. */
const warmUps = 1_000;

async function runner(): Promise<Peers[number]['run']> {
  if (contender === 'assay') {
    let delay = 0;
    // One agent for both, as a service has it.
    const agent = benchAgent({ turns: Number(turns), host: inMemoryHost(), delayMs: () => delay, name: 'many' });
    return (_turns, delayMs = 0) => {
      delay = delayMs;
      return runAgent(agent);
    };
  }
  const peer = (await loadPeers()).find(({ name }) => name === contender);
  if (!peer) throw new Error(`no peer is named '${contender}'`);
  return peer.run;
}

const run = await runner();
for (let warmUp = 0; warmUp < warmUps; warmUp++) await run(Number(turns), 0);
const began = performance.now();
await Promise.all(Array.from({ length: Number(runs) }, () => run(Number(turns), Number(delayMs))));
const ms = performance.now() - began;
console.log(JSON.stringify({ ms, peakMiB: process.resourceUsage().maxRSS / 1024 }));
