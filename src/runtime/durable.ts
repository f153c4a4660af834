/**
 * Durable execution: agent code is plain async TypeScript, and every side effect and source of nondeterminism goes through
 * `Durable`. Contract (one suite for every host, `src/testing/durable-contract.ts`):
 *
 * 1. A step's key is `path/name#n`, the n-th use of that name in that path; there is no global counter.
 * 2. Results, live and replayed, are delivered one at a time in journal order, each when no microtask is left to run, so
 *    `Promise.all` and `race` replay the same. Between two operations agent code may only use microtasks.
 * 3. A journal that does not fit the code parks the run with `NondeterminismError`; it never fails it.
 * 4. Business failures are recorded values: the closure's error comes back as `StepFailedError`, live and replayed.
 * 5. Recorded exactly once, executed at least once. `at-most-once` steps raise `UncertainOutcomeError` after a death in the window.
 * 6. Cancelling rejects every pending operation with `CancelledError` and aborts the closures; cleanup steps after that still work.
 * 7. A run that only waits holds no coroutine: it is rebuilt by replay when a signal or timer arrives.
 * 8. A recorded result over `maxInlineBytes` goes to the blob store; the journal row holds the reference.
 */
import type { Step } from '../core/step.ts';

export type Settled<T> = { ok: true; value: T } | { ok: false; error: Error };

export interface Durable {
  readonly runId: string;
  /** '' for the run itself, `samples/1` inside a branch, `trial-2/samples/1` below a scope. */
  readonly path: string;
  /** What `random`, `uuid` and boundaries derive from. A fork inherits it, so its prompts stay the same. */
  readonly seed: string;
  /** The workflow version recorded when the run began; guard changes with it. */
  readonly codeVersion: number;
  /** Aborted on cancel. */
  readonly signal: AbortSignal;
  readonly step: Step;
  /** A sequential sub-path: its steps have keys of their own, whatever runs beside it. */
  scope(name: string): Durable;
  sleep(ms: number): Promise<void>;
  /** The value of a signal of this run. The first write wins; it may arrive before it is awaited; undefined on timeout. */
  waitFor<T>(signal: string, options?: { timeoutMs?: number }): Promise<T | undefined>;
  /** Runs the branches, at most `concurrency` (default 32) at once. Cancellation and nondeterminism reject; other errors settle. */
  parallel<T>(
    name: string,
    branches: readonly ((durable: Durable) => Promise<T>)[],
    options?: { concurrency?: number },
  ): Promise<Settled<T>[]>;
  /** A run of its own with its own journal, started once. Rejects with `StepFailedError` when it fails. */
  child<O>(workflow: string, name: string, input: unknown): Promise<O>;
  /** Time of the last journaled event this branch has seen, in milliseconds: synchronous and replayable. */
  now(): number;
  /** A number in [0, 1), from the seed and the path. */
  random(): number;
  uuid(): string;
}

export interface Workflow {
  name: string;
  version: number;
  run(durable: Durable, input: unknown): Promise<unknown>;
}

/** `parked`: the journal does not fit the code; a fixed version resumes it. */
export type RunState = 'running' | 'suspended' | 'parked' | 'completed' | 'failed' | 'cancelled';

export interface RunInfo {
  id: string;
  workflow: string;
  version: number;
  state: RunState;
  /** Signals the run waits for, when suspended. */
  waitingFor: string[];
  input: unknown;
  output?: unknown;
  error?: string;
  created: number;
  updated: number;
  forkedFrom?: string;
}

export interface JournalEntry {
  seq: number;
  key: string;
  /** The recorded value or failure. */
  value?: unknown;
  error?: { name: string; message: string };
  at: number;
}

/** What a run began with, so that a replay makes the same prompts. `seed` is no secret towards those who may read the run's prompts. */
export interface RunBeginning {
  workflow: string;
  version: number;
  seed: string;
  /** `now()` before the first entry, in milliseconds since the epoch. */
  began: number;
  input: unknown;
}

export interface ForkOptions {
  /** The `seq` of the last entry that the new run replays; 0 for none. */
  at: number;
  /** Default: the input of the recorded run. */
  input?: unknown;
  /** The workflow that goes on with it, which has to be registered. Default: the one that recorded it. */
  workflow?: string | undefined;
  /** What the entry `at` holds in the new run instead of the recorded value or failure. The entry has to be there. */
  last?: { value: unknown } | undefined;
}

/** The engine side: command line, server and tests use this and nothing else. */
export interface DurableHost {
  register(workflow: Workflow): void;
  /** `exists` when the id is taken: nothing is started. The input must be JSON. */
  start(workflow: string, runId: string, input: unknown): Promise<'started' | 'exists'>;
  /** Goes on with a run that is not finished and not live: after a crash, a suspension or a parking. Idempotent. */
  resume(runId: string): Promise<'resumed' | 'live' | 'finished' | 'no-such-run'>;
  signal(runId: string, name: string, value: unknown): Promise<'delivered' | 'already' | 'no-such-run'>;
  cancel(runId: string): Promise<void>;
  /** Resolves when the run is finished, suspended or parked, or when `waitMs` is over. */
  result(runId: string, options?: { waitMs?: number }): Promise<RunInfo>;
  info(runId: string): Promise<RunInfo | undefined>;
  /** Undefined for a run that is not there, or whose journal is no longer kept. */
  beginning(runId: string): Promise<RunBeginning | undefined>;
  /** Newest first. */
  list(query?: { state?: RunState; workflow?: string; limit?: number }): Promise<RunInfo[]>;
  journal(runId: string): AsyncIterable<JournalEntry>;
  /** A new run that replays the entries up to and including `at` and goes on live from there. It keeps seed, version and clock. */
  fork(runId: string, newRunId: string, options: ForkOptions): Promise<'started' | 'exists' | 'no-such-run'>;
  /** Stops the live runs where they stand (they resume later) and releases everything. */
  close(): Promise<void>;
}
