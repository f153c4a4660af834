/**
 * Lessons in a PostgreSQL database that many machines share.
 *
 * 1. A decision (admission, counting, expiry) reads and writes in one transaction that holds an advisory lock of the schema, so that no
 *    two processes take it at once, nor make or change the tables at once.
 * 2. Texts that were forgotten are overwritten in that transaction and vacuumed after it. What the server's own log, its replicas and its
 *    backups hold is the server's to keep or drop.
 * 3. No message holds the password.
 */
import type { Pool, PoolClient } from 'pg';
import { messageOf, StateError, UsageError } from '../core/errors.ts';
import { type Changed, governedLessons, type LessonBackend, type Wanted } from './governed-lessons.ts';
import type { LessonStoreOptions } from './lesson-record.ts';
import type { LessonStore } from './memory.ts';
import { listLessons, type Place, putEmbedding, putLesson, storable, wantedLessons } from './postgres-rows.ts';
import { checkedSchema, lockLessons, migrateLessons, vectorSchema } from './postgres-schema.ts';
import { byMeaning, byWords } from './postgres-search.ts';

export interface PostgresLessonsOptions extends LessonStoreOptions {
  /** `postgresql://user:password@host/database`, of a role that may create tables. */
  connection: string;
  /** Where the tables are. Made when it is not there. Default `assay`. */
  schema?: string;
}

const connectMs = 10_000;
const mostConnections = 4;

/**
 * Lessons in the tables of a schema; needs the package `pg`. Found by full-text search, and by pgvector where that extension is
 * installed. Throws `UsageError` for a schema that is none; the methods reject with `StateError` when the database cannot be used.
 */
export function postgresLessons(options: PostgresLessonsOptions): LessonStore {
  const { connection, schema = 'assay' } = options;
  return governedLessons(postgresBackend(new Connections(connection, checkedSchema(schema))), options);
}

function postgresBackend(connections: Connections): LessonBackend {
  const { schema } = connections;
  const decided = async <Value>(run: (place: Place) => Promise<Changed<Value>>): Promise<Value> => {
    const changed = await connections.transact(async (place) => {
      const made = await run(place);
      for (const lesson of made.put) await putLesson(place, lesson);
      if (made.embedding) await putEmbedding(place, made.embedding);
      return made;
    });
    if (changed.put.some(({ status }) => status === 'forgotten')) {
      await connections.use(({ client }) => client.query(`VACUUM (SKIP_LOCKED) ${schema}.lessons`));
    }
    return changed.value;
  };

  return {
    change: (wanted, decide) => decided(async (place) => decide(await wantedLessons(place, wanted))),
    changeOnce: (key: string, wanted: Wanted, decide) =>
      decided(async (place) => {
        const added = await place.client.query(
          `INSERT INTO ${schema}.lesson_reports VALUES ($1) ON CONFLICT DO NOTHING`,
          [storable(key)],
        );
        return added.rowCount === 0 ? { value: undefined, put: [] } : decide(await wantedLessons(place, wanted));
      }),
    list: (query) => connections.use((place) => listLessons(place, query)),
    find: async (id) => (await connections.use((place) => wantedLessons(place, { ids: [id] })))[0],
    search: (query) =>
      connections.use(async (place, vectors) => [await byWords(place, query), await byMeaning(place, query, vectors)]),
    unembedded: ({ scope, model, dimension, limit }) =>
      connections.use(async (place) => {
        const embedded = await place.client.query<{ id: string }>(
          `SELECT id FROM ${schema}.lessons WHERE scope = $1 AND embedding_model = $2 AND cardinality(embedding) = $3`,
          [storable(scope), storable(model), dimension],
        );
        const known = new Set(embedded.rows.map(({ id }) => id));
        const active = await listLessons(place, { scope, status: 'active' });
        return active.filter(({ id }) => !known.has(id)).slice(0, limit);
      }),
    embed: (id, embedding) => connections.use((place) => putEmbedding(place, { id, embedding })),
    close: () => connections.close(),
  };
}

/** A pool that is opened by its first use, which also brings the tables to the newest layout. */
class Connections {
  readonly schema: string;
  readonly #connection: string;
  #opened: Promise<{ pool: Pool; vectors: string | undefined }> | undefined;
  #closed = false;

  constructor(connection: string, schema: string) {
    this.#connection = connection;
    this.schema = schema;
  }

  /** Runs the function on a connection. */
  async use<T>(run: (place: Place, vectors: string | undefined) => Promise<T>): Promise<T> {
    try {
      const { pool, vectors } = await this.#open();
      return await this.#on(pool, (client) => run({ client, schema: this.schema }, vectors));
    } catch (error) {
      throw this.#explained(error);
    }
  }

  /** The same in a transaction that holds the lock; a throw rolls back. */
  async transact<T>(run: (place: Place) => Promise<T>): Promise<T> {
    return this.use((place) => inTransaction(place, () => run(place)));
  }

  async close(): Promise<void> {
    this.#closed = true;
    const opened = await this.#opened?.catch(() => undefined);
    await opened?.pool.end();
  }

  async #open(): Promise<{ pool: Pool; vectors: string | undefined }> {
    if (this.#closed) throw new StateError('the store of lessons was closed: open it again to use it');
    this.#opened ??= this.#prepared();
    try {
      return await this.#opened;
    } catch (error) {
      this.#opened = undefined;
      throw error;
    }
  }

  async #prepared(): Promise<{ pool: Pool; vectors: string | undefined }> {
    const { default: pg } = await import('pg').catch(() => {
      throw new UsageError('PostgreSQL needs the package pg: run npm install pg');
    });
    const pool = new pg.Pool({
      connectionString: this.#connection,
      connectionTimeoutMillis: connectMs,
      application_name: 'assay',
      max: mostConnections,
      allowExitOnIdle: true,
    });
    // A lost idle connection is replaced at the next use; without a listener it would end this process.
    pool.on('error', () => undefined);
    try {
      const vectors = await this.#on(pool, (client) =>
        inTransaction({ client, schema: this.schema }, async () => {
          await migrateLessons(client, this.schema);
          return vectorSchema(client);
        }),
      );
      return { pool, vectors };
    } catch (error) {
      await pool.end();
      throw error;
    }
  }

  async #on<T>(pool: Pool, run: (client: PoolClient) => Promise<T>): Promise<T> {
    const client = await pool.connect();
    // One that is cut between two statements says so here, and again at the next statement; without a listener it would end the process.
    client.on('error', ignore);
    let failed = true;
    try {
      const value = await run(client);
      failed = false;
      return value;
    } finally {
      client.off('error', ignore);
      // A connection on which something failed may be in any state.
      client.release(failed);
    }
  }

  #explained(error: unknown): Error {
    if (error instanceof UsageError || error instanceof StateError) return error;
    const password = URL.parse(this.#connection)?.password ?? '';
    const secrets = [this.#connection, password, decoded(password)].filter((secret) => secret !== '');
    const text = secrets.reduce((safe, secret) => safe.replaceAll(secret, '[password]'), messageOf(error));
    return new StateError(
      `PostgreSQL: ${text}. Check that the server runs, and that the connection names a database in which its role may create the schema ${this.schema}.`,
    );
  }
}

async function inTransaction<T>({ client, schema }: Place, run: () => Promise<T>): Promise<T> {
  await client.query('BEGIN');
  try {
    await lockLessons(client, schema);
    const value = await run();
    await client.query('COMMIT');
    return value;
  } catch (error) {
    // Where the connection is lost, so is the transaction.
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function ignore(): void {}
