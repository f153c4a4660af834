/** The composition root: chooses defaults, wires the ports, and turns every ending, thrown ones too, into a Result. */

import { type AgentOptions, type ForkRunOptions, parseTask, type RunOptions, type TaskInput } from './agent-options.ts';
import { Budget, checkedLimits, defaultLimits, type Limits } from './core/budget.ts';
import { messageOf, NondeterminismError, UsageError } from './core/errors.ts';
import type { RunEvent } from './core/event.ts';
import type { Result } from './core/result.ts';
import type { Decision } from './core/turn.ts';
import { editedOutcome, marksOf } from './edit-observation.ts';
import { describeSizes, sizedByWorker, sizeIn, sizesOf, sizesOfRun } from './model/model-size.ts';
import { cachedPrices, requirePrices } from './model/prices.ts';
import { modelRoles } from './model/roles.ts';
import { type Execution, RunHandle, type RunHandleOptions } from './run-handle.ts';
import type { RunInput } from './run-input.ts';
import type { Durable, DurableHost, ForkOptions } from './runtime/durable.ts';
import { inMemoryHost } from './runtime/in-memory.ts';
import { resultOf, thrownResult } from './solver/outcome.ts';
import { react } from './solver/react/react.ts';
import { resumePoint } from './solver/resume-point.ts';
import { createRun, type RunServices, type Witness } from './solver/run.ts';
import { compose, type Kept, type NamedSolver, requireLocalLayers } from './solver/solver.ts';
import { normaliseOutput } from './tools/normalise.ts';
import { checkedPolicy } from './tools/policy/checked-policy.ts';
import { type Policy, permitOf } from './tools/policy/policy.ts';
import { toolMap } from './tools/tool-map.ts';
import { fanOut } from './trace/fan-out.ts';
import { followRun } from './trace/follow-run.ts';
import { type Redactor, redactor } from './trace/redact.ts';

export type { AgentOptions, ForkRunOptions, RunOptions, TaskInput } from './agent-options.ts';
export type { RunInput } from './run-input.ts';

/** Increased when the order or the names of journaled steps change, or what is stored with a run. */
const codeVersion = 3;

/** Where a run branches off, and what is different from there on. */
interface BranchPlace extends Pick<ForkOptions, 'at' | 'last'> {
  changes: Partial<RunInput>;
}

export class Agent {
  readonly options: AgentOptions;
  readonly host: DurableHost;
  readonly #name: string;
  readonly #solver: NamedSolver;
  readonly #policy: Policy;
  readonly #services: Omit<RunServices, 'model' | 'sizeOf' | 'embedder' | 'sink' | 'policy'>;
  readonly #models: ReturnType<typeof modelRoles>;
  readonly #fan: ReturnType<typeof fanOut>;
  readonly #redact: Redactor;
  /** By run: several handles may follow the same one. */
  readonly #executions = new Map<string, Set<Execution>>();
  /** What the runs of this process have so far; also of those that a decision woke before anybody took them up. */
  readonly #latest = new Map<string, Execution['latest']>();

  /** `witness` hears of prompts and observations, when a recorded run is replayed. */
  constructor(options: AgentOptions, witness?: Witness) {
    this.options = options;
    this.#name = options.name ?? 'assay';
    this.host = options.host ?? inMemoryHost();
    this.#models = modelRoles(options);
    this.#solver = options.solver ?? react();
    this.#policy = checkedPolicy(options.policy);
    this.#fan = fanOut(options.sinks ?? [], (sink, why) => this.#sinkFailed(sink, why));
    this.#redact = redactor(options.secrets ? { secrets: options.secrets } : {});
    this.#services = {
      priceOf: cachedPrices(options.prices, options),
      redact: (text) => this.#redact.text(text),
      redactJson: (value) => this.#redact.json(value),
      tools: toolMap((options.tools ?? []).flat()),
      permit: permitOf(this.#policy, options.policy?.judge),
      stream: true,
      witness,
    };
    for (const warning of this.#solver.warnings ?? []) options.onWarning?.(warning);
    if (this.#models.onlyLocal) requireLocalLayers(options.layers ?? []);
    const solve = compose(options.layers ?? [], this.#solver.solve, options.onWarning);
    this.host.register({
      name: this.#name,
      version: codeVersion,
      run: (durable, input) => this.#execute(durable, input as RunInput, solve),
    });
  }

  /** Starts a run. Iterate the handle for its events (begin at once: earlier ones are not kept), await it for the Result. */
  run(task: TaskInput, options: RunOptions = {}): RunHandle {
    const runId = options.runId ?? crypto.randomUUID();
    return this.#launch(runId, options, async () => {
      // A secret has no business in a prompt, wherever it came from.
      const parsed = this.#redact.texts(parseTask(task));
      const budget = checkedLimits({ ...defaultLimits, ...this.options.budget, ...options.budget });
      await this.#prepare(budget);
      const settings = options.settings === undefined ? {} : { settings: options.settings };
      const sizes = this.options.follow ? sizedByWorker : sizesOf(this.#models, this.options.smallModel);
      const started = await this.host.start(this.#name, runId, {
        task: parsed,
        budget,
        policy: this.#policy,
        ...(sizes && { sizes }),
        ...settings,
      });
      if (started === 'exists')
        throw new UsageError(`A run '${runId}' exists already. Resume it, or choose another id.`);
    });
  }

  /** Goes on with a run after a crash, a decision or a parking; a finished run gives its Result again. */
  resume(runId: string, options: { signal?: AbortSignal } = {}): RunHandle {
    return this.#launch(runId, options, async () => {
      await this.#models.load();
      const resumed = await this.host.resume(runId);
      if (resumed === 'no-such-run')
        throw new UsageError(`There is no run '${runId}'. List the runs to see their ids.`);
    });
  }

  /**
   * Goes on with a run that a limit stopped, under other limits: a new run that repeats the old one from its journal up to the limit,
   * at no cost, and continues from there. `runId` names the new run.
   */
  extend(stopped: string, options: RunOptions): RunHandle {
    return this.#branch(stopped, options, async ({ edited }) => {
      const at = await resumePoint(this.host.journal(stopped));
      if (at !== undefined) return { at, changes: marksOf(edited, { at }) };
      throw new UsageError(`No limit stopped the run '${stopped}', so there is nothing to extend.`);
    });
  }

  /**
   * Branches off a recorded run, its own or another agent's on the same host: a new run that repeats it up to and including the journal entry
   * `at`, at no cost, and goes on live from there, with this agent. `runId` names the new run.
   */
  fork(recorded: string, { at, task, observation, ...options }: ForkRunOptions): RunHandle {
    return this.#branch(recorded, options, async ({ edited: before }) => {
      // What a human writes goes the way of what tools return.
      const content = observation && this.#redact.text(normaliseOutput(observation.content));
      const outcome = content !== undefined && (await editedOutcome(this.host.journal(recorded), { at, content }));
      return {
        at,
        changes: {
          ...(task !== undefined && { task: this.#redact.texts(parseTask(task)) }),
          ...marksOf(before, { at, observation: observation?.id }),
        },
        last: outcome ? { value: outcome } : undefined,
      };
    });
  }

  #branch(from: string, options: RunOptions, place: (input: RunInput) => Promise<BranchPlace>): RunHandle {
    const runId = options.runId ?? crypto.randomUUID();
    return this.#launch(runId, options, async () => {
      const info = await this.host.info(from);
      if (!info) throw new UsageError(`There is no run '${from}'. List the runs to see their ids.`);
      const { edited: _, ...input } = info.input as RunInput;
      const { at, changes, last } = await place(info.input as RunInput);
      const budget = checkedLimits({ ...input.budget, ...options.budget });
      await this.#prepare(budget);
      const settings = options.settings ?? input.settings;
      const forked = { ...input, ...changes, budget, ...(settings !== undefined && { settings }) };
      const started = await this.host.fork(from, runId, { at, input: forked, workflow: this.#name, last });
      if (started === 'exists')
        throw new UsageError(`A run '${runId}' exists already. Resume it, or choose another id.`);
    });
  }

  /** Records a human's decision on a call that waits for approval; `already` when one was recorded before. */
  async decide(runId: string, signal: string, decision: Decision): Promise<'delivered' | 'already' | 'no-such-run'> {
    return this.host.signal(runId, signal, decision);
  }

  /** Stops the live runs where they stand, flushes and closes the sinks, releases what tools hold. */
  async close(): Promise<void> {
    await this.host.close();
    await this.#fan.close();
    await Promise.allSettled([...this.#services.tools.values()].map((tool) => tool.close?.()));
  }

  #launch(runId: string, options: { signal?: AbortSignal }, begin: () => Promise<void>): RunHandle {
    const executions = this.#executions.get(runId) ?? new Set();
    const done = (): void => {
      executions.delete(handle.execution);
      if (executions.size > 0 || this.#executions.get(runId) !== executions) return;
      this.#executions.delete(runId);
      this.#latest.delete(runId);
    };
    const handle = new RunHandle(runId, { host: this.host, begin, done, follow: this.#following(runId) });
    handle.execution.latest = () => this.#latest.get(runId)?.() ?? nothingYet;
    this.#executions.set(runId, executions.add(handle.execution));
    if (options.signal) handle.cancelOn(options.signal);
    return handle;
  }

  /** How a handle hears of a run that another process executes. */
  #following(runId: string): RunHandleOptions['follow'] {
    const { follow, onWarning } = this.options;
    if (!follow) return undefined;
    return (channel) =>
      followRun(follow, runId, {
        write: (event) => channel.write(event),
        failed: (error) => onWarning?.(`The events of the run ${runId} cannot be followed: ${messageOf(error)}`),
      });
  }

  /** Models are loaded and priced before anything is journaled. */
  async #prepare(budget: Limits): Promise<void> {
    await this.#models.load();
    if (budget.usd !== undefined) requirePrices(this.#models.all(), this.#services.priceOf);
  }

  async #execute(durable: Durable, input: RunInput, solve: NamedSolver['solve']): Promise<Result> {
    const budget = new Budget(input.budget);
    const kept: Kept = {};
    const { runId } = durable;
    this.#latest.set(runId, () => ({ attempt: kept.attempt?.(), budget }));
    const executions = this.#executions.get(runId);
    // Without one a decision woke it, and `resume` may yet follow it.
    const watched = !executions || [...executions].some(({ channel }) => channel.watched);
    const listening = watched || (this.options.sinks?.length ?? 0) > 0;
    const sink = (unsafe: RunEvent): void => {
      const texts = this.#redact.texts(unsafe);
      const event = 'args' in texts ? { ...texts, args: this.#redact.json(texts.args) } : texts;
      this.#fan.write(event);
      for (const { channel } of this.#executions.get(runId) ?? []) channel.write(event);
    };
    this.#mayJudge(input.policy);
    await this.#models.load();
    const sizes = await sizesOfRun(input.sizes, () => sizesOf(this.#models, this.options.smallModel), durable.step);
    const services: RunServices = {
      ...this.#services,
      policy: input.policy,
      edited: input.edited !== undefined,
      model: (role) => this.#models.of(role),
      sizeOf: (role) => sizeIn(sizes, role),
      embedder: this.#models.embedder(),
      sink: listening ? sink : undefined,
    };
    const root = createRun(durable, { services, budget, kept });
    const run = this.options.temperature === undefined ? root : root.with({ temperature: this.options.temperature });
    const size = describeSizes(sizes);
    run.emit({
      type: 'run.start',
      task: input.task.input,
      model: this.#models.of('actor').modelId,
      layers: (this.options.layers ?? []).map((layer) => layer.name),
      solver: this.#solver.name,
      ...(size && { size }),
      ...(input.edited && { edited: input.edited }),
    });
    const result = await solve({ task: input.task, notes: [], evidence: [] }, run).then(
      (attempt) => resultOf(runId, attempt, budget),
      (error: unknown) => thrownResult(error, { runId, attempt: kept.attempt?.(), budget, redact: run.redact }),
    );
    run.emit({
      type: 'run.end',
      status: result.status,
      reason: result.reason.detail,
      usage: budget.spent,
      activeMs: budget.activeMs,
    });
    if (!this.#executions.has(runId)) this.#latest.delete(runId);
    return result;
  }

  /** A run that began under a policy function does not go on without one: what it forbade is in no journal. */
  #mayJudge(stored: Policy): void {
    if (!stored.judged || this.#policy.judged) return;
    throw new NondeterminismError(
      'the run began under a policy function (policy.judge) and this agent has none. Resume it with the configuration it began with',
    );
  }

  #sinkFailed(sink: string, why: string): void {
    const event = {
      type: 'sink.failed',
      sink,
      why,
      id: `sink.failed:${sink}`,
      run: '',
      path: '',
      at: Date.now(),
      live: true,
    } as const;
    this.#fan.write(event);
    for (const executions of this.#executions.values()) for (const { channel } of executions) channel.write(event);
    this.options.onWarning?.(`The event sink '${sink}' failed and gets no more events: ${why}`);
  }
}

/** An agent from its options. Throws `UsageError` for a configuration that cannot work. */
export function defineAgent(options: AgentOptions): Agent {
  return new Agent(options);
}

const nothingYet = { attempt: undefined, budget: new Budget({}) };
