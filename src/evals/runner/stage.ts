/** Runs configurations on all tasks, so many runs at once, and keeps each record as it comes. */
import { messageOf } from '../../core/errors.ts';
import { addUsage, noUsage } from '../../core/usage.ts';
import type { EvalRecord, Evaluation } from '../evaluation.ts';
import type { Configuration, EvalTask } from '../suite.ts';
import { type Job, runIdOf } from './begin-run.ts';
import { appendRecord } from './evaluation-folder.ts';
import { Progress, type ProgressInfo } from './progress.ts';
import { runTask } from './run-task.ts';
import type { Scene } from './scene.ts';

export interface StageOptions {
  tasks: readonly EvalTask[];
  evaluation: Evaluation;
  scene: Scene;
  concurrency: number;
  /** Does again what an earlier part of the evaluation could not. */
  retry: boolean;
  signal: AbortSignal | undefined;
  onProgress: ((info: ProgressInfo) => void) | undefined;
}

/** Outcomes that say nothing of the configuration. */
const undone: ReadonlySet<EvalRecord['outcome']> = new Set(['not-run', 'broken']);

export class Stage {
  readonly records: EvalRecord[] = [];
  readonly #options: StageOptions;
  readonly #progress: Progress;
  /** Keys of jobs that have a record, and of those that broke and are done again. */
  readonly #done: Set<string> = new Set();
  readonly #anew: Set<string> = new Set();
  #failure: { error: unknown } | undefined;

  constructor(options: StageOptions) {
    this.#options = options;
    this.#progress = new Progress(options.concurrency);
    for (const record of options.evaluation.records) this.#recall(record);
  }

  /** Rejects with what ends the evaluation; the runs that are under way then are waited for. */
  async run(configurations: readonly Configuration[]): Promise<void> {
    const chains = this.#chains(configurations);
    const waiting = chains.values();
    const lane = async (): Promise<void> => {
      for (const chain of waiting) for (const job of chain) if (!this.#failure) await this.#do(job);
    };
    await Promise.all(Array.from({ length: Math.min(this.#options.concurrency, chains.length) }, lane));
    if (this.#failure) throw this.#failure.error;
  }

  #recall(record: EvalRecord): void {
    const key = keyOf(record.configuration, record.task, record.repeat);
    this.#options.scene.budget.add(addUsage(record.bought, record.judging ?? noUsage));
    if (record.outcome === 'not-run' || (this.#options.retry && undone.has(record.outcome))) {
      if (record.outcome === 'broken') this.#anew.add(key);
      return;
    }
    this.#done.add(key);
    this.records.push(record);
    this.#progress.recall(record);
  }

  /** Jobs that have to be done in order stand in one chain. Long chains first: they decide when the stage ends. */
  #chains(configurations: readonly Configuration[]): Job[][] {
    const { evaluation, tasks } = this.#options;
    const inOrder: Job[][] = [];
    const free: Job[][] = [];
    for (let repeat = 1; repeat <= evaluation.header.repeats; repeat++) {
      for (const configuration of configurations.filter(({ sequential }) => sequential))
        inOrder.push(this.#open(tasks.map((task) => ({ configuration, task, repeat }))));
      for (const task of tasks) {
        for (const configuration of configurations.filter(({ sequential }) => !sequential))
          free.push(this.#open([{ configuration, task, repeat }]));
      }
    }
    return [...inOrder, ...free].filter((chain) => chain.length > 0);
  }

  #open(jobs: Job[]): Job[] {
    const open = jobs.filter(
      ({ configuration, task, repeat }) => !this.#done.has(keyOf(configuration.name, task.id, repeat)),
    );
    for (const { configuration } of open) this.#progress.plan(configuration.name, 1);
    return open.map((job) =>
      this.#anew.has(keyOf(job.configuration.name, job.task.id, job.repeat)) ? { ...job, anew: true } : job,
    );
  }

  async #do(job: Job): Promise<void> {
    const { scene, evaluation, signal, onProgress } = this.#options;
    const began = performance.now();
    try {
      signal?.throwIfAborted();
      const record = await runTask(job, scene, signal ?? never);
      if (this.#failure) return;
      appendRecord(evaluation.folder, record);
      this.records.push(record);
      const info = this.#progress.add(record, performance.now() - began);
      onProgress?.(info);
    } catch (error) {
      this.#failure ??= { error: signal?.aborted ? signal.reason : withJob(error, job) };
      scene.giveUp();
    }
  }
}

const never = new AbortController().signal;

function keyOf(configuration: string, task: string, repeat: number): string {
  return `${configuration}\n${task}\n${repeat}`;
}

/** Says in which run it happened. */
function withJob(error: unknown, job: Job): unknown {
  if (error instanceof Error) error.message = `${runIdOf(job)}: ${messageOf(error)}`;
  return error;
}
