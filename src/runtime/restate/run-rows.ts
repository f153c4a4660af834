/** What the engine's tables say about runs. */
import type { JournalEntry, RunInfo } from '../durable.ts';
import { type EngineApi, EngineUnavailable, quoted } from './engine-api.ts';
import { patiently } from './patience.ts';
import {
  type Batch,
  endOfFailure,
  type Idle,
  isRunStart,
  type LoggedEntry,
  type RunEnd,
  type RunStart,
  type ValueStore,
} from './run-log.ts';
import type { ServiceNames } from './service-names.ts';

/** A run as the engine has it. */
export interface RunRow {
  /** The engine's own id of the run. */
  invocation: string;
  id: string;
  workflow: string;
  status: string;
  failure: string | undefined;
  /** How long the engine's journal of it is: it grows while the run does anything. */
  journalSize: number;
  updated: number;
}

const columns =
  'id, target_service_name, target_service_key, status, completion_result, completion_failure, journal_size, modified_at';

/** The last entries of a journal that an attempt makes when the run goes to rest. */
const restingEnds = new Set(['Command: SetState', 'Command: Sleep']);

export class RunRows {
  readonly #api: EngineApi;
  readonly #values: ValueStore;
  readonly #names: ServiceNames;

  constructor(api: EngineApi, options: { values: ValueStore; names: ServiceNames }) {
    this.#api = api;
    this.#values = options.values;
    this.#names = options.names;
  }

  async byInvocation(invocation: string): Promise<RunRow | undefined> {
    return (await this.byInvocations([invocation]))[0];
  }

  async byInvocations(invocations: readonly string[]): Promise<RunRow[]> {
    return this.#rows(`id in (${invocations.map(quoted).join(', ')})`);
  }

  /** The newest run of that id; other workflows may have one too. */
  async byId(id: string): Promise<RunRow | undefined> {
    return (await this.#rows(`target_service_key = ${quoted(id)}`))[0];
  }

  /** One page of runs, newest first. `finished` tells those that are over from those that are not. */
  async page(
    query: { workflow?: string | undefined; finished?: boolean | undefined },
    at: { limit: number; offset: number },
  ): Promise<RunRow[]> {
    const conditions: string[] = [];
    if (query.workflow !== undefined)
      conditions.push(`target_service_name = ${quoted(this.#names.of(query.workflow))}`);
    if (query.finished !== undefined) conditions.push(`status ${query.finished ? '=' : '<>'} 'completed'`);
    return this.#rows(conditions.join(' and ') || 'true', `limit ${at.limit} offset ${at.offset}`);
  }

  /** What is known of the run; undefined when a service of somebody else made it, or the engine has let go of it. */
  async info(row: RunRow): Promise<RunInfo | undefined> {
    const shown = await this.#stateOf(row);
    const start = (shown.get('start') ?? (await this.startOf(row))) as RunStart | undefined;
    if (!isRunStart(start)) return undefined;
    const state = lacksEnd(row, shown) ? await this.#stateWithEnd(row) : shown;
    if (!state) return undefined;
    const { version, input, created, forkedFrom } = start;
    const idle = state.get('idle') as Idle | undefined;
    const { end, ...now } = presentOf(row, state, idle && (await this.#rests(row, idle)) ? idle : undefined);
    const output = end?.output && (await this.#values.read(end.output));
    const error = end?.error ?? now.error;
    return {
      id: row.id,
      workflow: row.workflow,
      version,
      state: end?.state ?? now.state,
      waitingFor: now.waitingFor,
      input,
      created,
      updated: now.updated,
      ...(output && { output: output.read() }),
      ...(error !== undefined && { error }),
      ...(forkedFrom !== undefined && { forkedFrom }),
    };
  }

  /** Whether the run still rests as its state says: nothing has come for it since. */
  async #rests(row: RunRow, idle: Idle): Promise<boolean> {
    if (idle.wakeAt !== undefined && idle.wakeAt <= Date.now()) return false;
    if (row.status === 'suspended') return true;
    // The engine suspends it later, or its worker is gone: the journal's end tells.
    const [last] = await this.#api.query(
      `select entry_type from sys_journal where id = ${quoted(row.invocation)} order by index desc limit 1`,
    );
    return last !== undefined && restingEnds.has(String(last['entry_type']));
  }

  /** The input as the engine has it, with the entries a fork took over. */
  async startOf(row: RunRow): Promise<RunStart | undefined> {
    const [input] = await this.#messages(row, 'Command: Input');
    return isRunStart(input) ? input : undefined;
  }

  async *entries(row: RunRow): AsyncGenerator<JournalEntry> {
    let seq = 0;
    for (const logged of await this.logged(row)) {
      const { key, value, error, at } = await this.#values.entry(logged, ++seq);
      yield { seq, key, at, ...(value && { value: value.read() }), ...(error && { error }) };
    }
  }

  /** The entries as they are kept. */
  async logged(row: RunRow): Promise<LoggedEntry[]> {
    const prefix = await this.#values.read((await this.startOf(row))?.prefix ?? {});
    // A host wrote the prefix and attempts wrote the batches.
    const batches = (await this.#messages(row, 'Notification: Run')) as Batch[];
    return [...((prefix?.read() ?? []) as LoggedEntry[]), ...batches.flatMap(({ entries }) => entries)];
  }

  async #rows(condition: string, end = ''): Promise<RunRow[]> {
    const rows = await this.#api.query(
      `select ${columns} from sys_invocation where target_handler_name = 'run' and target_service_ty = 'workflow' and ${this.#names.condition} and ${condition} order by created_at desc ${end}`,
    );
    return rows.map((row) => this.#rowOf(row));
  }

  async #stateOf(row: RunRow): Promise<Map<unknown, unknown>> {
    const rows = await this.#api.query(
      `select key, value_utf8 from state where service_name = ${quoted(this.#names.of(row.workflow))} and service_key = ${quoted(row.id)}`,
    );
    return new Map(rows.map(({ key, value_utf8 }) => [key, JSON.parse(String(value_utf8))]));
  }

  /** After a kill the engine's tables may show that a run is over before they show how it ended. */
  async #stateWithEnd(row: RunRow): Promise<Map<unknown, unknown> | undefined> {
    const state = await patiently(async () => {
      const now = await this.#stateOf(row);
      return lacksEnd(row, now) ? undefined : now;
    });
    if (state || !(await this.byInvocation(row.invocation))) return state;
    throw new EngineUnavailable(`Restate shows that run ${row.id} is over, but not yet how it ended. Try again`);
  }

  #rowOf(row: Record<string, unknown>): RunRow {
    const failure = row['completion_failure'];
    return {
      invocation: String(row['id']),
      id: String(row['target_service_key']),
      workflow: this.#names.workflow(String(row['target_service_name'])),
      status: String(row['status']),
      failure: typeof failure === 'string' ? failure : undefined,
      journalSize: Number(row['journal_size'] ?? 0),
      updated: Date.parse(String(row['modified_at'])),
    };
  }

  /** The JSON that the journal's entries of one type carry. */
  async #messages(row: RunRow, type: string): Promise<unknown[]> {
    const rows = await this.#api.query(
      `select entry_json from sys_journal where id = ${quoted(row.invocation)} and entry_type = ${quoted(type)} order by index`,
    );
    return rows.flatMap(({ entry_json }) => messagesIn(JSON.parse(String(entry_json)) as EntryJson));
  }
}

/** The two kinds of journal entries that carry a message of ours, as the engine shows them. */
interface EntryJson {
  Command?: { Input: { payload: number[] } };
  Notification?: { Completion: { Run: { result: { Success?: number[] } } } };
}

function messagesIn({ Command, Notification }: EntryJson): unknown[] {
  const bytes = Command?.Input.payload ?? Notification?.Completion.Run.result.Success;
  if (!bytes) return [];
  try {
    return [JSON.parse(Buffer.from(bytes).toString())];
  } catch {
    // The input of somebody else's service need not be JSON.
    return [];
  }
}

/** Whether the run ended by what its worker wrote, and that is not shown. */
function lacksEnd(row: RunRow, state: ReadonlyMap<unknown, unknown>): boolean {
  return row.status === 'completed' && row.failure === undefined && !state.has('end');
}

interface Present extends Pick<RunInfo, 'state' | 'waitingFor' | 'updated' | 'error'> {
  end?: RunEnd;
}

function presentOf(row: RunRow, state: ReadonlyMap<unknown, unknown>, idle: Idle | undefined): Present {
  if (row.status === 'completed') {
    // What an attempt wrote when the run was over, else the engine's word.
    const end =
      row.failure === undefined ? (state.get('end') as RunEnd) : { ...endOfFailure(row.failure), at: row.updated };
    return { state: end.state, waitingFor: [], updated: end.at, end };
  }
  if (row.status === 'paused') {
    const why =
      state.get('parked') ??
      'the engine paused the run: its attempts failed too often, or somebody paused it. Resume it';
    return { state: 'parked', waitingFor: [], updated: row.updated, error: String(why) };
  }
  return idle
    ? { state: 'suspended', waitingFor: idle.waitingFor, updated: idle.at }
    : { state: 'running', waitingFor: [], updated: row.updated };
}
