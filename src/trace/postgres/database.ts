/**
 * The tables of one part (events, runs, blobs) in a schema of a PostgreSQL database that many machines share.
 *
 * 1. They are opened by their first use, which also brings them to the newest layout. An advisory lock of the schema makes those who
 *    begin at once do that one after the other; it is the lock of the lessons too, who may have to make the same schema.
 * 2. A role that may only read is enough where the layout is the newest.
 */
import { StateError } from '../../core/errors.ts';
import {
  inTransaction,
  lockSchema,
  type PostgresConnection,
  PostgresConnections,
  type PostgresOptions,
} from './connections.ts';

/** The tables of one part: migrations are applied in order, `${name}_layout` holds how many were; `SCHEMA` is the schema's name. */
export interface PostgresLayout {
  readonly name: string;
  readonly migrations: readonly string[];
}

const beginWithLimits = "BEGIN; SET LOCAL lock_timeout = '15s'; SET LOCAL idle_in_transaction_session_timeout = '60s'";

/** The tables of the layout, as one user of them sees them. Throws `UsageError` for options that cannot be. */
export class PostgresTables extends PostgresConnections<void> {
  constructor(options: PostgresOptions, layout: PostgresLayout) {
    super(options, { name: layout.name, prepare: (connection, schema) => migrate(connection, schema, layout) });
  }

  /** Runs the function on a connection in a transaction; a throw rolls back. */
  transact<T>(run: (connection: PostgresConnection) => Promise<T>): Promise<T> {
    return this.use((connection) => inTransaction(connection, () => run(connection), beginWithLimits));
  }
}

async function migrate(connection: PostgresConnection, schema: string, layout: PostgresLayout): Promise<void> {
  const { migrations } = layout;
  const table = `${schema}.${layout.name}_layout`;
  if ((await versionOf(connection, table)) === migrations.length) return;
  const bring = async (): Promise<void> => {
    await lockSchema(connection, schema);
    const there = await connection.query('SELECT FROM pg_namespace WHERE nspname = $1', [schema]);
    if (there.rowCount === 0) await connection.query(`CREATE SCHEMA ${schema}`);
    await connection.query(`CREATE TABLE IF NOT EXISTS ${table} (version integer NOT NULL)`);
    const version = await versionOf(connection, table);
    for (const migration of migrations.slice(version)) await connection.query(migration.replaceAll('SCHEMA', schema));
    await connection.query(`DELETE FROM ${table}`);
    await connection.query(`INSERT INTO ${table} VALUES ($1)`, [migrations.length]);
  };
  await inTransaction(connection, bring, beginWithLimits);

  async function versionOf(on: PostgresConnection, name: string): Promise<number> {
    const found = await on.query('SELECT to_regclass($1) IS NOT NULL AS there', [name]);
    if (found.rows[0]?.['there'] !== true) return 0;
    const version = Number((await on.query(`SELECT version FROM ${name}`)).rows[0]?.['version'] ?? 0);
    if (version <= migrations.length) return version;
    throw new StateError(
      `the schema ${schema} was written by a newer Assay (layout ${version} of ${layout.name}): upgrade Assay or name another schema`,
    );
  }
}
