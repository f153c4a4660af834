/**
 * What a run leaves in Restate's own journal: its start as the input, then batches of entries, each the result of one `ctx.run`,
 * and its end as the output.
 */
import { UsageError } from '../../core/errors.ts';
import type { BlobStore } from '../blobs.ts';
import type { RunState } from '../durable.ts';
import { type Recorded, RecordedText, record } from '../recorded.ts';
import type { Entry, NewRun } from '../store.ts';

/** Where results are kept that are too large for the engine. */
export type ResultBlobs = Pick<BlobStore, 'put' | 'get'>;

/** A value as JSON, in place or in the blob store; neither stands for undefined. */
export interface LoggedValue {
  value?: unknown;
  blob?: string;
}

export interface LoggedEntry extends LoggedValue {
  key: string;
  at: number;
  error?: { name: string; message: string };
}

/** How a run begins. */
export interface RunStart {
  /** The format of this log. */
  assay: 1;
  input?: unknown;
  version: number;
  seed: string;
  created: number;
  began: number;
  forkedFrom?: string;
  parent?: string;
  /** The entries a fork takes over. */
  prefix?: LoggedValue;
}

/** How a run ended. */
export interface RunEnd {
  state: RunState;
  at: number;
  output?: LoggedValue;
  error?: string;
}

/** The run holds no coroutine: nothing is to be done before a signal, a child or the time comes. */
export interface Idle {
  waitingFor: string[];
  /** Milliseconds since the epoch. */
  wakeAt?: number | undefined;
  /** How often the run had been woken when it was decided. */
  wakes: number;
  at: number;
}

export interface ChildStart {
  key: string;
  workflow: string;
  start: RunStart;
}

/** What a run tells the engine beside its entries. */
export interface News {
  /** Signals to listen to from now on. */
  signals?: string[];
  children?: ChildStart[];
  idle?: Idle;
  /** The journal does not fit the code: why. */
  parked?: string;
  ended?: RunEnd;
}

export interface Batch extends News {
  entries: LoggedEntry[];
}

/** What keeps large values out of the engine, whose messages end at 32 MiB. */
export class ValueStore {
  readonly maxInlineBytes: number;
  readonly #blobs: ResultBlobs | undefined;

  constructor(options: { blobs?: ResultBlobs | undefined; maxInlineBytes?: number | undefined } = {}) {
    this.#blobs = options.blobs;
    this.maxInlineBytes = options.maxInlineBytes ?? 8 * 2 ** 20;
  }

  /** Why a value cannot be kept; undefined when it can. */
  tooLarge(value: Recorded | undefined): string | undefined {
    if (this.#blobs || !value || !this.#isLarge(value.text)) return undefined;
    return `${Buffer.byteLength(value.text)} bytes are more than the ${this.maxInlineBytes} that Restate is given: serve the worker with a blob store`;
  }

  /** The members of a `LoggedValue` as JSON text, each with a comma in front. */
  async text(value: Recorded | undefined): Promise<string> {
    if (value === undefined) return '';
    if (!this.#isLarge(value.text)) return `,"value":${value.text}`;
    return `,"blob":${JSON.stringify(await this.#blobStore().put(value.text))}`;
  }

  async logged(value: Recorded | undefined): Promise<LoggedValue> {
    if (value && this.#isLarge(value.text)) return { blob: await this.#blobStore().put(value.text) };
    return value ? { value: value.read() } : {};
  }

  async read(logged: LoggedValue): Promise<Recorded | undefined> {
    if (logged.blob !== undefined) {
      return new RecordedText(Buffer.from(await this.#blobStore().get(logged.blob)).toString());
    }
    return record(logged.value);
  }

  async entry(logged: LoggedEntry, seq: number): Promise<Entry> {
    return { seq, key: logged.key, value: await this.read(logged), error: logged.error, at: logged.at };
  }

  #isLarge(text: string): boolean {
    return text.length * 3 > this.maxInlineBytes && Buffer.byteLength(text) > this.maxInlineBytes;
  }

  #blobStore(): ResultBlobs {
    if (this.#blobs) return this.#blobs;
    throw new UsageError(
      'a value is too large for Restate or lies in a blob store, and no blob store was given: pass `blobs`',
    );
  }
}

/** The start of a run. */
export function runStart(
  run: Pick<NewRun, 'version' | 'seed' | 'created' | 'began' | 'forkedFrom' | 'parent'>,
  input: unknown,
): RunStart {
  const { version, seed, created, began, forkedFrom, parent } = run;
  return {
    assay: 1,
    version,
    seed,
    created,
    began,
    ...(input !== undefined && { input }),
    ...(forkedFrom !== undefined && { forkedFrom }),
    ...(parent !== undefined && { parent }),
  };
}

/** Whether a value is the start of a run of ours; other services may live in the same engine. */
export function isRunStart(value: unknown): value is RunStart {
  return typeof value === 'object' && value !== null && 'assay' in value && value.assay === 1;
}

/** How a run ended that the engine refused or ended itself. */
export function endOfFailure(message = 'the engine gave no reason'): RunEnd {
  const stopped = /\b(killed|cancell?ed)\b/i.test(message);
  return { at: 0, state: stopped ? 'cancelled' : 'failed', error: stopped ? 'the run was cancelled' : message };
}
