/**
 * Lessons in a PostgreSQL database that many machines share.
 *
 * 1. A decision (admission, counting, expiry) reads and writes in one transaction that holds an advisory lock of the schema, so that no
 *    two processes take it at once, nor make or change the tables at once.
 * 2. Texts that were forgotten are overwritten in that transaction and vacuumed after it. What the server's own log, its replicas and its
 *    backups hold is the server's to keep or drop.
 * 3. No message holds the password.
 */
import type { PoolClient } from 'pg';
import { inTransaction, type PostgresConnection, PostgresConnections } from '../trace/postgres/connections.ts';
import { type Changed, governedLessons, type LessonBackend, type Wanted } from './governed-lessons.ts';
import type { LessonStoreOptions } from './lesson-record.ts';
import type { LessonStore } from './memory.ts';
import { listLessons, type Place, putEmbedding, putLesson, storable, wantedLessons } from './postgres-rows.ts';
import { lockLessons, migrateLessons, vectorSchema } from './postgres-schema.ts';
import { byMeaning, byWords } from './postgres-search.ts';

export interface PostgresLessonsOptions extends LessonStoreOptions {
  /** `postgresql://user:password@host/database`, of a role that may create tables. */
  connection: string;
  /** Where the tables are. Made when it is not there. Default `assay`. */
  schema?: string;
}

/**
 * Lessons in the tables of a schema; needs the package `pg`. Found by full-text search, and by pgvector where that extension is
 * installed. Throws `UsageError` for a schema that is none; the methods reject with `StateError` when the database cannot be used.
 */
export function postgresLessons(options: PostgresLessonsOptions): LessonStore {
  const { connection, schema = 'assay' } = options;
  return governedLessons(postgresBackend(new Connections(connection, schema)), options);
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

/** The connections of the lessons; preparing them gives the schema of pgvector, where that is installed. */
class Connections {
  readonly schema: string;
  readonly #connections: PostgresConnections<string | undefined>;

  constructor(connection: string, schema: string) {
    this.schema = schema;
    const prepare = (on: PostgresConnection): Promise<string | undefined> => {
      const place = this.#placeOf(on);
      return inTurn(place, async () => {
        await migrateLessons(place.client, schema);
        return vectorSchema(place.client);
      });
    };
    this.#connections = new PostgresConnections({ connectionString: connection, schema }, { name: 'lessons', prepare });
  }

  /** Runs the function on a connection. */
  use<T>(run: (place: Place, vectors: string | undefined) => Promise<T>): Promise<T> {
    return this.#connections.use((connection, vectors) => run(this.#placeOf(connection), vectors));
  }

  /** The same in a transaction that holds the lock; a throw rolls back. */
  transact<T>(run: (place: Place) => Promise<T>): Promise<T> {
    return this.use((place) => inTurn(place, () => run(place)));
  }

  close(): Promise<void> {
    return this.#connections.close();
  }

  #placeOf(connection: PostgresConnection): Place {
    // With a connection string the pool is one of `pg`, and gives its clients.
    return { client: connection as PoolClient, schema: this.schema };
  }
}

function inTurn<T>({ client, schema }: Place, run: () => Promise<T>): Promise<T> {
  return inTransaction(client, async () => {
    await lockLessons(client, schema);
    return run();
  });
}
