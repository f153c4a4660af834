/** The embedded host: one SQLite file, no server. `node:sqlite` is loaded by the first call, not by the import. */
import type { DurableHost } from './durable.ts';
import { Engine, type EngineOptions } from './engine.ts';
import { SqliteStore } from './sqlite-store.ts';

export interface SqliteHostOptions extends EngineOptions {
  /** Created, with its directory, when it does not exist. Several processes may use it at once. */
  file: string;
  /** A result with more UTF-8 bytes is kept apart from its journal row. Default 8 MiB. */
  maxInlineBytes?: number | undefined;
  /** How long a write waits for another process, in milliseconds. Default 5,000. */
  busyTimeoutMs?: number | undefined;
  /** The file never grows beyond this; a write that would make it larger fails like a full disk. */
  maxFileBytes?: number | undefined;
  /**
   * `full` (default): what is recorded survives a power loss. `normal`: it survives the death of the process, and a power loss may take
   * the last entries with it, never the file. For runs that cost nothing but money when they are done again, such as an evaluation's.
   */
  synchronous?: 'full' | 'normal' | undefined;
}

/**
 * A durable host over `node:sqlite`: WAL, `synchronous=FULL` unless told otherwise, one row per entry, one commit per event-loop turn. Throws
 * `StateError` when the file is damaged, locked, of a newer format, or cannot be written.
 */
export function sqliteHost(options: SqliteHostOptions): DurableHost {
  return new Engine(new SqliteStore(options), options);
}
