/**
 * Evaluates a suite: every configuration on every task, so many times.
 *
 * 1. Everything that decides is fixed and written down before the first run (`describe.ts`).
 * 2. An evaluation that was killed goes on: what has a record is not done again, what has a journal goes on from it, and what was bought is
 *    in the cache (`begin-run.ts`, `reply-cache.ts`).
 * 3. Tasks of all configurations take turns, so that an evaluation that is stopped early has compared them on the same tasks.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { UsageError } from '../../core/errors.ts';
import type { ConfigurationSummary, EvalRecord, Evaluation, EvaluationHeader } from '../evaluation.ts';
import type { Configuration, EvalTask, RunSetting, Suite } from '../suite.ts';
import { tasksHash as hashOfTasks } from '../tasks/tasks-hash.ts';
import { agentOptions, fingerprintOf, gradersOf, settingsOf, summaryOf } from './describe.ts';
import { findEvaluation, mendRecords, writeHeader, writeTasks } from './evaluation-folder.ts';
import type { ProgressInfo } from './progress.ts';
import { Scene } from './scene.ts';
import { Stage } from './stage.ts';

export interface EvaluateOptions {
  /** The folder of evaluations; each suite has one in it. Default `.assay/evals`. */
  folder?: string;
  /** Default: the suite's. */
  configurations?: readonly Configuration[];
  /** What is evaluated next, from the records so far, such as a control with the same spend; asked again until it names nothing new. */
  later?: (records: readonly EvalRecord[]) => readonly Configuration[];
  /** Default: the suite's, else the first configuration. */
  baseline?: string;
  /** The configuration that the criteria are about. Default: the suite's, else the last. */
  subject?: string;
  /** Times each task is done. Default 1. */
  repeats?: number;
  /** Runs at once. Default: the suite's, else 8. */
  concurrency?: number;
  /** False buys every reply again, and keeps none. Default true. */
  cache?: boolean;
  /** Starts anew where an unfinished evaluation of the same suite would go on. Default false. */
  fresh?: boolean;
  /** Goes on with the newest evaluation of the same suite and does again what broke or was not run in it. Default false. */
  retry?: boolean;
  /** Stops the runs where they stand; the evaluation goes on when it is called again. */
  signal?: AbortSignal;
  /** Said in the header. */
  version?: string;
  onProgress?(info: ProgressInfo): void;
  onWarning?(message: string): void;
}

/** Rejects with `UsageError` for a suite that cannot be evaluated, and with the signal's reason when it is aborted. */
export async function evaluate(suite: Suite, options: EvaluateOptions = {}): Promise<Evaluation> {
  const plan = await planOf(suite, options);
  const evaluation = openEvaluation(plan, options);
  const { header, folder } = evaluation;
  const scene = new Scene({ suite, folder, cache: options.cache ?? true, onWarning: options.onWarning ?? (() => {}) });
  const halt = (): void => scene.halt();
  options.signal?.addEventListener('abort', halt, { once: true });
  const stage = new Stage({
    tasks: plan.tasks,
    evaluation,
    scene,
    concurrency: options.concurrency ?? suite.concurrency ?? defaultConcurrency,
    retry: options.retry ?? false,
    signal: options.signal,
    onProgress: options.onProgress,
  });
  const ran: Configuration[] = [...plan.configurations];
  try {
    await stage.run(plan.configurations);
    for (;;) {
      const next = (options.later?.(stage.records) ?? []).filter(({ name }) => !ran.some((done) => done.name === name));
      if (next.length === 0) break;
      ran.push(...next);
      const known = header.configurations.filter(({ name }) => !next.some((added) => added.name === name));
      header.configurations = [...known, ...(await summariesOf(next, plan))];
      writeHeader(folder, header);
      await stage.run(next);
    }
    header.ended = Date.now();
    writeHeader(folder, header);
    return { header, records: stage.records, folder };
  } finally {
    options.signal?.removeEventListener('abort', halt);
    await scene.close();
    await Promise.allSettled(ran.map((configuration) => configuration.close?.()));
  }
}

const defaultConcurrency = 8;

/** What an evaluation works on, all of it fixed. */
interface Plan {
  suite: Suite;
  tasks: readonly EvalTask[];
  configurations: readonly Configuration[];
  /** The suite's folder. */
  folder: string;
  header: EvaluationHeader;
}

async function planOf(suite: Suite, options: EvaluateOptions): Promise<Plan> {
  const tasks = await suite.tasks();
  const configurations = options.configurations ?? suite.configurations;
  const [first] = configurations;
  const last = configurations.at(-1);
  if (!(first && last)) throw new UsageError(`The suite '${suite.name}' names no configuration: give it \`solvers\`.`);
  const folder = join(options.folder ?? join('.assay', 'evals'), suite.name);
  mkdirSync(folder, { recursive: true });
  const repeats = options.repeats ?? 1;
  if (!(Number.isInteger(repeats) && repeats > 0))
    throw new UsageError(`An evaluation repeats each task a whole number of times, not ${repeats}.`);
  const tasksHash = hashOfTasks(tasks);
  const graders = gradersOf(suite, tasks);
  const settings = await Promise.all(
    configurations.map((configuration) =>
      settingsOf(configuration, agentOptions(configuration, looking(tasks, folder)), suite.environment !== undefined),
    ),
  );
  const header: EvaluationHeader = {
    id: new Date().toISOString().replace(/[:.]/g, '-').replace('Z', ''),
    suite: suite.name,
    description: suite.description,
    began: Date.now(),
    tasksHash,
    fingerprint: fingerprintOf({ suite, tasksHash, graders, settings, repeats }),
    tasks: tasks.length,
    repeats,
    graders: graders.map(({ name, knows }) => ({ name, knows })),
    criteria: suite.criteria ?? {},
    baseline: options.baseline ?? suite.baseline ?? first.name,
    subject: options.subject ?? suite.subject ?? last.name,
    configurations: [],
    version: options.version ?? 'source',
  };
  const plan = { suite, tasks, configurations, folder, header };
  header.configurations = await summariesOf(configurations, plan);
  return plan;
}

/** For looking at a configuration without running it: it makes what it makes for the first task. */
function looking(tasks: readonly EvalTask[], folder: string): RunSetting {
  const [task] = tasks;
  if (!task) throw new UsageError('A suite without tasks cannot be evaluated.');
  return { task, repeat: 1, folder };
}

function summariesOf(of: readonly Configuration[], { suite, tasks, folder }: Plan): Promise<ConfigurationSummary[]> {
  return Promise.all(
    of.map((configuration) =>
      summaryOf(configuration, agentOptions(configuration, looking(tasks, folder)), suite.environment !== undefined),
    ),
  );
}

/** A new evaluation, or the one to go on with. */
function openEvaluation(
  { folder, header, tasks }: Plan,
  { fresh = false, retry = false }: EvaluateOptions,
): Evaluation {
  const earlier = fresh ? undefined : findEvaluation(folder, header.fingerprint, { ended: retry });
  if (earlier) {
    mendRecords(earlier.folder);
    return earlier;
  }
  const evaluation = { header, records: [], folder: join(folder, header.id) };
  writeTasks(evaluation.folder, tasks);
  writeHeader(evaluation.folder, header);
  return evaluation;
}
