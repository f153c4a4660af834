import { addUsage, noUsage, type Usage } from '../../core/usage.ts';
import type { EvalRecord } from '../evaluation.ts';

/** How far an evaluation is. */
export interface ProgressInfo {
  done: number;
  /** Runs that are planned so far; a control that is planned from the results comes later. */
  total: number;
  successes: number;
  broken: number;
  /** What was paid for in this and in earlier parts of the evaluation. */
  spent: Usage;
  /** Milliseconds until the end as it looks now; undefined before anything is known. */
  etaMs: number | undefined;
  /** The configuration that was just done. */
  configuration: string;
}

/** Counts records as they come, and reckons the rest from what runs of each configuration took. */
export class Progress {
  readonly #lanes: number;
  readonly #left: Map<string, number> = new Map();
  readonly #took: Map<string, { runs: number; ms: number }> = new Map();
  #total = 0;
  #done = 0;
  #successes = 0;
  #broken = 0;
  #spent: Usage = noUsage;

  constructor(lanes: number) {
    this.#lanes = lanes;
  }

  plan(configuration: string, runs: number): void {
    this.#total += runs;
    this.#left.set(configuration, (this.#left.get(configuration) ?? 0) + runs);
  }

  /** Counts a run that an earlier part of the evaluation did. */
  recall(record: EvalRecord): void {
    this.#total += 1;
    this.#count(record);
  }

  /** Counts a run that took so many milliseconds. */
  add(record: EvalRecord, ms: number): ProgressInfo {
    const { configuration } = record;
    this.#count(record);
    this.#left.set(configuration, (this.#left.get(configuration) ?? 1) - 1);
    const took = this.#took.get(configuration) ?? { runs: 0, ms: 0 };
    this.#took.set(configuration, { runs: took.runs + 1, ms: took.ms + ms });
    return {
      done: this.#done,
      total: this.#total,
      successes: this.#successes,
      broken: this.#broken,
      spent: this.#spent,
      etaMs: this.#eta(),
      configuration,
    };
  }

  #count({ outcome, bought, judging = noUsage }: EvalRecord): void {
    this.#done += 1;
    if (outcome === 'success') this.#successes += 1;
    if (outcome === 'broken') this.#broken += 1;
    this.#spent = addUsage(addUsage(this.#spent, bought), judging);
  }

  /** A configuration nothing is known of yet is taken for an average one. */
  #eta(): number | undefined {
    const all = [...this.#took.values()].reduce((sum, { runs, ms }) => ({ runs: sum.runs + runs, ms: sum.ms + ms }));
    let ms = 0;
    for (const [configuration, left] of this.#left) {
      const known = this.#took.get(configuration) ?? all;
      ms += (left * known.ms) / known.runs;
    }
    return ms / this.#lanes;
  }
}
