/**
 * Who runs the runs of one host.
 *
 * 1. A run is launched only after the store said that it is this host's, and at most once at a time.
 * 2. A run that ended is released in one change with its new state; those who wait are told after that is durable.
 * 3. A signal or a cancellation written while a run was being suspended wakes it at once: after the release the store is
 *    asked again.
 * 4. While runs are live, writes of other processes are noticed by polling.
 */
import { CancelledError, messageOf, StateError, UsageError } from '../core/errors.ts';
import { Context } from './context.ts';
import type { Workflow } from './durable.ts';
import { type Ending, type Release, releaseOf } from './ending.ts';
import type { Limiter } from './limiter.ts';
import { LiveRun, type RunKeeper } from './live-run.ts';
import { ChildOperation } from './operation.ts';
import { type Change, isFinished, type JournalStore, type NewRun, processOf, type RunRecord } from './store.ts';
import { Waiters } from './waiters.ts';
import { WakeTimers } from './wake-timers.ts';

const retryWakeMs = 5_000;

export interface SupervisorOptions {
  store: JournalStore;
  limiter: Limiter;
  suspendAfterMs: number;
  pollMs: number;
}

type Claim = 'claimed' | 'live' | 'finished' | 'owned';

export class Supervisor implements RunKeeper {
  readonly store: JournalStore;
  readonly limiter: Limiter;
  readonly suspendAfterMs: number;
  readonly waiters: Waiters = new Waiters();
  readonly #pollMs: number;
  readonly #workflows = new Map<string, Workflow>();
  readonly #live = new Map<string, LiveRun>();
  readonly #wakeTimers = new WakeTimers();
  /** Runs whose store failed, until they are taken up again. */
  readonly #halted = new Map<string, StateError>();
  #poll: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: SupervisorOptions) {
    this.store = options.store;
    this.limiter = options.limiter;
    this.suspendAfterMs = options.suspendAfterMs;
    this.#pollMs = options.pollMs;
  }

  register(workflow: Workflow): void {
    this.#workflows.set(workflow.name, workflow);
  }

  workflow(name: string): Workflow {
    const workflow = this.#workflows.get(name);
    if (workflow) return workflow;
    const known = [...this.#workflows.keys()].join(', ') || 'none';
    throw new UsageError(`there is no workflow "${name}" here: register it first (registered: ${known})`);
  }

  live(id: string): LiveRun | undefined {
    return this.#live.get(id);
  }

  /** Resolves when the change is durable, to whether it had an effect. */
  commit(change: Change): Promise<boolean> {
    return new Promise((resolve, reject) => this.store.write(change, { committed: resolve, failed: reject }));
  }

  async create(run: NewRun, copy?: Extract<Change, { type: 'create' }>['copy']): Promise<boolean> {
    const created = await this.commit({ type: 'create', run, copy });
    if (created) this.#launch(run.id);
    return created;
  }

  /** Throws what stopped the run, unless it was taken up since. */
  assertNotHalted(id: string): void {
    const error = this.#halted.get(id);
    if (error) throw error;
  }

  /** Makes the run this host's and goes on with it. */
  async takeUp(id: string): Promise<Claim> {
    const claim = await this.#claim(id);
    if (claim === 'claimed') this.#launch(id);
    return claim;
  }

  async cancel(kept: RunRecord): Promise<void> {
    await this.commit({ type: 'cancel', run: kept.n });
    const live = this.#live.get(kept.id);
    if (live) live.cancel();
    else if (kept.state !== 'parked' && this.#workflows.has(kept.workflow)) await this.takeUp(kept.id);
    else if ((await this.#claim(kept.id)) === 'claimed') {
      // Its code is not here or does not fit, so there is nobody to clean up.
      this.#release(kept, { state: 'cancelled', error: new CancelledError().message });
    }
  }

  /** A signal of the run was written, or its child has finished. */
  async signalled(id: string): Promise<void> {
    const live = this.#live.get(id);
    if (live) live.checkWaits();
    else await this.#wake(id);
  }

  close(error: Error): void {
    this.#closed = true;
    for (const run of [...this.#live.values()]) run.end({ type: 'closed' });
    this.#wakeTimers.clearAll();
    clearInterval(this.#poll);
    this.waiters.failAll(error);
  }

  ended(run: LiveRun, ending: Ending): void {
    this.#live.delete(run.id);
    this.#watch();
    if (ending.type === 'closed') return;
    if (ending.type === 'halted') {
      this.#fail(run.id, ending.error);
      this.#parentOf(run.kept)?.childOperation(run.id)?.setIdle(true);
    } else this.#release(run.kept, releaseOf(ending));
  }

  beginChild(run: LiveRun, child: ChildOperation): void {
    this.#startChild(run, child).catch((error) => {
      if (error instanceof StateError) run.end({ type: 'halted', error });
      else child.fail(error instanceof Error ? error.name : 'Error', messageOf(error));
    });
  }

  cancelChild(run: LiveRun, child: ChildOperation): void {
    const cancel = async (): Promise<void> => {
      const kept = this.store.find(childId(run, child));
      // A child that is just being created is cancelled by `#startChild`.
      if (kept && !isFinished(kept.state)) await this.cancel(kept);
    };
    // A store that fails now halts the child itself.
    cancel().catch(() => undefined);
  }

  async #startChild(run: LiveRun, child: ChildOperation): Promise<void> {
    const id = childId(run, child);
    const { version } = this.workflow(child.workflow);
    const kept = this.store.find(id);
    if (kept) return this.#rejoinChild(id, child);
    const now = Date.now();
    const created = await this.create({
      id,
      workflow: child.workflow,
      version,
      input: JSON.stringify(child.input),
      created: now,
      began: now,
      seed: `${run.kept.seed}/${child.key}`,
      parent: run.id,
    });
    if (!created) return this.#rejoinChild(id, child);
    const made = this.store.find(id);
    if (made && run.signal.aborted && !run.isOver && run.childOperation(id) !== child) await this.cancel(made);
  }

  async #rejoinChild(id: string, child: ChildOperation): Promise<void> {
    const claim = await this.takeUp(id);
    const kept = this.store.find(id);
    if (claim === 'finished' && kept) child.finish(kept);
    else if (claim === 'owned') child.setIdle(true);
  }

  async #claim(id: string): Promise<Claim> {
    for (;;) {
      if (this.#live.has(id)) return 'live';
      const before = this.store.find(id);
      if (!before || isFinished(before.state)) return 'finished';
      const claimed = await this.commit({ type: 'claim', run: before.n });
      const after = this.store.find(id);
      if (this.#live.has(id)) return 'live';
      if (!after || isFinished(after.state)) return 'finished';
      if (!claimed) return 'owned';
      // Otherwise it was suspended in the same transaction, behind the claim.
      if (after.state === 'running') return 'claimed';
    }
  }

  #launch(id: string): void {
    const kept = this.#closed || this.#live.has(id) ? undefined : this.store.find(id);
    if (!kept) return;
    const workflow = this.workflow(kept.workflow);
    this.#wakeTimers.clear(id);
    const run = new LiveRun(kept, this);
    this.#live.set(id, run);
    this.#halted.delete(id);
    this.#watch();
    this.#parentOf(kept)?.childOperation(id)?.setIdle(false);
    const context = new Context(run, '', { at: kept.began });
    const input: unknown = kept.input === undefined ? undefined : JSON.parse(kept.input);
    const coroutine = async (): Promise<unknown> => workflow.run(context, input);
    run.follow(coroutine());
  }

  #release(kept: RunRecord, release: Release): void {
    const { state, waitingFor = [], wakeAt, output, error } = release;
    const updated = Date.now();
    this.store.write(
      { type: 'release', run: kept.n, state, waitingFor, wakeAt, output, error, updated },
      {
        committed: () => this.#released({ ...kept, ...release }),
        failed: (failure) => this.#fail(kept.id, failure),
      },
    );
  }

  #fail(id: string, error: StateError): void {
    this.#halted.set(id, error);
    this.waiters.fail(id, error);
  }

  #released(kept: RunRecord): void {
    if (this.#closed) return;
    const parent = this.#parentOf(kept);
    const operation = parent?.childOperation(kept.id);
    if (isFinished(kept.state)) {
      operation?.finish(kept);
      if (!parent && kept.parent !== undefined) void this.signalled(kept.parent);
    } else operation?.setIdle(true);
    if (kept.state === 'suspended') void this.#suspended(kept);
    this.waiters.notify(kept.id);
  }

  async #suspended(kept: RunRecord): Promise<void> {
    if (kept.wakeAt !== undefined) this.#wakeTimers.set(kept.id, kept.wakeAt, () => void this.#wake(kept.id));
    try {
      const missed = kept.waitingFor.some((name) => this.store.signal(kept.n, name) !== undefined);
      const cancelled = !kept.cancelRequested && this.store.find(kept.id)?.cancelRequested;
      if (missed || cancelled) await this.#wake(kept.id);
    } catch (error) {
      this.waiters.fail(kept.id, stateErrorOf(error));
    }
  }

  /** Goes on with a suspended run. When another process has it or knows its workflow, it is theirs to wake. */
  async #wake(id: string): Promise<void> {
    if (this.#closed) return;
    try {
      const kept = this.store.find(id);
      if (kept?.state === 'suspended' && this.#workflows.has(kept.workflow)) await this.takeUp(id);
    } catch (error) {
      if (this.#closed) return;
      this.waiters.fail(id, stateErrorOf(error));
      this.#wakeTimers.set(id, Date.now() + retryWakeMs, () => void this.#wake(id));
    }
  }

  #parentOf(kept: RunRecord): LiveRun | undefined {
    return kept.parent === undefined ? undefined : this.#live.get(kept.parent);
  }

  #watch(): void {
    if (this.#live.size === 0) {
      clearInterval(this.#poll);
      this.#poll = undefined;
    } else this.#poll ??= setInterval(() => this.#lookElsewhere(), this.#pollMs).unref();
  }

  #lookElsewhere(): void {
    try {
      if (!this.store.changedElsewhere()) return;
      for (const id of this.store.cancelRequests()) this.#live.get(id)?.cancel();
      for (const run of [...this.#live.values()]) {
        run.checkWaits();
        for (const child of run.waitingIn(ChildOperation)) if (child.idle) this.#checkChild(childId(run, child), child);
      }
    } catch {
      // A read that fails here is tried again at the next poll; a store that stays broken fails the next write.
    }
  }

  #checkChild(id: string, child: ChildOperation): void {
    const kept = this.store.find(id);
    if (kept && isFinished(kept.state)) child.finish(kept);
  }
}

function stateErrorOf(error: unknown): StateError {
  return error instanceof StateError ? error : new StateError(messageOf(error), { cause: error });
}

/** The refusal to touch a run that another process executes. */
export function ownedElsewhere(kept: RunRecord | undefined): StateError {
  const id = kept?.id ?? '?';
  const process = kept?.owner === undefined ? 'another process' : `process ${processOf(kept.owner)}`;
  return new StateError(`run ${id} is being executed by ${process}: wait for it or stop that process, then try again`);
}

function childId(run: LiveRun, child: ChildOperation): string {
  return `${run.id}/${child.key}`;
}
