/** One process of `npm run bench:concurrent`: warms up, makes the runs at once, prints a `Measurement` as JSON. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type OpenAgent, toolCalls } from './contender.ts';
import { entrants, idle } from './contenders.ts';
import { type Measurement, measured } from './measurement.ts';

const { values } = parseArgs({
  options: {
    entrant: { type: 'string', default: idle },
    runs: { type: 'string', default: '1000' },
    'delay-ms': { type: 'string', default: '50' },
  },
});
const runs = Number(values.runs);
const delayMs = Number(values['delay-ms']);
/** A service is warm, its code compiled for good: so many runs without delay, or what fits into the time. */
const warmUp = { runs: 1_000, atOnce: 100, ms: 5_000 };
const idleMs = 500;

console.log(JSON.stringify(values.entrant === idle ? await idleProcess() : await busyProcess(values.entrant)));

function idleProcess(): Promise<Measurement> {
  return measured(() => new Promise((resolve) => setTimeout(resolve, idleMs)));
}

async function busyProcess(id: string): Promise<Measurement> {
  const entrant = entrants.find((known) => known.id === id);
  if (!entrant)
    throw new Error(`no contender is named '${id}': they are ${entrants.map((known) => known.id).join(', ')}`);
  const contender = await entrant.load();
  const folder = mkdtempSync(join(tmpdir(), 'assay-concurrent-'));
  try {
    // An agent and a store of its own: what the warm-up leaves there is not measured.
    const first = await contender.open({ folder: mkdtempSync(join(folder, 'first-')), delayMs: 0 });
    const until = performance.now() + warmUp.ms;
    for (let ran = 0; ran < warmUp.runs && performance.now() < until; ran += warmUp.atOnce)
      await atOnce(first, warmUp.atOnce);
    await first.close();
    const agent = await contender.open({ folder, delayMs });
    const measurement = await measured(() => atOnce(agent, runs));
    await agent.close();
    return measurement;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function atOnce(agent: OpenAgent, count: number): Promise<void> {
  const made = await Promise.all(Array.from({ length: count }, () => agent.run()));
  const other = made.find((calls) => calls !== toolCalls);
  if (other !== undefined)
    throw new Error(`a run made ${other} tool calls instead of ${toolCalls}: the comparison would not be fair`);
}
