import type { ClientBase } from 'pg';
import { StateError } from '../core/errors.ts';
import { lockSchema } from '../trace/postgres/connections.ts';

/** Applied in order; `lesson_layout` holds how many were. `SCHEMA` is the schema's name. */
const migrations: readonly string[] = [
  `CREATE TABLE SCHEMA.lessons (
     id text PRIMARY KEY,
     source text NOT NULL,
     scope text NOT NULL,
     "trigger" text NOT NULL,
     failure_pattern text NOT NULL,
     lesson text NOT NULL,
     avoid text NOT NULL,
     created double precision NOT NULL,
     expires double precision NOT NULL,
     checked double precision NOT NULL,
     uses integer NOT NULL,
     wins integer NOT NULL,
     losses integer NOT NULL,
     status text NOT NULL CHECK (status IN ('active', 'retired', 'quarantined', 'expired', 'forgotten')),
     applies text NOT NULL,
     evidence text NOT NULL,
     conflicts text NOT NULL,
     why text NOT NULL,
     terms tsvector NOT NULL,
     embedding real[],
     embedding_model text
   );
   CREATE INDEX lessons_by_scope ON SCHEMA.lessons (scope, status);
   CREATE INDEX lessons_by_term ON SCHEMA.lessons USING gin (terms) WHERE status = 'active';
   CREATE TABLE SCHEMA.lesson_reports (key text PRIMARY KEY);`,
];

/** Makes other transactions of the same lessons wait for this one. */
export async function lockLessons(client: ClientBase, schema: string): Promise<void> {
  await client.query("SET LOCAL lock_timeout = '15s'");
  await lockSchema(client, schema);
}

/** Brings the tables to the newest layout, in a transaction that holds the lock. */
export async function migrateLessons(client: ClientBase, schema: string): Promise<void> {
  const there = await client.query('SELECT FROM pg_namespace WHERE nspname = $1', [schema]);
  if (there.rowCount === 0) await client.query(`CREATE SCHEMA ${schema}`);
  await client.query(`CREATE TABLE IF NOT EXISTS ${schema}.lesson_layout (version integer NOT NULL)`);
  const found = await client.query<{ version: number }>(`SELECT version FROM ${schema}.lesson_layout`);
  const version = found.rows[0]?.version ?? 0;
  if (version > migrations.length) {
    throw new StateError(
      `the schema ${schema} was written by a newer Assay (layout ${version}): upgrade Assay or name another schema`,
    );
  }
  if (version === migrations.length) return;
  for (const migration of migrations.slice(version)) await client.query(migration.replaceAll('SCHEMA', schema));
  await client.query(`DELETE FROM ${schema}.lesson_layout`);
  await client.query(`INSERT INTO ${schema}.lesson_layout VALUES ($1)`, [migrations.length]);
}

/** The schema of the extension pgvector, quoted; undefined where it is not installed in this database. */
export async function vectorSchema(client: ClientBase): Promise<string | undefined> {
  const found = await client.query<{ name: string }>(
    `SELECT quote_ident(nspname) AS name FROM pg_extension JOIN pg_namespace ON pg_namespace.oid = extnamespace
     WHERE extname = 'vector'`,
  );
  return found.rows[0]?.name;
}
