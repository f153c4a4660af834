import type { Session } from './postgres-session.ts';
import { type SchemaTable, schemaText } from './schema-text.ts';

/** What can be selected from, without the system's own. `$1`: a name with or without its schema, or null for all. */
const readable = `
  readable AS (
    SELECT c.oid, c.relkind,
      pg_catalog.quote_ident(n.nspname) || '.' || pg_catalog.quote_ident(c.relname) AS name
    FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition
      AND n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname !~ '^pg_(toast|temp)'
      AND pg_catalog.has_schema_privilege(n.oid, 'USAGE')
      AND pg_catalog.has_any_column_privilege(c.oid, 'SELECT')
      AND ($1::pg_catalog.text IS NULL OR $1 IN (c.relname, n.nspname || '.' || c.relname))
  )`;

const columnsQuery = `WITH ${readable}
  SELECT r.name, r.relkind, a.attname, pg_catalog.format_type(a.atttypid, a.atttypmod), a.attnotnull
  FROM readable r JOIN pg_catalog.pg_attribute a ON a.attrelid = r.oid
  WHERE a.attnum > 0 AND NOT a.attisdropped AND pg_catalog.has_column_privilege(r.oid, a.attnum, 'SELECT')
  ORDER BY r.name, a.attnum`;

const keysQuery = `WITH ${readable}
  SELECT r.name, pg_catalog.pg_get_constraintdef(k.oid)
  FROM readable r JOIN pg_catalog.pg_constraint k ON k.conrelid = r.oid
  WHERE k.contype IN ('p', 'u', 'f')
  ORDER BY r.name, pg_catalog.array_position(ARRAY['p', 'u', 'f'], k.contype::pg_catalog.text), k.conname`;

const kinds: Readonly<Record<string, string>> = {
  v: 'view',
  m: 'materialized view',
  f: 'foreign table',
};

/** The tables and views that the role may read, or one of them. */
export async function postgresSchema(session: Session, only: string | undefined, maxBytes: number): Promise<string> {
  const values = [only ?? null];
  const columns = await session.query({ text: columnsQuery, values, rowMode: 'array' });
  const keys = await session.query({ text: keysQuery, values, rowMode: 'array' });
  const tables = new Map<string, SchemaTable>();
  for (const [name = '', kind, column, type, notNull] of columns.rows.map((row) => row.map(String))) {
    const known = tables.get(name) ?? { name, kind: kinds[kind ?? ''] ?? 'table', columns: [], keys: [] };
    known.columns.push({ name: column ?? '', type: type ?? '', notNull: notNull === 't' });
    tables.set(name, known);
  }
  for (const [name, key] of keys.rows.map((row) => row.map(String))) tables.get(name ?? '')?.keys.push(key ?? '');
  return schemaText([...tables.values()], maxBytes);
}
