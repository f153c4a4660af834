/** Recorded trials of tau-bench (Yao et al. 2024), counted by our own pass^k and pass@k. */
import * as z from 'zod';
import { type PassCurves, passCurves } from '../../src/evals/statistics/pass-k.ts';
import { readRows } from '../papers/material.ts';

export interface RecordedTrial {
  id: string;
  trial: number;
  /** 1 where the database came out as expected, else 0. */
  reward: number;
}

export const RecordedTrial: z.ZodType<RecordedTrial> = z.object({
  id: z.string(),
  trial: z.number().int(),
  reward: z.number(),
});

/** Both curves over the tasks of a file with a row (`RecordedTrial`) for each trial of each task. */
export function recordedPassHatK(file: string): PassCurves & { tasks: number } {
  const byTask = Map.groupBy(readRows(file, RecordedTrial), ({ id }) => id);
  const trials = [...byTask.values()].map((rows) => ({
    successes: rows.filter(({ reward }) => reward === 1).length,
    trials: rows.length,
  }));
  return { tasks: trials.length, ...passCurves(trials) };
}
