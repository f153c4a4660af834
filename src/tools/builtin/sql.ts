import * as path from 'node:path';
import * as z from 'zod';
import { UsageError } from '../../core/errors.ts';
import { type Tool, type Touched, tool } from '../tool.ts';
import type { SqlDatabase, SqlSettings } from './sql/database.ts';

/**
 * Which database. `sqlite`: a file. `postgres`: a connection string (`postgresql://user:password@host/database`); needs the
 * package `pg`. A role that may read or write files of the server, or is a superuser, is refused without `allowSuperuser`.
 */
export type SqlTarget = { sqlite: string } | { postgres: string; allowSuperuser?: boolean };

export interface SqlOptions {
  /** Adds the tool that changes rows; it asks as a `write`, or as an `irreversible` effect. Default: there is none. */
  write?: boolean | 'irreversible';
  /** The tools are called `sqlQuery`, `sqlSchema`, `sqlExecute`; another name than `sql` tells two databases apart. */
  name?: string;
  /** For one statement. Default 10,000. */
  timeoutMs?: number;
  /** Of one result. Default 200. */
  maxRows?: number;
  /** Of one result as text. Default 50,000. */
  maxBytes?: number;
}

/** The executor's own limit comes later, so that the error of this tool is the one that is seen. */
const graceMs = 10_000;

/**
 * Tools for one SQL database: `sqlQuery` and `sqlSchema` only read, and with `write` there is `sqlExecute` for one INSERT,
 * UPDATE or DELETE. What a statement may do is decided by the database, never by its text.
 *
 * SQLite: the file is opened read-only in a process of its own that is killed at its limits; ATTACH, VACUUM INTO, extensions,
 * pragmas that write and temporary tables are refused.
 *
 * PostgreSQL: a new connection for each call, a READ ONLY transaction that is always rolled back, a cursor (so only what a
 * cursor can be declared for runs), time limits of the server, and the backend is terminated on abort. READ ONLY does not stop
 * functions with effects outside the tables (`pg_terminate_backend`, advisory locks, `dblink`, extensions, functions of your
 * own): **the rights of the role are the real boundary**, so give it a role that may only read what the model may see.
 *
 * Throws `UsageError` for a name, limit, file or connection string that cannot be one.
 */
export function sql(target: SqlTarget, options: SqlOptions = {}): Tool[] {
  const { write = false, name = 'sql', timeoutMs = 10_000, maxRows = 200, maxBytes = 50_000 } = options;
  if (!/^[a-z][a-zA-Z0-9_]{0,30}$/.test(name)) {
    throw new UsageError(`name: "${name}" cannot begin a tool name: use up to 31 letters, digits and _`);
  }
  if (![timeoutMs, maxRows, maxBytes].every((limit) => Number.isInteger(limit) && limit > 0)) {
    throw new UsageError('timeoutMs, maxRows and maxBytes have to be whole numbers above 0');
  }
  const { database, dialect, touched } = opened(target, { timeoutMs, maxRows, maxBytes });
  const common = { timeoutMs: timeoutMs + graceMs, touches: () => touched };
  const readers = [
    tool({
      ...common,
      name: `${name}Query`,
      description: `Runs one reading ${dialect} statement (SELECT, WITH … SELECT, VALUES, EXPLAIN) and returns CSV: names, types, rows (at most ${maxRows}). Nothing can be changed with it. ${name}Schema lists tables and columns.`,
      input: statement,
      effect: 'read',
      run: async (args, { signal }) => (await database()).query(args, signal),
    }),
    tool({
      ...common,
      name: `${name}Schema`,
      description: `Lists the tables and views of the ${dialect} database with columns, types and keys.`,
      input: z.object({
        table: z.string().min(1).max(200).optional().describe('Only this table or view; without it, all.'),
      }),
      effect: 'read',
      run: async ({ table }, { signal }) => (await database()).schema(table, signal),
    }),
  ];
  if (write === false) return readers;
  const writer = tool({
    ...common,
    name: `${name}Execute`,
    description: `Runs one INSERT, UPDATE or DELETE statement of ${dialect}, wholly or not at all, and returns how many rows it changed and what RETURNING gives.`,
    input: statement,
    effect: write === 'irreversible' ? 'irreversible' : 'write',
    run: async (args, { signal }) => (await database()).execute(args, signal),
  });
  return [...readers, writer];
}

const statement = z.object({
  sql: z
    .string()
    .min(1)
    .max(50_000)
    .refine((text) => !text.includes('\0'), 'contains a NUL character')
    .describe('One statement. Values go into params, not into the text.'),
  params: z
    .array(z.union([z.string().max(100_000), z.number(), z.boolean(), z.null()]))
    .max(100)
    .default([])
    .describe('Values for the placeholders: ? in SQLite, $1, $2 … in PostgreSQL. Integers beyond 2^53 as text.'),
});

interface Opened {
  /** The drivers are loaded by the first call, not by the start of the program. */
  database(): Promise<SqlDatabase>;
  dialect: 'SQLite' | 'PostgreSQL';
  touched: Touched;
}

function opened(target: SqlTarget, settings: SqlSettings): Opened {
  if ('sqlite' in target) {
    if (target.sqlite === '' || target.sqlite.startsWith(':')) {
      throw new UsageError(`sqlite: "${target.sqlite}" is no file: each call opens it anew, so it has to be on disk`);
    }
    const file = path.resolve(target.sqlite);
    const database = async (): Promise<SqlDatabase> => (await import('./sql/sqlite.ts')).sqliteDatabase(file, settings);
    return { database, dialect: 'SQLite', touched: { paths: [file] } };
  }
  const { postgres: connection, allowSuperuser = false } = target;
  const url = URL.parse(connection);
  if (!url || !/^postgres(?:ql)?:$/.test(url.protocol)) {
    // Without the string: it may hold a password.
    throw new UsageError(
      'postgres: the connection string is none; write postgresql://user:password@host:5432/database',
    );
  }
  const database = async (): Promise<SqlDatabase> =>
    (await import('./sql/postgres.ts')).postgresDatabase({ connection, allowSuperuser }, settings);
  return { database, dialect: 'PostgreSQL', touched: hostsOf(url) };
}

/** The host as `URL` writes those of http; nothing for a socket of this machine. */
function hostsOf(url: URL): Touched {
  const host = url.searchParams.get('host') ?? url.hostname;
  const written = URL.parse(`http://${host}/`)?.hostname;
  return host.startsWith('/') || written === undefined ? {} : { hosts: [written] };
}
