/**
 * tau-bench (Yao et al. 2024, section 5): the recorded trials of gpt-4o on the airline counted by our pass^k and pass@k, and its recorded
 * calls, as well as all ground-truth calls, run through our tools and graded by our reward.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { recordedPassHatK } from '../evals/tau-bench-recorded.ts';
import { replayTauBench } from '../evals/tau-bench-replay.ts';
import type { Figure } from './figures.ts';
import { type Material, metric, metricNames } from './material.ts';
import { type Part, type PartResult, Tally } from './part.ts';

export const tauBench: Part = { name: 'taubench', title: 'tau-bench, airline and retail', run: figuresOf };

/** Recorded runs in which the database given holds less than the benchmark's own: why is said in a note. */
const unlikeRecorded = 8;

async function figuresOf({ traces, data, metrics }: Material): Promise<PartResult> {
  const recorded = join(traces, 'taubench', 'airline_gpt4o_4trials.jsonl');
  const curves = recordedPassHatK(recorded);
  const curve = (name: string): number[] =>
    metricNames(metrics, 'tau_airline_gpt4o', name).map((k) => metric(metrics, 'tau_airline_gpt4o', name, k));
  const dialogues = join(traces, 'taubench', 'airline_gpt4o_trial0_dialogues.jsonl');
  const { truth, recorded: replayed } = await replayTauBench({
    airline: join(data, 'taubench_airline'),
    retail: join(data, 'taubench_retail'),
    recorded,
    ...(existsSync(dialogues) && { dialogues }),
  });
  const rewarded: Figure[] = Object.entries(truth).map(([domain, { tasks, rewarded }]) => ({
    name: `${domain}: ground-truth calls rewarded of ${tasks}`,
    ours: rewarded,
    recorded: tasks,
  }));
  const { runs, agreed, disagreements } = replayed;
  return {
    figures: [
      { name: 'pass^1..4', ours: curves.passHatK, recorded: curve('pass^k'), published: '.420 .273 .220 .200' },
      { name: 'pass@1..4', ours: curves.passAtK, recorded: curve('pass@k') },
      ...rewarded,
      {
        name: `recorded runs with our reward as theirs, of ${runs}`,
        ours: agreed,
        recorded: runs,
        ...(disagreements.length <= unlikeRecorded && {
          explained: 'the database here holds part of the flights, and replies of three trials were not recorded',
        }),
      },
    ],
    notes: disagreements.map(
      ({ id, trial, recorded, ours, why }) => `${id} trial ${trial}: ${ours} here, ${recorded} there: ${why}`,
    ),
    work: new Tally().work,
  };
}
