import { median, printTable } from '../measure.ts';
import { steps } from './contender.ts';
import { type Entrant, versionOf } from './contenders.ts';
import type { Measurement } from './measurement.ts';

export interface Measured {
  entrant: Entrant;
  /** One of each round, in the order of the rounds. */
  rounds: Measurement[];
}

interface Load {
  runs: number;
  delayMs: number;
  /** The process that did nothing, in the same rounds. */
  idle: readonly Measurement[];
}

export function reportFigures(all: readonly Measured[], load: Load): void {
  const { runs, delayMs, idle } = load;
  const idealMs = steps * delayMs;
  const rows = all.map(({ entrant, rounds }) => {
    const wallMs = median(rounds.map((round) => round.wallMs));
    return [
      `${entrant.name} ${versionOf(entrant)}`,
      entrant.durable,
      wallMs,
      `${((100 * idealMs) / wallMs).toFixed(0)} %`,
      (runs * steps * 1_000) / wallMs,
      median(rounds.map((round) => round.cpuMs)) / runs,
      median(rounds.map((round) => round.peakRssMiB)),
      median(rounds.map((round, at) => overIdle(round, idle[at]))),
      median(rounds.map((round) => round.heapGrowthMiB)),
    ];
  });
  printTable(`${runs} concurrent runs of ${steps} steps, ${delayMs} ms a model call (ideal ${idealMs} ms)`, [
    ['', 'durable', 'ms', 'of the ideal', 'steps/s', 'CPU ms/run', 'peak RSS MiB', 'over idle', 'heap growth MiB'],
    ...rows,
  ]);
  const idleRss = median(idle.map((round) => round.peakRssMiB));
  console.log(`Medians of ${idle.length} interleaved rounds. An idle process of this Node has ${idleRss.toFixed(0)} MiB RSS. RSS: the peak of the whole process, its warm-up included;
heap: the growth over the warm process before the runs.`);
}

/** Each peer beside Assay with the same durability, round by round. */
export function reportRatios(all: readonly Measured[], { idle }: Load): void {
  const rows = all.flatMap((peer) => {
    const ours = all.find(({ entrant }) => entrant.package === '.' && entrant.durable === peer.entrant.durable);
    if (!ours || ours === peer) return [];
    const times = (value: (round: Measurement, at: number) => number): string => {
      const ratios = peer.rounds.flatMap((round, at) => {
        const own = ours.rounds[at];
        return own ? value(round, at) / value(own, at) : [];
      });
      return `${median(ratios).toFixed(1)} ×`;
    };
    return [
      [
        `${peer.entrant.name} / ${ours.entrant.name}`,
        times((round) => round.wallMs),
        times((round) => round.cpuMs),
        times((round, at) => overIdle(round, idle[at])),
        times((round) => round.heapGrowthMiB),
      ],
    ];
  });
  if (rows.length > 0)
    printTable('what a peer takes of what Assay takes', [['', 'time', 'CPU', 'RSS over idle', 'heap growth'], ...rows]);
}

function overIdle(round: Measurement, idle: Measurement | undefined): number {
  return round.peakRssMiB - (idle?.peakRssMiB ?? Number.NaN);
}
