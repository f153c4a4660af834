/**
 * Runs and journals in one SQLite file.
 *
 * 1. A transaction is opened, filled and committed in one go, so another process never waits for our event loop.
 * 2. `(run, seq)` is unique: should two processes ever execute one run, the second write of a seq fails.
 * 3. A claim looks at the owner's lock inside the transaction, so two claims can't both find it dead.
 * 4. Reading needs no lock and makes no lock file.
 */
import { mkdirSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { DatabaseSync, SQLInputValue, SQLOutputValue } from 'node:sqlite';
import { Batch } from './batch.ts';
import { nodeSqlite } from './node-sqlite.ts';
import { ProcessLock } from './process-lock.ts';
import { stateErrorOf } from './sqlite-errors.ts';
import { blobEntryOf, type EntryRow, entryOf, type RunRow, recordOf } from './sqlite-rows.ts';
import { migrate } from './sqlite-schema.ts';
import { type Statements, statementsOf } from './sqlite-statements.ts';
import {
  type Change,
  type Entry,
  isFinished,
  type JournalStore,
  type RunQuery,
  type RunRecord,
  type Writer,
} from './store.ts';

const pageBytes = 16_384;
const defaultMaxInlineBytes = 8 * 1024 * 1024;

export interface SqliteStoreOptions {
  file: string;
  maxInlineBytes?: number | undefined;
  busyTimeoutMs?: number | undefined;
  maxFileBytes?: number | undefined;
  synchronous?: 'full' | 'normal' | undefined;
}

export class SqliteStore implements JournalStore {
  readonly owner: string;
  readonly #file: string;
  readonly #maxInlineBytes: number;
  readonly #database: DatabaseSync;
  readonly #statements: Statements;
  readonly #lock: ProcessLock;
  readonly #batch: Batch = new Batch((changes) => this.#apply(changes));
  #dataVersion: SQLOutputValue = null;

  constructor(options: SqliteStoreOptions) {
    this.#file = resolve(options.file);
    this.#maxInlineBytes = options.maxInlineBytes ?? defaultMaxInlineBytes;
    this.#lock = new ProcessLock(this.#file);
    this.owner = this.#lock.owner;
    this.#database = this.#safely(() => open(this.#file, options));
    this.#statements = this.#safely(() => statementsOf(this.#database));
  }

  get turn(): number {
    return this.#batch.turn;
  }

  write(change: Change, writer: Writer): void {
    this.#batch.add(change, writer);
  }

  find(id: string): RunRecord | undefined {
    return this.#safely(() => {
      // The table is STRICT: its columns have these types.
      const row = this.#statements.find.get(id) as RunRow | undefined;
      return row && recordOf(row);
    });
  }

  list({ state, workflow, limit }: RunQuery): RunRecord[] {
    const filters = { state: state ?? null, workflow: workflow ?? null, limit: limit ?? -1 };
    return this.#safely(() => rowsOf<RunRow>(this.#statements.list.all(filters)).map(recordOf));
  }

  entries(run: number, after: number, limit: number): Entry[] {
    const most = Number.isFinite(limit) ? limit : -1;
    return this.#safely(() =>
      rowsOf<EntryRow>(this.#statements.entries.all(run, after, most)).map((row) =>
        row.blob === null ? entryOf(row) : blobEntryOf(row, () => this.#blob(row.blob)),
      ),
    );
  }

  signal(run: number, name: string): string | undefined {
    const value = this.#safely(() => this.#statements.signal.get(run, name)?.['value']);
    return typeof value === 'string' ? value : undefined;
  }

  cancelRequests(): string[] {
    return this.#safely(() => this.#statements.cancelRequests.all(this.owner).map((row) => String(row['id'])));
  }

  changedElsewhere(): boolean {
    const version = this.#safely(() => this.#statements.dataVersion.get()?.['data_version'] ?? null);
    const changed = version !== this.#dataVersion;
    this.#dataVersion = version;
    return changed;
  }

  isAlive(owner: string): boolean {
    return this.#safely(() => this.#lock.isAlive(owner));
  }

  close(): void {
    this.#batch.flush();
    this.#safely(() => {
      this.#database.close();
      this.#lock.release();
    });
  }

  #safely<T>(action: () => T): T {
    try {
      return action();
    } catch (error) {
      throw stateErrorOf(error, this.#file);
    }
  }

  #apply(changes: readonly Change[]): boolean[] {
    return this.#safely(() => {
      this.#statements.begin.run();
      try {
        const changed = changes.map((change) => this.#applyOne(change));
        this.#statements.commit.run();
        return changed;
      } catch (error) {
        // A full disk may have rolled it back already.
        if (this.#database.isTransaction) this.#statements.rollback.run();
        throw error;
      }
    });
  }

  #applyOne(change: Change): boolean {
    const { appendEntry, cancel, addSignal, release } = this.#statements;
    switch (change.type) {
      case 'append':
        return appendEntry.run(...this.#entryValues(change.run, change.entry)).changes === 1;
      case 'create':
        return this.#create(change);
      case 'claim':
        return this.#claim(change.run);
      case 'release': {
        const { run, state, wakeAt, output, error, updated } = change;
        const waiting = JSON.stringify(change.waitingFor);
        return (
          release.run(state, waiting, wakeAt ?? null, output?.text ?? null, error ?? null, updated, run).changes === 1
        );
      }
      case 'signal':
        return addSignal.run(change.run, change.name, change.value, change.at).changes === 1;
      case 'cancel':
        return cancel.run(change.run).changes === 1;
      default:
        return change satisfies never;
    }
  }

  #entryValues(run: number, { seq, key, value, error, at }: Entry): SQLInputValue[] {
    const text = value?.text;
    const isLarge = text !== undefined && this.#isLarge(text);
    const blob = isLarge ? this.#statements.addBlob.run(text).lastInsertRowid : null;
    return [run, seq, key, isLarge ? null : (text ?? null), blob, error?.name ?? null, error?.message ?? null, at];
  }

  #isLarge(text: string): boolean {
    // No character takes more than three bytes per UTF-16 unit.
    return text.length * 3 > this.#maxInlineBytes && Buffer.byteLength(text) > this.#maxInlineBytes;
  }

  #blob(id: number | null): string {
    return this.#safely(() => String(this.#statements.blob.get(id)?.['value']));
  }

  #create({ run, copy }: Extract<Change, { type: 'create' }>): boolean {
    this.#lock.hold();
    const { id, workflow, version, input, created, began, seed, forkedFrom, parent } = run;
    const origin = [forkedFrom ?? null, parent ?? null, this.owner];
    const values = [id, workflow, version, input ?? null, created, created, began, seed, ...origin];
    const { changes, lastInsertRowid } = this.#statements.create.run(...values);
    if (changes === 0) return false;
    if (copy) this.#statements.copy.run(lastInsertRowid, copy.from, copy.upTo);
    if (copy?.last) this.#statements.appendEntry.run(...this.#entryValues(Number(lastInsertRowid), copy.last));
    return true;
  }

  #claim(run: number): boolean {
    this.#lock.hold();
    const row = this.#statements.claimable.get(run) as Pick<RunRow, 'state' | 'owner'> | undefined;
    if (!row || isFinished(row.state)) return false;
    if (row.owner !== null && row.owner !== this.owner && this.#lock.isAlive(row.owner)) return false;
    return this.#statements.claim.run(this.owner, run).changes === 1;
  }
}

function rowsOf<Row>(rows: Record<string, SQLOutputValue>[]): Row[] {
  // The tables are STRICT: their columns have the types of the row interfaces.
  return rows as unknown[] as Row[];
}

function open(file: string, options: SqliteStoreOptions): DatabaseSync {
  mkdirSync(dirname(file), { recursive: true });
  const database = new (nodeSqlite().DatabaseSync)(file, { timeout: options.busyTimeoutMs ?? 5000 });
  try {
    // The page size has to come first: a file that has pages keeps theirs.
    const synchronous = options.synchronous ?? 'full';
    database.exec(`PRAGMA page_size = ${pageBytes}; PRAGMA journal_mode = WAL; PRAGMA synchronous = ${synchronous}`);
    migrate(database, file);
    if (options.maxFileBytes !== undefined) {
      database.exec(`PRAGMA max_page_count = ${Math.max(1, Math.floor(options.maxFileBytes / pageBytes))}`);
    }
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}
