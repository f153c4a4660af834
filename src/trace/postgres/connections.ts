/**
 * Connections to a PostgreSQL database that many machines share.
 *
 * 1. They are made by their first use, which also prepares what is in the database.
 * 2. Every failure is a `StateError` with its remedy, without the password; `mayPass` tells whether the same may work later.
 * 3. Nothing here needs a session of its own, so a pooler in transaction mode may stand between.
 */
import { messageOf, StateError, UsageError } from '../../core/errors.ts';

/** A connection, as `PoolClient` of the package `pg` is one. */
export interface PostgresConnection {
  query(text: string, values?: unknown[]): Promise<{ rows: Record<string, unknown>[]; rowCount: number | null }>;
  on(event: 'error', listener: () => void): unknown;
  off(event: 'error', listener: () => void): unknown;
  /** Gives it back to the pool, or ends it when something failed on it. */
  release(failed?: boolean): void;
}

/** Connections, as `Pool` of the package `pg` gives them. */
export interface PostgresPool {
  connect(): Promise<PostgresConnection>;
}

/** Which database, and where in it: a connection string or a pool, not both. */
export interface PostgresOptions {
  /** `postgresql://user:password@host/database`, of a role that may create tables. Needs the package `pg`. */
  connectionString?: string;
  /** A pool of the caller, who also ends it and listens to its errors. */
  pool?: PostgresPool;
  /** Where the tables are. Made when it is not there. Default `assay`. */
  schema?: string;
}

const connectMs = 5_000;
const queryMs = 60_000;
const mostConnections = 4;

/** Of SQLSTATE: connection, resources, shutdown, system, serialisation and lock failures, and a server that only reads for now. */
const passingStates = /^(?:08|53|57P0|58|40001|40P01|55P03|25006)/;
/** Of the failures that `pg` itself finds. */
const passingMessage = /terminated|timeout|not queryable/i;

class PostgresError extends StateError {
  readonly mayPass: boolean;

  constructor(message: string, mayPass: boolean) {
    super(message);
    this.mayPass = mayPass;
  }
}

/** Whether the same may work later: the server is away, restarts, or has no room at the moment. */
export function mayPass(error: unknown): boolean {
  return error instanceof PostgresError && error.mayPass;
}

/** Connections to one database, prepared by their first use. Throws `UsageError` for options that cannot be. */
export class PostgresConnections<Prepared> {
  readonly schema: string;
  readonly #name: string;
  readonly #prepare: (connection: PostgresConnection) => Promise<Prepared>;
  readonly #connectionString: string;
  readonly #given: PostgresPool | undefined;
  #opened: Promise<{ pool: PostgresPool; prepared: Prepared }> | undefined;
  #own: { end(): Promise<void> } | undefined;
  #closed = false;

  constructor(
    { connectionString, pool, schema = 'assay' }: PostgresOptions,
    store: { name: string; prepare(connection: PostgresConnection, schema: string): Promise<Prepared> },
  ) {
    if ((connectionString === undefined) === (pool === undefined))
      throw new UsageError('PostgreSQL needs either connectionString or pool: give one of them');
    if (!/^[a-z_][a-z0-9_]{0,62}$/.test(schema))
      throw new UsageError(`'${schema}' is no name for a schema: use lower case letters, digits and _, such as assay`);
    this.schema = schema;
    this.#name = store.name;
    this.#prepare = (connection) => store.prepare(connection, schema);
    this.#connectionString = connectionString ?? '';
    this.#given = pool;
  }

  /** Runs the function on a connection, with what preparing gave. */
  async use<T>(run: (connection: PostgresConnection, prepared: Prepared) => Promise<T>): Promise<T> {
    try {
      const { pool, prepared } = await this.#open();
      return await onConnection(pool, (connection) => run(connection, prepared));
    } catch (error) {
      throw this.#explained(error);
    }
  }

  /** Ends the connections that are its own. Any later use is a `StateError`. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#opened?.catch(() => undefined);
    await this.#own?.end();
    this.#own = undefined;
  }

  async #open(): Promise<{ pool: PostgresPool; prepared: Prepared }> {
    if (this.#closed) throw new StateError(`the ${this.#name} store was closed: open it again to use it`);
    this.#opened ??= this.#prepared();
    try {
      return await this.#opened;
    } catch (error) {
      this.#opened = undefined;
      throw error;
    }
  }

  async #prepared(): Promise<{ pool: PostgresPool; prepared: Prepared }> {
    const pool = this.#given ?? (await this.#ownPool());
    return { pool, prepared: await onConnection(pool, this.#prepare) };
  }

  async #ownPool(): Promise<PostgresPool> {
    const { default: pg } = await import('pg').catch(() => {
      throw new UsageError('PostgreSQL needs the package pg: run npm install pg');
    });
    await this.#own?.end();
    const pool = new pg.Pool({
      connectionString: this.#connectionString,
      connectionTimeoutMillis: connectMs,
      query_timeout: queryMs,
      keepAlive: true,
      application_name: 'assay',
      max: mostConnections,
      allowExitOnIdle: true,
    });
    // A lost idle connection is replaced at the next use; without a listener it would end this process.
    pool.on('error', ignore);
    this.#own = pool;
    return pool;
  }

  #explained(error: unknown): Error {
    if (error instanceof UsageError || error instanceof StateError) return error;
    const password = URL.parse(this.#connectionString)?.password ?? '';
    const secrets = [this.#connectionString, password, decoded(password)].filter((secret) => secret !== '');
    const text = secrets.reduce((safe, secret) => safe.replaceAll(secret, '[password]'), messageOf(error));
    return new PostgresError(
      `PostgreSQL: ${text}. Check that the server runs, and that the connection names a database in which its role may create the schema ${this.schema}.`,
      isPassing(error),
    );
  }
}

function isPassing(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ('syscall' in error || error instanceof AggregateError) return true;
  const isOfServer = 'code' in error && typeof error.code === 'string' && /^[0-9A-Z]{5}$/.test(error.code);
  return isOfServer ? passingStates.test(String(error.code)) : passingMessage.test(error.message);
}

async function onConnection<T>(pool: PostgresPool, run: (connection: PostgresConnection) => Promise<T>): Promise<T> {
  const connection = await pool.connect();
  // One that is cut between two statements says so here, and again at the next statement; without a listener it would end this process.
  connection.on('error', ignore);
  let failed = true;
  try {
    const value = await run(connection);
    failed = false;
    return value;
  } finally {
    connection.off('error', ignore);
    // A connection on which something failed may be in any state.
    connection.release(failed);
  }
}

function ignore(): void {}

/** Runs the function in a transaction that begins so; a throw rolls back. */
export async function inTransaction<T>(
  connection: Pick<PostgresConnection, 'query'>,
  run: () => Promise<T>,
  begin = 'BEGIN',
): Promise<T> {
  await connection.query(begin);
  try {
    const value = await run();
    await connection.query('COMMIT');
    return value;
  } catch (error) {
    // Where the connection is lost, so is the transaction.
    await connection.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

/** Makes other transactions that lock the schema wait for the end of this one. */
export async function lockSchema(connection: Pick<PostgresConnection, 'query'>, schema: string): Promise<void> {
  await connection.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`assay lessons ${schema}`]);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
