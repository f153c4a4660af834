/** What the process of `src/tools/workers/sqlite.ts` does for one call. */
import type { StatementSync } from 'node:sqlite';
import type { Parameter, Statement } from './database.ts';
import { type Cell, type Column, csvTable, type RowLimits, takeRows } from './rows.ts';
import { identifier, type SchemaTable, schemaText } from './schema-text.ts';
import { type GuardedDatabase, openGuarded } from './sqlite-guard.ts';

interface SqliteCommon {
  file: string;
  limits: RowLimits;
  /** How long to wait for another process that writes. */
  busyMs: number;
}

/** `recover` opens the file for writing and changes nothing, so that SQLite takes back what an ended process had begun. */
export type SqliteRequest = SqliteCommon &
  (({ type: 'query' | 'execute' } & Statement) | { type: 'schema'; table?: string } | { type: 'recover' });

export function answerSqlite(request: SqliteRequest): string {
  const write = request.type === 'execute' || request.type === 'recover';
  const guarded = openGuarded(request.file, { write, busyMs: request.busyMs });
  try {
    return answer(guarded, request);
  } finally {
    guarded.database.close();
  }
}

function answer(guarded: GuardedDatabase, request: SqliteRequest): string {
  switch (request.type) {
    case 'query':
      return table(guarded.prepare(request.sql), request.params, request.limits);
    case 'execute':
      return execute(guarded, request);
    case 'schema':
      return schemaText(tablesOf(guarded, request.table), request.limits.maxBytes);
    case 'recover':
      return String(guarded.prepare('SELECT count(*) AS tables FROM sqlite_schema').get()?.['tables']);
  }
}

function execute(guarded: GuardedDatabase, request: SqliteRequest & { type: 'query' | 'execute' }): string {
  const statement = guarded.prepare(request.sql);
  if (statement.columns().length === 0) {
    const { changes } = statement.run(...bindable(request.params));
    return changed(changes);
  }
  // A statement that returns rows has made all its changes before the first of them.
  const returned = table(statement, request.params, request.limits);
  return `${changed(Number(guarded.prepare('SELECT changes() AS n').get()?.['n']))}\n\nReturned: ${returned}`;
}

function changed(rows: number | bigint): string {
  return `${rows} ${rows === 1 ? 'row' : 'rows'} changed.`;
}

function table(statement: StatementSync, params: Parameter[], limits: RowLimits): string {
  // 64-bit integers stay exact, and columns of the same name stay apart.
  statement.setReadBigInts(true);
  statement.setReturnArrays(true);
  const described = statement.columns();
  const classes = described.map(() => new Set<string>());
  const taken = takeRows(rowsOf(statement, params, classes), limits);
  const columns = described.map(
    ({ name, type }, index): Column => ({ name, type: type || [...(classes[index] ?? [])].join('|') || 'NULL' }),
  );
  return csvTable(columns, taken);
}

function* rowsOf(statement: StatementSync, params: Parameter[], classes: Set<string>[]): Generator<Cell[]> {
  // With setReturnArrays, a row is an array whatever the declared type says.
  const rows = statement.iterate(...bindable(params)) as Iterable<unknown> as Iterable<unknown[]>;
  for (const row of rows) {
    yield row.map((value, index) => {
      if (value !== null) classes[index]?.add(storageClass(value));
      return cellOf(value);
    });
  }
}

function storageClass(value: unknown): string {
  if (typeof value === 'bigint') return 'INTEGER';
  if (typeof value === 'number') return 'REAL';
  return typeof value === 'string' ? 'TEXT' : 'BLOB';
}

function cellOf(value: unknown): Cell {
  if (value === null) return null;
  if (value instanceof Uint8Array) return `(${value.byteLength} bytes)`;
  // As SQLite writes it: 2.0 is no integer.
  if (typeof value === 'number' && Number.isInteger(value) && Math.abs(value) < 1e15) return value.toFixed(1);
  return String(value);
}

function bindable(params: readonly Parameter[]): (string | number | bigint | null)[] {
  return params.map((value) => {
    if (typeof value === 'boolean') return value ? 1n : 0n;
    return typeof value === 'number' && Number.isSafeInteger(value) ? BigInt(value) : value;
  });
}

function tablesOf(guarded: GuardedDatabase, only: string | undefined): SchemaTable[] {
  const found = guarded
    .prepare(
      `SELECT name, type FROM pragma_table_list
       WHERE schema = 'main' AND type <> 'shadow' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND coalesce(name = ? COLLATE NOCASE, true)
       ORDER BY name`,
    )
    .all(only ?? null);
  return found.map(({ name, type }) =>
    tableOf(guarded, String(name), type === 'virtual' ? 'virtual table' : String(type)),
  );
}

function tableOf({ prepare }: GuardedDatabase, name: string, kind: string): SchemaTable {
  const columns = prepare(
    'SELECT name, type, "notnull", pk FROM pragma_table_xinfo(?) WHERE hidden <> 1 ORDER BY cid',
  ).all(name);
  const primary = columns.filter(({ pk }) => Number(pk) > 0).sort((a, b) => Number(a['pk']) - Number(b['pk']));
  const unique = prepare(`SELECT name FROM pragma_index_list(?) WHERE "unique" AND origin <> 'pk' ORDER BY seq`).all(
    name,
  );
  const foreign = prepare('SELECT id, "table", "from", "to" FROM pragma_foreign_key_list(?) ORDER BY id, seq').all(
    name,
  );
  const keys = [
    ...(primary.length === 0 ? [] : [`PRIMARY KEY ${columnList(primary.map((column) => column['name']))}`]),
    ...unique.map(({ name: index }) => {
      const parts = prepare('SELECT name FROM pragma_index_info(?) ORDER BY seqno').all(String(index));
      return `UNIQUE ${columnList(parts.map((part) => part['name'] ?? '(expression)'))}`;
    }),
    ...[...Map.groupBy(foreign, (row) => row['id']).values()].map(foreignKey),
  ];
  return {
    name: identifier(name),
    kind,
    columns: columns.map((column) => ({
      name: String(column['name']),
      type: String(column['type']),
      notNull: Number(column['notnull']) !== 0,
    })),
    keys,
  };
}

function foreignKey(rows: readonly Record<string, unknown>[]): string {
  const targets = rows.map((row) => row['to']);
  // Without named columns, the primary key of the other table is meant.
  const named = targets.includes(null) ? '' : ` ${columnList(targets)}`;
  const other = identifier(String(rows[0]?.['table']));
  return `FOREIGN KEY ${columnList(rows.map((row) => row['from']))} REFERENCES ${other}${named}`;
}

function columnList(names: readonly unknown[]): string {
  return `(${names.map((name) => identifier(String(name))).join(', ')})`;
}
