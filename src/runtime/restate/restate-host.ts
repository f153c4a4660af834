import { StateError, UsageError } from '../../core/errors.ts';
import type { DurableHost, ForkOptions, JournalEntry, RunBeginning, RunInfo, RunState, Workflow } from '../durable.ts';
import { assertForkable, noSuchEntry } from '../fork-place.ts';
import { record } from '../recorded.ts';
import { isFinished, type NewRun, type RunQuery } from '../store.ts';
import { type EngineAddresses, EngineApi, EngineUnavailable } from './engine-api.ts';
import { patiently } from './patience.ts';
import { RunFinder } from './run-finder.ts';
import { type LoggedEntry, type ResultBlobs, type RunStart, runStart, ValueStore } from './run-log.ts';
import { type RunRow, RunRows } from './run-rows.ts';
import { RunWatch } from './run-watch.ts';
import { ServiceNames } from './service-names.ts';

export interface RestateHostOptions extends EngineAddresses {
  /** Keeps installations apart that share an engine. The same as the workers'. */
  namespace?: string | undefined;
  /** Where the workers keep results that are too large for the engine. The same store as theirs. */
  blobs?: ResultBlobs | undefined;
  /** A value with more UTF-8 bytes is kept in `blobs`. Default 8 MiB. */
  maxInlineBytes?: number | undefined;
  /** How often runs are looked at whose end somebody waits for, in milliseconds. Default 200. */
  pollMs?: number | undefined;
  /** The seed of a new run. Default: random, so that no content can guess a boundary made from it. */
  seed?: ((runId: string) => string) | undefined;
}

const rowsAtOnce = 100;
/** So many runs can be looked at closely each time. */
const few = 20;
/** How long the engine may be away while somebody waits for a run. */
const awayMs = 30_000;
const onLatest = 'resume?deployment=latest';

/** The host's side of Restate: it starts, watches and steers runs, and workers execute them. */
export class RestateHost implements DurableHost {
  readonly #api: EngineApi;
  readonly #values: ValueStore;
  readonly #names: ServiceNames;
  readonly #rows: RunRows;
  readonly #watch: RunWatch;
  readonly #seed: (runId: string) => string;
  readonly #workflows = new Map<string, Workflow>();
  readonly #finder: RunFinder;
  #closed = false;

  constructor(options: RestateHostOptions) {
    this.#api = new EngineApi(options);
    this.#values = new ValueStore(options);
    this.#names = new ServiceNames(options.namespace);
    this.#rows = new RunRows(this.#api, { values: this.#values, names: this.#names });
    this.#watch = new RunWatch((invocations) => this.#rows.byInvocations(invocations), options.pollMs ?? 200);
    const { workflows } = this;
    this.#finder = new RunFinder({ api: this.#api, rows: this.#rows, names: this.#names, workflows });
    this.#seed = options.seed ?? (() => crypto.randomUUID());
  }

  /** What was registered, for the worker that serves it. */
  get workflows(): ReadonlyMap<string, Workflow> {
    return this.#workflows;
  }

  register(workflow: Workflow): void {
    this.#workflows.set(workflow.name, workflow);
  }

  async start(workflow: string, runId: string, input: unknown): Promise<'started' | 'exists'> {
    this.#assertOpen();
    if (runId === '') throw new UsageError('a run needs an id: pass a name that is not empty');
    const { version } = this.#workflow(workflow);
    const now = Date.now();
    return this.#send(workflow, runId, { version, created: now, began: now, seed: this.#seed(runId), input });
  }

  async resume(runId: string): Promise<'resumed' | 'live' | 'finished' | 'no-such-run'> {
    const row = await this.#find(runId);
    if (!row) return 'no-such-run';
    if (row.status === 'completed') return 'finished';
    const info = await this.#infoOf(row);
    if (info.state === 'suspended') return this.#wake(row);
    if (info.state === 'parked') return (await this.#steer(row, onLatest)) ? 'resumed' : 'live';
    return row.status === 'backing-off' ? this.#retryOnLatest(row) : 'live';
  }

  async signal(runId: string, name: string, value: unknown): Promise<'delivered' | 'already' | 'no-such-run'> {
    const row = await this.#find(runId);
    if (!row) return 'no-such-run';
    jsonText(value, `the value of signal "${name}"`);
    const target = { service: this.#names.of(row.workflow), key: runId, handler: 'signal' };
    const { status, text } = await this.#api.call(target, { name, value: value ?? null });
    if (status === 200) return 'delivered';
    if (status === 409) return 'already';
    throw new StateError(`Restate did not deliver the signal "${name}" to run ${runId} (${status}): ${text}`);
  }

  async cancel(runId: string): Promise<void> {
    const row = await this.#existing(runId);
    if (row.status === 'completed') return;
    // A parked run's code does not fit, so there is nobody to clean up.
    const { state } = await this.#infoOf(row);
    await this.#steer(row, row.status === 'paused' ? 'kill' : 'cancel');
    if (state !== 'running') await this.#stirred(row, state);
  }

  async result(runId: string, options: { waitMs?: number } = {}): Promise<RunInfo> {
    const deadline = Date.now() + (options.waitMs ?? Number.POSITIVE_INFINITY);
    let row = await this.#existing(runId);
    this.#watch.hurry();
    for (let seen = Date.now(); ; ) {
      try {
        const info = await this.#infoOf(row);
        this.#assertOpen();
        if (info.state !== 'running' || Date.now() >= deadline) return info;
        row = await this.#nextQuiet(row, deadline);
        seen = Date.now();
      } catch (error) {
        // Runs outlive a restart of the engine, so those who wait for them do too.
        if (this.#closed || !(error instanceof EngineUnavailable) || Date.now() - seen > awayMs) throw error;
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    }
  }

  async info(runId: string): Promise<RunInfo | undefined> {
    const row = await this.#find(runId);
    return row && this.#rows.info(row);
  }

  async beginning(runId: string): Promise<RunBeginning | undefined> {
    const row = await this.#find(runId);
    const start = row && (await this.#rows.startOf(row));
    if (!start) return undefined;
    const { version, seed, began, input } = start;
    return { workflow: row.workflow, version, seed, began, input };
  }

  async list(query: RunQuery = {}): Promise<RunInfo[]> {
    this.#assertOpen();
    const { state, workflow, limit = Number.POSITIVE_INFINITY } = query;
    const filter = { workflow, finished: state && isFinished(state) };
    const found: RunInfo[] = [];
    for (let offset = 0; found.length < limit; offset += rowsAtOnce) {
      const rows = await this.#rows.page(filter, { limit: rowsAtOnce, offset });
      const infos = await Promise.all(rows.map((row) => this.#rows.info(row)));
      for (const info of infos) if (info && (state ?? info.state) === info.state) found.push(info);
      if (rows.length < rowsAtOnce) break;
    }
    return found.slice(0, limit);
  }

  async *journal(runId: string): AsyncGenerator<JournalEntry> {
    yield* this.#rows.entries(await this.#existing(runId));
  }

  async fork(runId: string, newRunId: string, options: ForkOptions): Promise<'started' | 'exists' | 'no-such-run'> {
    const row = await this.#find(runId);
    if (!row) return 'no-such-run';
    assertForkable(options.at);
    const workflow = options.workflow ?? row.workflow;
    this.#workflow(workflow);
    const origin = await this.#rows.startOf(row);
    if (!origin) throw new StateError(`run ${runId} is not one of Assay's, or the engine no longer keeps its journal`);
    const input = options.input === undefined ? origin.input : options.input;
    const prefix = await this.#prefix(row, options);
    const { version, seed, began } = origin;
    const start = { version, seed, began, created: Date.now(), forkedFrom: runId, input };
    return this.#send(workflow, newRunId, start, prefix);
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#watch.failAll(closedError());
  }

  async #prefix(row: RunRow, { at, last }: ForkOptions): Promise<LoggedEntry[]> {
    const prefix = (await this.#rows.logged(row)).slice(0, at);
    if (!last) return prefix;
    const entry = prefix[at - 1];
    if (!entry) throw noSuchEntry(row.id, at);
    jsonText(last.value, 'the value of a journal entry');
    const value = await this.#values.logged(record(last.value));
    return [...prefix.slice(0, -1), { key: entry.key, at: entry.at, ...value }];
  }

  /** The run at the next look, or when the time is over. Where many are watched those that are busy are passed over. */
  async #nextQuiet(row: RunRow, deadline: number): Promise<RunRow> {
    for (let before = row; ; ) {
      const now = await this.#watch.next(row.invocation, deadline - Date.now());
      const isBusy = now?.status === 'running' && now.journalSize !== before.journalSize;
      if (!now || !isBusy || this.#watch.size < few) return now ?? before;
      before = now;
    }
  }

  /** A run that rests is looked at again, by the newest code: it may be found not to fit. */
  async #wake(row: RunRow): Promise<'resumed' | 'live'> {
    // Refused when it is not suspended in the engine yet; then the worker it is at looks.
    await this.#steer(row, onLatest);
    const target = { service: this.#names.of(row.workflow), key: row.id, handler: 'wake' };
    const { status, text } = await this.#api.call(target, row.invocation);
    if (status === 200) {
      await this.#stirred(row, 'suspended');
      return 'resumed';
    }
    throw new StateError(`Restate did not wake run ${row.id} (${status}): ${text}`);
  }

  /** A run whose worker is gone or fails: only a paused one can be given to another deployment, and a pause takes a moment. */
  async #retryOnLatest(row: RunRow): Promise<'resumed' | 'live'> {
    await this.#steer(row, 'pause');
    const resumed = await patiently(async () => {
      if (await this.#steer(row, onLatest)) return 'resumed';
      return (await this.#rows.byInvocation(row.invocation))?.status === 'completed' ? 'live' : undefined;
    });
    if (resumed) return resumed;
    throw new StateError(`Restate has not paused run ${row.id} to give it to the newest worker: resume it again`);
  }

  /** The engine takes a request before it acts on it: until the run is in another state, so that nobody is told the old one. */
  async #stirred(row: RunRow, before: RunState): Promise<void> {
    await patiently(async () => {
      const now = await this.#rows.byInvocation(row.invocation);
      return !now || (await this.#infoOf(now)).state !== before ? true : undefined;
    });
  }

  /** Whether the engine did it; it does not when the run is in another state by now. */
  async #steer(row: RunRow, how: string): Promise<boolean> {
    const { status, text } = await this.#api.manage(`/invocations/${row.invocation}/${how}`, { method: 'PATCH' });
    if (status < 300 || status === 409) return status < 300;
    throw new StateError(`Restate did not ${how} run ${row.id} (${status}): ${text}`);
  }

  async #send(
    workflow: string,
    runId: string,
    run: Omit<NewRun, 'id' | 'workflow' | 'input'> & { input?: unknown },
    prefix: readonly LoggedEntry[] = [],
  ): Promise<'started' | 'exists'> {
    jsonText(run.input, 'the input of a run');
    const start: RunStart = runStart(run, run.input);
    if (prefix.length > 0) start.prefix = await this.#values.logged(record(prefix));
    const target = { service: this.#names.of(workflow), key: runId, handler: 'run', send: true };
    const { status, text } = await this.#api.call(target, start);
    if (status === 404) {
      throw new StateError(
        `no worker has registered the workflow "${workflow}" with Restate: start a worker, then try again`,
      );
    }
    if (status >= 300) throw new StateError(`Restate did not take run ${runId} (${status}): ${text}`);
    // The engine's answer to a request that it only keeps.
    const taken = JSON.parse(text) as { invocationId: string; status: string };
    this.#finder.remember(runId, taken.invocationId);
    return taken.status === 'Accepted' ? 'started' : 'exists';
  }

  #workflow(name: string): Workflow {
    const workflow = this.#workflows.get(name);
    if (workflow) return workflow;
    const known = [...this.#workflows.keys()].join(', ') || 'none';
    throw new UsageError(`there is no workflow "${name}" here: register it first (registered: ${known})`);
  }

  async #find(runId: string): Promise<RunRow | undefined> {
    this.#assertOpen();
    return this.#finder.find(runId);
  }

  async #existing(runId: string): Promise<RunRow> {
    const row = await this.#find(runId);
    if (!row) throw new StateError(`there is no run "${runId}": list the runs to see their ids`);
    return row;
  }

  async #infoOf(row: RunRow): Promise<RunInfo> {
    const info = await this.#rows.info(row);
    if (!info) throw new StateError(`run ${row.id} is not one of Assay's: another service of the engine has it`);
    return info;
  }

  #assertOpen(): void {
    if (this.#closed) throw closedError();
  }
}

function closedError(): StateError {
  return new StateError('the host is closed: open it again; its unfinished runs can be resumed');
}

function jsonText(value: unknown, what: string): void {
  try {
    JSON.stringify(value);
  } catch (error) {
    throw new UsageError(`${what} must be JSON: ${String(error)}`, { cause: error });
  }
}
