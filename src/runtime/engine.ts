import { StateError, UsageError } from '../core/errors.ts';
import type { DurableHost, ForkOptions, JournalEntry, RunBeginning, RunInfo, Workflow } from './durable.ts';
import { longestTimer } from './execute-step.ts';
import { assertForkable, noSuchEntry } from './fork-place.ts';
import { Limiter, type StepLimits } from './limiter.ts';
import { record } from './recorded.ts';
import {
  type Entry,
  isFinished,
  type JournalStore,
  type NewRun,
  type Prefix,
  type RunQuery,
  type RunRecord,
} from './store.ts';
import { ownedElsewhere, Supervisor } from './supervisor.ts';

/** What every host can be told. */
export interface EngineOptions {
  /** A run that only waits for this long is dropped from memory. Default 1,000. */
  suspendAfterMs?: number | undefined;
  /** Steps with this `limit.key` share so many slots, in this process. */
  limits?: StepLimits | undefined;
  /** How often writes of other processes are looked for while runs are live. Default 200. */
  pollMs?: number | undefined;
  /** The seed of a new run. Default: random, so that no content can guess a boundary made from it. */
  seed?: ((runId: string) => string) | undefined;
}

const entriesAtOnce = 500;

/** The journaled engine: a `DurableHost` over any `JournalStore`. */
export class Engine implements DurableHost {
  readonly #store: JournalStore;
  readonly #runs: Supervisor;
  readonly #pollMs: number;
  readonly #seed: (runId: string) => string;
  #closed = false;

  constructor(store: JournalStore, options: EngineOptions = {}) {
    this.#store = store;
    this.#pollMs = options.pollMs ?? 200;
    this.#seed = options.seed ?? (() => crypto.randomUUID());
    this.#runs = new Supervisor({
      store,
      limiter: new Limiter(options.limits),
      suspendAfterMs: Math.min(options.suspendAfterMs ?? 1000, longestTimer),
      pollMs: this.#pollMs,
    });
  }

  register(workflow: Workflow): void {
    this.#runs.register(workflow);
  }

  async start(workflow: string, runId: string, input: unknown): Promise<'started' | 'exists'> {
    this.#assertOpen();
    if (runId === '') throw new UsageError('a run needs an id: pass a name that is not empty');
    const { version } = this.#runs.workflow(workflow);
    const text = jsonText(input, 'the input of a run');
    const now = Date.now();
    return this.#create({
      id: runId,
      workflow,
      version,
      input: text,
      created: now,
      began: now,
      seed: this.#seed(runId),
    });
  }

  async resume(runId: string): Promise<'resumed' | 'live' | 'finished' | 'no-such-run'> {
    const kept = this.#find(runId);
    if (!kept) return 'no-such-run';
    if (isFinished(kept.state)) return 'finished';
    this.#runs.workflow(kept.workflow);
    const claim = await this.#runs.takeUp(runId);
    if (claim === 'owned') throw ownedElsewhere(this.#find(runId));
    return claim === 'claimed' ? 'resumed' : claim;
  }

  async signal(runId: string, name: string, value: unknown): Promise<'delivered' | 'already' | 'no-such-run'> {
    const kept = this.#find(runId);
    if (!kept) return 'no-such-run';
    const text = jsonText(value, `the value of signal "${name}"`) ?? 'null';
    const first = await this.#runs.commit({ type: 'signal', run: kept.n, name, value: text, at: Date.now() });
    // Also when it was written before: whoever wrote it may not have known the workflow, or died before waking the run.
    if (!this.#closed) await this.#runs.signalled(runId);
    return first ? 'delivered' : 'already';
  }

  async cancel(runId: string): Promise<void> {
    const kept = this.#existing(runId);
    if (!isFinished(kept.state)) await this.#runs.cancel(kept);
  }

  async result(runId: string, options: { waitMs?: number } = {}): Promise<RunInfo> {
    const deadline = Date.now() + (options.waitMs ?? Number.POSITIVE_INFINITY);
    for (;;) {
      const kept = this.#existing(runId);
      const isLive = this.#runs.live(runId) !== undefined;
      const left = deadline - Date.now();
      if ((kept.state !== 'running' && !isLive) || left <= 0) return infoOf(kept);
      if (kept.owner === this.#store.owner) this.#runs.assertNotHalted(runId);
      if (!isLive) this.#assertExecuted(kept);
      // Only this host's own runs announce their end.
      const ms = isLive ? left : Math.min(left, this.#pollMs);
      await this.#runs.waiters.next(runId, Number.isFinite(ms) ? Math.min(ms, longestTimer) : undefined);
    }
  }

  async info(runId: string): Promise<RunInfo | undefined> {
    const kept = this.#find(runId);
    return kept && infoOf(kept);
  }

  async beginning(runId: string): Promise<RunBeginning | undefined> {
    const kept = this.#find(runId);
    if (!kept) return undefined;
    const { workflow, version, seed, began, input } = kept;
    return { workflow, version, seed, began, input: parsed(input) };
  }

  async list(query: RunQuery = {}): Promise<RunInfo[]> {
    this.#assertOpen();
    return this.#store.list(query).map(infoOf);
  }

  async *journal(runId: string): AsyncGenerator<JournalEntry> {
    const { n } = this.#existing(runId);
    for (let after = 0; ; ) {
      this.#assertOpen();
      const entries = this.#store.entries(n, after, entriesAtOnce);
      for (const entry of entries) yield journalEntryOf(entry);
      const last = entries.at(-1);
      if (!last || entries.length < entriesAtOnce) return;
      after = last.seq;
    }
  }

  async fork(runId: string, newRunId: string, options: ForkOptions): Promise<'started' | 'exists' | 'no-such-run'> {
    const origin = this.#find(runId);
    if (!origin) return 'no-such-run';
    assertForkable(options.at);
    const { version, began, seed } = origin;
    const workflow = options.workflow ?? origin.workflow;
    this.#runs.workflow(workflow);
    const input = jsonText(options.input, 'the input of a run') ?? origin.input;
    const fork = { id: newRunId, workflow, version, input, created: Date.now(), began, seed, forkedFrom: runId };
    return this.#create(fork, this.#prefix(origin, options));
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#runs.close(closedError());
    this.#store.close();
  }

  async #create(run: NewRun, copy?: Prefix): Promise<'started' | 'exists'> {
    return (await this.#runs.create(run, copy)) ? 'started' : 'exists';
  }

  #prefix({ n, id }: RunRecord, { at, last }: ForkOptions): Prefix {
    if (!last) return { from: n, upTo: at };
    const entry = at > 0 ? this.#store.entries(n, at - 1, 1)[0] : undefined;
    if (!entry) throw noSuchEntry(id, at);
    const { seq, key, at: time } = entry;
    jsonText(last.value, 'the value of a journal entry');
    return { from: n, upTo: at - 1, last: { seq, key, at: time, value: record(last.value) } };
  }

  #find(runId: string): RunRecord | undefined {
    this.#assertOpen();
    return this.#store.find(runId);
  }

  #existing(runId: string): RunRecord {
    const kept = this.#find(runId);
    if (!kept) throw new StateError(`there is no run "${runId}": list the runs to see their ids`);
    return kept;
  }

  #assertOpen(): void {
    if (this.#closed) throw closedError();
  }

  /** A run whose process died stays `running` in the store, but nobody would ever announce its end. */
  #assertExecuted(kept: RunRecord): void {
    if (kept.owner === this.#store.owner || (kept.owner !== undefined && this.#store.isAlive(kept.owner))) return;
    throw new StateError(`run ${kept.id} was interrupted and nobody executes it: resume it`);
  }
}

function closedError(): StateError {
  return new StateError('the host is closed: open it again; its unfinished runs can be resumed');
}

function jsonText(value: unknown, what: string): string | undefined {
  try {
    return JSON.stringify(value);
  } catch (error) {
    throw new UsageError(`${what} must be JSON: ${String(error)}`, { cause: error });
  }
}

function parsed(text: string | undefined): unknown {
  return text === undefined ? undefined : JSON.parse(text);
}

/** An entry as readers of a journal are given it. */
export function journalEntryOf({ seq, key, value, error, at }: Entry): JournalEntry {
  return { seq, key, at, ...(value && { value: value.read() }), ...(error && { error }) };
}

function infoOf(kept: RunRecord): RunInfo {
  const { id, workflow, version, state, waitingFor, created, updated, output, error, forkedFrom } = kept;
  return {
    id,
    workflow,
    version,
    state,
    waitingFor,
    created,
    updated,
    input: parsed(kept.input),
    ...(output && { output: output.read() }),
    ...(error !== undefined && { error }),
    ...(forkedFrom !== undefined && { forkedFrom }),
  };
}
