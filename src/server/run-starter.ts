/**
 * Starts runs and goes on with them.
 *
 * 1. A start is acknowledged after the host has written it, so a crash loses nothing that a client was told.
 * 2. A run that is live here holds a place of `Admission` until it ends, suspends or parks.
 * 3. The same idempotency key of the same tenant is the same run: its id is made from the key.
 */
import type { Observation } from '../core/attempt.ts';
import type { Limits } from '../core/budget.ts';
import { StateError, UsageError } from '../core/errors.ts';
import type { Json } from '../core/json.ts';
import type { Decision } from '../core/turn.ts';
import type { RunHandle } from '../run-handle.ts';
import type { RunIndex } from '../runtime/run-index.ts';
import { isFinished } from '../runtime/store.ts';
import { type Admission, draining, type Release } from './admission.ts';
import type { Agents, NamedAgent } from './agents.ts';
import { budgetFor, DailyBudgets, type Reservation } from './budgets.ts';
import type { Inspector } from './inspect/inspector.ts';
import type { LiveRuns } from './live-runs.ts';
import { Problem } from './problem.ts';
import type { OwnedRun, RunFinder } from './run-finder.ts';
import { isRunInput, keyedRunId, recordOf, requestHash, type ServerRecord, settingsWith } from './run-record.ts';
import { rowOf } from './run-view.ts';
import type { ForkBody, TaskBody } from './schemas.ts';
import type { ServerMetrics } from './server-metrics.ts';
import { checkedTask } from './task-body.ts';
import type { Principal } from './tokens.ts';

export interface RunStarterOptions {
  agents: Agents;
  finder: RunFinder;
  index: RunIndex;
  admission: Admission;
  live: LiveRuns;
  metrics: ServerMetrics;
  inspector: Inspector;
  /** Stored with each run, and those of single agents in their place. */
  settings?: { [key: string]: Json };
  agentSettings?: Readonly<Record<string, { [key: string]: Json }>>;
  onError(error: unknown): void;
}

export interface RunRequest {
  task: string | TaskBody;
  agent?: string | undefined;
  budget?: Limits | undefined;
}

/** A run that began, or the one that was there already. */
export interface Started {
  runId: string;
  /** An earlier request with the same idempotency key began it. */
  replayed: boolean;
  /** Absent when the run is not live in this process. */
  handle: RunHandle | undefined;
}

/** What makes a run begin, once it has a place. The handle comes in an object: a promise of a handle would be one of its Result. */
interface Beginning {
  runId: string;
  named: NamedAgent;
  launch(limits: Limits): { handle: RunHandle } | Promise<{ handle: RunHandle }>;
}

export class RunStarter {
  readonly #options: RunStarterOptions;
  readonly #daily: DailyBudgets;
  readonly #live: LiveRuns;
  readonly #keyed = new Map<string, Promise<unknown>>();

  constructor(options: RunStarterOptions) {
    this.#options = options;
    this.#live = options.live;
    this.#daily = new DailyBudgets(options.index);
  }

  /** Starts a run. The same key with another request is refused. */
  async start(principal: Principal, request: RunRequest, key?: string): Promise<Started> {
    const named = this.#options.agents.choose(principal.tenant, request.agent);
    const task = checkedTask(request.task);
    const limits = budgetFor(principal, named.agent, request.budget);
    const begin = (runId: string, hash?: string): Promise<Started> =>
      this.#beginNew(principal, limits, {
        runId,
        named,
        launch: (budget) => ({
          handle: named.agent.run(task, { runId, budget, settings: this.#settings(principal, named, hash) }),
        }),
      });
    if (key === undefined) return begin(crypto.randomUUID());
    const runId = keyedRunId(principal.tenant, key);
    const hash = requestHash({ task, agent: named.name, budget: request.budget ?? {} });
    const earlier = (): Promise<Started | undefined> => this.#earlier(principal, runId, hash);
    return this.#inTurn(runId, async () => {
      const found = await earlier();
      if (found) return found;
      try {
        return await begin(runId, hash);
      } catch (error) {
        // Another process may have begun it in between.
        const other = await earlier();
        if (other) return other;
        throw error;
      }
    });
  }

  /** Goes on with a run that stands still; with limits, from where a limit stopped it, as a new run. */
  async resume(principal: Principal, runId: string, budget?: Limits): Promise<Started> {
    const owned = await this.#options.finder.get(principal, runId);
    const { agent, run } = owned;
    const ended = isFinished(run.state);
    if (budget !== undefined) {
      if (ended) return this.#extend(principal, owned, budget);
      throw new UsageError(`The run ${runId} has not ended, so it goes on under its own limits: give no budget.`);
    }
    if (ended) throw new UsageError(`The run ${runId} has ended. Fork it, or give a budget if a limit stopped it.`);
    const handle = this.#live.get(runId);
    if (handle) return { runId, replayed: false, handle };
    const release = await this.#options.admission.acquire();
    return this.#begin(
      { runId, named: owned, launch: () => ({ handle: agent.resume(runId) }) },
      { release, created: false },
    );
  }

  /** A new run that repeats the journal of this one up to `at` and goes on from there, perhaps with another agent. */
  async fork(principal: Principal, runId: string, body: ForkBody): Promise<Started> {
    const { at, task, budget, observation } = body;
    const owned = await this.#options.finder.get(principal, runId);
    const { input } = owned.run;
    if (!isRunInput(input)) throw new UsageError(`The run ${runId} has no task, so there is nothing to fork.`);
    const named = body.agent === undefined ? owned : this.#options.agents.beside(principal.tenant, owned, body.agent);
    // What the request leaves out stays as it was.
    const changed = task && checkedTask({ ...input.task, ...defined(task) } as TaskBody);
    const id = observation && (await this.#observationAt(owned, at));
    const forkedId = crypto.randomUUID();
    return this.#beginNew(principal, budgetFor(principal, named.agent, budget ?? input.budget), {
      runId: forkedId,
      named,
      launch: (bounded) => ({
        handle: named.agent.fork(runId, {
          at,
          runId: forkedId,
          budget: bounded,
          settings: this.#settings(principal, named),
          ...(changed && { task: changed }),
          ...(observation && id && { observation: { id, content: observation.content } }),
        }),
      }),
    });
  }

  async #observationAt(owned: OwnedRun, at: number): Promise<Observation['id']> {
    const made = (await this.#options.inspector.observations(owned)).find(({ seq }) => seq === at);
    if (made) return made.observation.id;
    throw new Problem({
      status: 422,
      code: 'no-observation',
      title: 'The step made no observation',
      detail: `The journal entry ${at} of the run is no tool step that made an observation, so there is nothing to replace.`,
      remedy: `Choose a step with an \`observation\`: GET /v1/runs/${owned.run.id}/steps lists them.`,
    });
  }

  /** Asks a run to end. Nothing happens to one that has ended. */
  async cancel(principal: Principal, runId: string): Promise<void> {
    const owned = await this.#options.finder.get(principal, runId);
    if (this.#options.admission.closed) throw draining();
    if (isFinished(owned.run.state)) return;
    await owned.agent.host.cancel(runId);
    this.#follow(owned);
  }

  /** Records a decision, which wakes the run. The first one holds. */
  async record(owned: OwnedRun, signal: string, decision: Decision): Promise<'delivered' | 'already' | 'no-such-run'> {
    if (this.#options.admission.closed) throw draining();
    const recorded = await owned.agent.decide(owned.run.id, signal, decision);
    if (!isFinished(owned.run.state)) this.#follow(owned);
    return recorded;
  }

  /** Takes up the runs that a crash or a stop left, as places become free. The number of them. */
  async recover(): Promise<number> {
    const interrupted = (await this.#options.finder.running()).filter(({ run }) => !this.#live.get(run.id));
    for (const named of interrupted) {
      const { id } = named.run;
      this.#options.admission
        .acquire({ patient: true })
        .then((release) =>
          this.#begin(
            { runId: id, named, launch: () => ({ handle: named.agent.resume(id) }) },
            { release, created: false },
          ),
        )
        .catch((error: unknown) => {
          // Another process has it, or this one goes down: then it is taken up later.
          if (!(error instanceof StateError || error instanceof Problem)) this.#options.onError(error);
        });
    }
    return interrupted.length;
  }

  #extend(principal: Principal, owned: OwnedRun, budget: Limits): Promise<Started> {
    const { agent, run } = owned;
    const before = isRunInput(run.input) ? run.input.budget : {};
    const limits = budgetFor(principal, agent, { ...before, ...budget });
    const runId = crypto.randomUUID();
    const settings = this.#settings(principal, owned);
    const launch = (bounded: Limits): { handle: RunHandle } => ({
      handle: agent.extend(run.id, { runId, budget: bounded, settings }),
    });
    return this.#beginNew(principal, limits, { runId, named: owned, launch });
  }

  /** The run of an idempotency key, if there is one. */
  async #earlier(principal: Principal, runId: string, hash: string): Promise<Started | undefined> {
    const owned = await this.#options.finder.lookUp(principal, runId);
    if (!owned) return undefined;
    if (recordOf(owned.run)?.request === hash) return { runId, replayed: true, handle: this.#live.get(runId) };
    throw new Problem({
      status: 422,
      code: 'idempotency-key',
      title: 'The idempotency key was used for another request',
      detail: 'A run was started with this Idempotency-Key and another body.',
      remedy: 'Send the same body again, or another key.',
    });
  }

  async #beginNew(principal: Principal, limits: Limits, beginning: Beginning): Promise<Started> {
    const reservation = await this.#daily.reserve(principal, limits);
    try {
      const release = await this.#options.admission.acquire();
      return await this.#begin(beginning, { release, created: true, reservation });
    } catch (error) {
      reservation.cancel();
      throw error;
    }
  }

  async #begin(
    { runId, named, launch }: Beginning,
    place: { release: Release; created: boolean; reservation?: Reservation },
  ): Promise<Started> {
    const { release, created, reservation } = place;
    try {
      const { handle } = await launch(reservation?.limits ?? {});
      await handle.begun;
      const written = reservation && this.#write(named, runId, reservation);
      this.#live.add(named, { handle, release, written });
      if (created) this.#options.metrics.runStarted(named.name);
      return { runId, replayed: false, handle };
    } catch (error) {
      release();
      throw error;
    }
  }

  async #write(named: NamedAgent, runId: string, reservation: Reservation): Promise<void> {
    try {
      const run = await named.agent.host.info(runId);
      const row = run && rowOf(run, { agent: named.name, status: 'running' });
      if (row) await reservation.settle(row);
    } catch (error) {
      // The run is on its way, and a look at it puts the index right.
      reservation.cancel();
      this.#options.onError(error);
    }
  }

  /** Follows a run that a decision or a cancellation woke. */
  #follow(owned: OwnedRun): void {
    const { id } = owned.run;
    if (this.#live.get(id)) return;
    this.#live.add(owned, { handle: owned.agent.resume(id), release: this.#options.admission.adopt() });
  }

  #settings({ tenant, id }: Principal, { name }: NamedAgent, request?: string): Json {
    const record: ServerRecord = { tenant, principal: id, request };
    const { settings = {}, agentSettings = {} } = this.#options;
    return settingsWith((Object.hasOwn(agentSettings, name) && agentSettings[name]) || settings, record);
  }

  /** One start at a time for one idempotency key. */
  async #inTurn<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#keyed.get(key) ?? Promise.resolve();
    const mine = before.then(work, work);
    this.#keyed.set(key, mine);
    try {
      return await mine;
    } finally {
      if (this.#keyed.get(key) === mine) this.#keyed.delete(key);
    }
  }
}

function defined(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, field]) => field !== undefined));
}
