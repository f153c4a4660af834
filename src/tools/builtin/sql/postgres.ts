import type { QueryArrayConfig, QueryArrayResult } from 'pg';
import type { SqlDatabase, SqlSettings, Statement } from './database.ts';
import { postgresSchema } from './postgres-schema.ts';
import { type PostgresTarget, type Session, withSession } from './postgres-session.ts';
import { type Cell, type Column, csvTable, takeRows } from './rows.ts';

/** A PostgreSQL database: each call is a connection and a transaction of its own. */
export function postgresDatabase(target: PostgresTarget, settings: SqlSettings): SqlDatabase {
  const { maxRows, maxBytes } = settings;
  const table = async (session: Session, result: QueryArrayResult<Cell[]>): Promise<string> => {
    const columns = await columnsOf(session, result);
    const rows = result.rows.map((row) => row.map((value, index) => cellOf(value, result.fields[index]?.dataTypeID)));
    return csvTable(columns, takeRows(rows, { maxRows, maxBytes }));
  };
  return {
    query: (statement, signal) =>
      withSession(target, { settings, signal, write: false }, async (session) =>
        table(session, await read(session, statement, maxRows + 1)),
      ),
    schema: (only, signal) =>
      withSession(target, { settings, signal, write: false }, (session) => postgresSchema(session, only, maxBytes)),
    execute: (statement, signal) =>
      withSession(target, { settings, signal, write: true }, async (session) => {
        const result = await change(session, statement);
        const changed = `${result.rowCount} ${result.rowCount === 1 ? 'row' : 'rows'} changed.`;
        return result.fields.length === 0 ? changed : `${changed}\n\nReturned: ${await table(session, result)}`;
      }),
  };
}

/** Command tags, which the server gives. */
const changing = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE']);

/**
 * Only what can be explained is run, which leaves out COPY, DO, CALL and whatever else has effects that no rollback takes back;
 * and only a statement that the server itself calls a change of rows comes to the commit.
 */
async function change(session: Session, statement: Statement): Promise<QueryArrayResult<Cell[]>> {
  const explained = { ...single({ ...statement, sql: `EXPLAIN ${statement.sql}` }), name: 'assay_explain' };
  await session.query(explained).catch(refused('this tool runs one INSERT, UPDATE, DELETE or MERGE'));
  const result = await session.query(single(statement));
  if (changing.has(result.command)) return result;
  throw new Error(
    `${result.command} is refused and was rolled back: this tool runs one INSERT, UPDATE, DELETE or MERGE`,
  );
}

/**
 * A cursor can only be declared for a query: no other statement, no WITH that changes data, no INTO. A text that begins with
 * EXPLAIN can only be an EXPLAIN, and the transaction is read-only whatever is explained.
 */
async function read(session: Session, statement: Statement, count: number): Promise<QueryArrayResult<Cell[]>> {
  if (/^[ \t\r\n]*explain[\s(]/i.test(statement.sql)) return session.query(single(statement));
  await session
    .query(single({ ...statement, sql: `DECLARE assay_rows NO SCROLL CURSOR FOR\n${statement.sql}` }))
    .catch(refused('this tool only reads: one SELECT, VALUES, WITH … SELECT or EXPLAIN'));
  // All rows in one statement, so that nothing the query sets can change the time limit of another.
  return session.query({ text: `FETCH FORWARD ${count} FROM assay_rows`, rowMode: 'array' });
}

/** Adds to a refusal of the server's parser what it would have taken. */
function refused(remedy: string): (error: unknown) => never {
  const parserCodes = ['42601', '0A000', '42P11'];
  return (error) => {
    if (error instanceof Error && 'code' in error && parserCodes.includes(String(error.code))) {
      throw new Error(`${error.message} (${remedy})`);
    }
    throw error;
  };
}

/** A named statement always goes by the extended protocol, in which the server accepts only one. */
function single({ sql, params }: Statement): QueryArrayConfig {
  return { name: 'assay', text: sql, values: params, rowMode: 'array' };
}

async function columnsOf(session: Session, { fields }: QueryArrayResult<Cell[]>): Promise<Column[]> {
  const types = await session.query<string>({
    text: `SELECT pg_catalog.format_type(type, modifier)
           FROM ROWS FROM (pg_catalog.unnest($1::pg_catalog.oid[]), pg_catalog.unnest($2::pg_catalog.int4[]))
             WITH ORDINALITY AS t (type, modifier, place)
           ORDER BY place`,
    values: [fields.map((field) => field.dataTypeID), fields.map((field) => field.dataTypeModifier)],
    rowMode: 'array',
  });
  return fields.map(({ name }, index) => ({ name, type: types.rows[index]?.[0] ?? '' }));
}

const bytea = 17;
const timestamps = new Set([1114, 1184]);
const zone = /([+-]\d\d)(:\d\d)?$/;

/** Values as the server writes them, with bytes as their number and times in the form of ISO 8601. */
function cellOf(value: Cell, type: number | undefined): Cell {
  if (value === null) return null;
  if (type === bytea) return `(${(value.length - '\\x'.length) / 2} bytes)`;
  // Not infinity, nor a year before Christ.
  if (type === undefined || !timestamps.has(type) || !/^\d{4,}-\d\d-\d\d [\d:.+-]+$/.test(value)) return value;
  const [day = '', time = ''] = value.split(' ');
  return `${day}T${time.replace(zone, (offset, hours: string, minutes?: string) => {
    if (minutes !== undefined) return offset;
    return hours === '+00' ? 'Z' : `${hours}:00`;
  })}`;
}
