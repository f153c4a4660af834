import { inMemoryHost, sqliteHost } from './library.ts';
import { benchAgent, runAgent, runBare } from './loops.ts';
import { median, printTable, timed } from './measure.ts';
import type { Peers } from './peers.ts';

const sizes = [10, 50, 200];

/** µs per step (one model call and one tool call of an instant in-process model), each contender in turn, medians of rounds. */
export async function benchSteps(folder: string, peers: Peers): Promise<void> {
  const rows: (string | number)[][] = [];
  for (const [name, make] of contenders(folder, peers)) {
    const row: (string | number)[] = [name];
    for (const turns of sizes) row.push(await perStep(make(turns), turns));
    const [, first, , last] = row;
    rows.push([...row, typeof first === 'number' && typeof last === 'number' ? last / first : '']);
  }
  printTable('µs per step, instant model, 313-character results', [
    ['', ...sizes.map((size) => `${size} steps`), '200 / 10'],
    ...rows,
  ]);
}

type Contender = [name: string, make: (turns: number) => () => Promise<number>];

function contenders(folder: string, peers: Peers): Contender[] {
  const assay = (host: () => ReturnType<typeof inMemoryHost>) => (turns: number) => {
    const agent = benchAgent({ turns, host: host(), name: `steps-${turns}` });
    return () => runAgent(agent);
  };
  const disk = sqliteHost({ file: `${folder}/steps.db` });
  return [
    ['bare loop', (turns) => () => runBare(turns)],
    ['assay, journal in memory', assay(() => inMemoryHost())],
    ['assay, journal in SQLite (FULL)', assay(() => disk)],
    ...peers.map(({ name, run }): Contender => [name, (turns) => () => run(turns)]),
  ];
}

async function perStep(run: () => Promise<number>, turns: number): Promise<number> {
  const rounds = Math.max(8, Math.ceil(5_000 / turns));
  const times: number[] = [];
  for (let round = 0; round < rounds * 2; round++) {
    let ran = 0;
    const took = await timed(async () => {
      ran = await run();
    });
    if (ran !== turns) throw new Error(`${ran} tool calls instead of ${turns}: the comparison would not be fair`);
    // The first half warms up.
    if (round >= rounds) times.push((took * 1_000) / turns);
  }
  return median(times);
}
