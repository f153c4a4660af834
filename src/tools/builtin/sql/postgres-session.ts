/**
 * One connection to PostgreSQL for one call.
 *
 * 1. Nothing outlives the call: the connection is new and is closed, so that no setting, lock or prepared statement of one call
 *    reaches another.
 * 2. The transaction is READ ONLY and rolled back, or, for writing, committed only after `run` has succeeded.
 * 3. When the call is aborted or takes too long, its backend is terminated over a second connection.
 * 4. No message holds the password.
 */
import type { Client, QueryArrayConfig, QueryArrayResult } from 'pg';
import { messageOf, UsageError } from '../../../core/errors.ts';
import type { SqlSettings } from './database.ts';
import type { Cell } from './rows.ts';

export interface PostgresTarget {
  connection: string;
  allowSuperuser: boolean;
}

/** A transaction that is open. Values come as the server's text. */
export interface Session {
  query<Value extends Cell = Cell>(query: QueryArrayConfig): Promise<QueryArrayResult<Value[]>>;
}

interface SessionOptions {
  settings: SqlSettings;
  signal: AbortSignal;
  write: boolean;
}

/** Of everything the server sends in one call, so that a few huge values cannot fill the memory of this process. */
const maxReceived = 32 * 1024 * 1024;
/** The server's own limits come first: they give better messages. */
const deadlineGraceMs = 1_000;
const terminateMs = 3_000;

/** Runs `run` in a transaction. Rejects with the signal's reason when aborted, after the backend is gone. */
export async function withSession(
  target: PostgresTarget,
  options: SessionOptions,
  run: (session: Session) => Promise<string>,
): Promise<string> {
  const { settings, signal } = options;
  signal.throwIfAborted();
  const deadline = AbortSignal.timeout(settings.timeoutMs + deadlineGraceMs);
  const client = await newClient(target.connection, settings.timeoutMs);
  const call = new Call(client, target);
  const stop = AbortSignal.any([signal, deadline]);
  stop.addEventListener('abort', call.stop, { once: true });
  try {
    return await call.run(options, run);
  } catch (error) {
    await call.stopped;
    signal.throwIfAborted();
    if (deadline.aborted && !call.failure)
      throw new Error(`no result within ${settings.timeoutMs} ms: ask for less, or use an index`);
    throw explained(call.failure ?? error, target.connection);
  } finally {
    stop.removeEventListener('abort', call.stop);
    await close(client);
  }
}

class Call {
  /** Set when this side ended the connection. */
  failure: Error | undefined;
  /** Settles when the backend of a stopped call is gone. */
  stopped: Promise<void> | undefined;
  readonly #client: Client;
  readonly #target: PostgresTarget;
  #backend: number | undefined;

  constructor(client: Client, target: PostgresTarget) {
    this.#client = client;
    this.#target = target;
  }

  readonly stop = (): void => {
    this.stopped ??= this.#terminate();
  };

  async run({ settings, write }: SessionOptions, run: (session: Session) => Promise<string>): Promise<string> {
    await this.#client.connect();
    this.#limitReceived();
    await this.#client.query(beginning(settings, write));
    const session: Session = { query: (query) => this.#client.query(query) };
    this.#backend = await checkedBackend(session, this.#target);
    const answer = await run(session);
    await (write ? this.#commit() : this.#client.query('ROLLBACK'));
    return answer;
  }

  async #commit(): Promise<void> {
    try {
      await this.#client.query('COMMIT');
    } catch (error) {
      // The server said why it did not; otherwise nobody knows.
      if (!(error instanceof Error && 'severity' in error)) {
        this.failure ??= new Error('the connection was lost during the commit: find out whether the change was made');
      }
      throw error;
    }
  }

  #limitReceived(): void {
    let received = 0;
    const { stream } = this.#client.connection;
    stream.on('data', (chunk: Uint8Array) => {
      received += chunk.length;
      if (received <= maxReceived || this.failure) return;
      this.failure = new Error(
        `the result is larger than ${maxReceived / 1024 / 1024} MiB: select fewer rows or shorten columns, as left(column, 1000) does`,
      );
      stream.destroy();
    });
  }

  async #terminate(): Promise<void> {
    if (this.#backend !== undefined) await terminate(this.#target.connection, this.#backend).catch(() => undefined);
    this.#client.connection.stream.destroy();
  }
}

/** Our own text, without any part of the model's. Local settings end with the transaction. */
function beginning({ timeoutMs }: SqlSettings, write: boolean): string {
  return [
    `BEGIN TRANSACTION ${write ? 'READ WRITE' : 'READ ONLY'}`,
    `SET LOCAL statement_timeout = ${timeoutMs}`,
    `SET LOCAL lock_timeout = ${Math.ceil(timeoutMs / 2)}`,
    `SET LOCAL idle_in_transaction_session_timeout = ${timeoutMs}`,
    `SET LOCAL datestyle = 'ISO'`,
    `SET LOCAL intervalstyle = 'iso_8601'`,
    `SET LOCAL bytea_output = 'hex'`,
  ].join('; ');
}

/** The backend's process number. Throws for a role that a READ ONLY transaction could not hold. */
async function checkedBackend(session: Session, target: PostgresTarget): Promise<number> {
  const found = await session.query({
    text: `SELECT pg_catalog.pg_backend_pid()::pg_catalog.text, r.rolname::pg_catalog.text
           FROM (VALUES (1)) AS one LEFT JOIN pg_catalog.pg_roles AS r
             ON (r.rolsuper OR r.rolname IN ('pg_read_server_files', 'pg_write_server_files', 'pg_execute_server_program'))
             AND pg_catalog.pg_has_role(SESSION_USER, r.oid, 'MEMBER')
           LIMIT 1`,
    rowMode: 'array',
  });
  const [backend, power] = found.rows[0] ?? [];
  if (power !== null && !target.allowSuperuser) {
    throw new UsageError(
      `the role of this connection has the rights of ${power}, so that a query could read and write files of the server: connect as a role with few rights (CREATE ROLE reader LOGIN; GRANT pg_read_all_data TO reader), or set allowSuperuser`,
    );
  }
  return Number(backend);
}

async function terminate(connection: string, backend: number): Promise<void> {
  const client = await newClient(connection, terminateMs);
  const timer = setTimeout(() => client.connection.stream.destroy(), terminateMs);
  try {
    await client.connect();
    await client.query({ text: 'SELECT pg_catalog.pg_terminate_backend($1)', values: [backend] });
    const gone = 'SELECT FROM pg_catalog.pg_stat_activity WHERE pid = $1';
    while ((await client.query({ text: gone, values: [backend] })).rowCount !== 0) {
      await new Promise((settle) => setTimeout(settle, 20));
    }
  } finally {
    clearTimeout(timer);
    await close(client);
  }
}

async function newClient(connection: string, connectMs: number): Promise<Client> {
  const { default: pg } = await import('pg').catch(() => {
    throw new UsageError('PostgreSQL needs the package pg: run npm install pg');
  });
  try {
    const client = new pg.Client({
      connectionString: connection,
      connectionTimeoutMillis: connectMs,
      application_name: 'assay',
      // The text of the server is exact; numbers and dates of JavaScript are not.
      types: { getTypeParser: () => (value: unknown) => value },
    });
    // A lost connection also rejects what waits for it; without a listener it would end this process.
    client.on('error', () => undefined);
    return client;
  } catch (error) {
    throw explained(error, connection);
  }
}

async function close(client: Client): Promise<void> {
  const { stream } = client.connection;
  const timer = setTimeout(() => stream.destroy(), terminateMs);
  if (!stream.destroyed) await client.end().catch(() => undefined);
  stream.destroy();
  clearTimeout(timer);
}

function explained(error: unknown, connection: string): Error {
  if (error instanceof UsageError) return error;
  const hint = error instanceof Error && 'hint' in error && typeof error.hint === 'string' ? ` (${error.hint})` : '';
  const text = `PostgreSQL: ${messageOf(error)}${hint}`;
  return new Error(passwordsOf(connection).reduce((safe, secret) => safe.replaceAll(secret, '[password]'), text));
}

/** Every spelling of the password, and the whole string when it is not understood. */
function passwordsOf(connection: string): string[] {
  const url = URL.parse(connection);
  if (!url) return [connection];
  const written = [url.password, url.searchParams.get('password') ?? ''];
  return [connection, ...written, ...written.map(decoded)].filter((secret) => secret !== '');
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
