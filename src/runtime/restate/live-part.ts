import { messageOf, UsageError } from '../../core/errors.ts';
import { Context } from '../context.ts';
import type { Workflow } from '../durable.ts';
import { type Ending, releaseOf } from '../ending.ts';
import type { Limiter } from '../limiter.ts';
import { LiveRun, type RunKeeper } from '../live-run.ts';
import type { ChildOperation, Operation, Outcome } from '../operation.ts';
import type { RunRecord } from '../store.ts';
import { AttemptJournal } from './attempt-journal.ts';
import { type Batch, type LoggedEntry, type RunEnd, type RunStart, runStart, type ValueStore } from './run-log.ts';
import type { Sdk } from './sdk.ts';
import type { ServiceNames } from './service-names.ts';

/** What a worker gives to every attempt. */
export interface AttemptServices {
  readonly sdk: Sdk;
  readonly workflows: ReadonlyMap<string, Workflow>;
  readonly limiter: Limiter;
  readonly values: ValueStore;
  readonly names: ServiceNames;
  readonly suspendAfterMs: number;
  /** How often an open closure comes back empty-handed. */
  readonly heartbeatMs: number;
}

/** The part of an attempt in which the agent's code runs. Nothing in it may ask the engine for anything: it is not there in a replay. */
export class LivePart implements RunKeeper {
  readonly store: AttemptJournal;
  readonly limiter: Limiter;
  readonly suspendAfterMs: number;
  /** How often the run was woken; counted in the replay too. */
  wakes: number = 0;
  readonly #kept: RunRecord;
  readonly #workflow: Workflow;
  readonly #start: RunStart;
  readonly #services: AttemptServices;
  readonly #requested = new Set<string>();
  /** How the children that are over have ended. */
  readonly #childEnds = new Map<string, RunEnd>();
  #run: LiveRun | undefined;
  #parked: string | undefined;

  constructor(id: string, workflow: Workflow, start: RunStart, services: AttemptServices) {
    this.#kept = keptRun(id, workflow, start);
    this.#workflow = workflow;
    this.#start = start;
    this.#services = services;
    this.store = new AttemptJournal(this.#kept, services.values);
    this.limiter = services.limiter;
    this.suspendAfterMs = services.suspendAfterMs;
  }

  /** Takes over the entries that a fork begins with. */
  async takeOver(prefix: RunStart['prefix']): Promise<void> {
    const entries = prefix && (await this.#services.values.read(prefix));
    // A host wrote it, as the entries of another run.
    if (entries) await this.store.recorded({ entries: entries.read() as LoggedEntry[] });
  }

  /** The next batch, as JSON text. The first call begins the live part; a run that was parked in it pauses the attempt. */
  async fetch(): Promise<string> {
    if (this.#parked !== undefined && !this.store.hasSomething) throw new this.#services.sdk.PauseError(this.#parked);
    if (!this.#run && !this.store.hasSomething) this.#begin();
    return this.store.fetch(this.#services.heartbeatMs);
  }

  async recorded(batch: Batch): Promise<void> {
    for (const { key } of batch.children ?? []) this.#requested.add(key);
    await this.store.recorded(batch);
  }

  signalled(name: string, value: unknown): void {
    this.store.arrive(name, value);
    this.#run?.checkWaits();
  }

  async childEnded(key: string, end: RunEnd): Promise<void> {
    this.#childEnds.set(key, end);
    const child = this.#run?.childOperation(`${this.#kept.id}/${key}`);
    if (child) await this.#finish(child, end);
  }

  cancel(): void {
    this.#kept.cancelRequested = true;
    this.#run?.cancel();
  }

  /** The attempt is over: the engine goes on with another one, perhaps elsewhere. */
  close(): void {
    this.#run?.end({ type: 'closed' });
  }

  ended(run: LiveRun, ending: Ending): void {
    if (run !== this.#run) return;
    this.#run = undefined;
    if (ending.type === 'halted') this.store.fail(ending.error);
    else if (ending.type === 'parked') this.#park(ending.error.message);
    else if (ending.type === 'suspended') {
      const { waitingFor, wakeAt } = ending;
      this.store.tell({ idle: { waitingFor, wakeAt, wakes: this.wakes, at: Date.now() } });
    } else if (ending.type !== 'closed') this.#finished(ending);
  }

  beginChild(run: LiveRun, child: ChildOperation): void {
    const end = this.#childEnds.get(child.key);
    if (end) {
      void this.#finish(child, end);
      return;
    }
    try {
      if (!this.#requested.has(child.key)) this.#request(run, child);
      child.setIdle(true);
    } catch (error) {
      child.fail(error instanceof Error ? error.name : 'Error', messageOf(error));
    }
  }

  cancelChild(): void {
    // The engine is asked to when it has recorded the cancellation.
  }

  #begin(): void {
    const { version, name } = this.#workflow;
    if (this.#start.version > version) {
      this.#park(
        `run ${this.#kept.id} began with version ${this.#start.version} of the workflow "${name}", and this worker has version ${version}. Resume it when a worker with version ${this.#start.version} or a newer one is registered`,
      );
      return;
    }
    const run = new AttemptedRun(this.#kept, this, this.#services.values);
    this.#run = run;
    const context = new Context(run, '', { at: this.#kept.began });
    run.follow((async () => this.#workflow.run(context, this.#start.input))());
  }

  #park(why: string): void {
    this.#parked = why;
    this.store.tell({ parked: why });
  }

  #finished(ending: Extract<Ending, { type: 'returned' | 'threw' }>): void {
    const { state, output, error } = releaseOf(ending);
    const at = Date.now();
    const problem = this.#services.values.tooLarge(output);
    if (problem === undefined) this.store.tell({ ended: { state, at, output, ...(error !== undefined && { error }) } });
    else this.store.tell({ ended: { state: 'failed', at, error: `the workflow's output is too large: ${problem}` } });
  }

  #request(run: LiveRun, child: ChildOperation): void {
    const { workflows } = this.#services;
    const workflow = workflows.get(child.workflow);
    if (!workflow) {
      const known = [...workflows.keys()].join(', ') || 'none';
      throw new UsageError(`there is no workflow "${child.workflow}" here: register it first (registered: ${known})`);
    }
    const { name, version } = workflow;
    const now = Date.now();
    const place = { seed: `${run.kept.seed}/${child.key}`, parent: run.id, created: now, began: now };
    // What is not JSON fails here and not on its way to the engine.
    JSON.stringify(child.input);
    this.store.startChild({ key: child.key, workflow: name, start: runStart({ ...place, version }, child.input) });
  }

  async #finish(child: ChildOperation, { state, output, error }: RunEnd): Promise<void> {
    try {
      const value = output && (await this.#services.values.read(output));
      child.finish({ ...this.#kept, id: `${this.#kept.id}/${child.key}`, state, output: value, error });
    } catch (failure) {
      this.store.fail(failure instanceof Error ? failure : new Error(String(failure)));
    }
  }
}

/** A run whose results have to fit into the engine's messages: one that does not is a failure of its step, once. */
class AttemptedRun extends LiveRun {
  readonly #values: ValueStore;

  constructor(kept: RunRecord, keeper: RunKeeper, values: ValueStore) {
    super(kept, keeper);
    this.#values = values;
  }

  override record(operation: Operation, outcome: Outcome): void {
    const problem = this.#values.tooLarge(outcome.value);
    super.record(operation, problem === undefined ? outcome : { error: { name: 'PayloadTooLarge', message: problem } });
  }
}

function keptRun(id: string, workflow: Workflow, start: RunStart): RunRecord {
  const { version, seed, created, began, parent } = start;
  const place = { n: 1, id, workflow: workflow.name, version, seed, created, began, parent };
  return { ...place, state: 'running', waitingFor: [], updated: created, cancelRequested: false };
}
