import * as z from 'zod';
import type { Attempt, Issue } from '../core/attempt.ts';
import { UsageError } from '../core/errors.ts';
import type { Json, JsonSchema } from '../core/json.ts';
import type { Check, CheckContext } from './check.ts';
import { schemaProblems } from './json-schema.ts';
import { type Query, type RowSource, readSource } from './row-source.ts';
import { type Row, type Table, tableOf } from './table-text.ts';

export interface RowsOptions {
  /** The check's name. Default `rows`. */
  name?: string;
  /** Where the rows stand: in the answer (default), or in the last `ok` observation of a tool. */
  from?: 'answer' | { tool: string };
  /** The list in a JSON object, such as `data.items`. */
  at?: string;
  /**
   * Of one row: JSON Schema or zod. In CSV, a text counts as the number or boolean that a JSON Schema asks for; in zod
   * use `z.coerce`.
   */
  schema?: JsonSchema | z.ZodType;
  /** Bounds of numeric columns, inclusive. An empty value has to be refused by `schema`. */
  ranges?: Readonly<Record<string, { min?: number; max?: number }>>;
  /** Columns, or lists of columns, of which no two rows have the same values. */
  unique?: readonly (string | readonly string[])[];
  /** Values of `column` that are not null stand in `key` (default: the first column) of the other table. */
  foreignKeys?: readonly { column: string; in: RowSource; key?: string }[];
  /** How many rows there are: a number, bounds, or as many as the source has. */
  count?: number | { min?: number; max?: number } | { source: RowSource };
  /** The set of these columns' values is that of the source: nothing left out, nothing made up. */
  keys?: { columns: string | readonly string[]; source: RowSource };
  /** Runs the SQL of the sources. `queryWith(tool)` makes one of the `sqlQuery` tool. */
  query?: Query;
}

const shownRows = 5;

/**
 * Data in the answer: each row by a schema and ranges, all of them by uniqueness, foreign keys, and by row count and
 * keys of a source (a function or SQL). Sources are read in steps; one that cannot be read fails the step, since it says
 * nothing about the answer. Throws `UsageError` for SQL without `query` and for options that ask for nothing.
 */
export function rows(options: RowsOptions): Check {
  const { name = 'rows', foreignKeys = [], count, keys, query } = options;
  const sources = [
    ...foreignKeys.map((foreign) => foreign.in),
    keys?.source,
    count !== undefined && isFromSource(count) && count.source,
  ];
  if (query === undefined && sources.some((source) => typeof source === 'string'))
    throw new UsageError(
      `${name}: a source is SQL, but there is no query: give query, for example queryWith(sqlQuery)`,
    );
  return {
    name,
    run: async (attempt, _task, context) => {
      const text = textOf(attempt, options.from);
      if (typeof text !== 'string') return [text];
      const table = tableOf(text, options.at);
      if ('why' in table)
        return [fault(`the rows cannot be read: ${table.why}`, 'answer with a JSON list of objects or with CSV')];
      return [...rowIssues(table, options), ...(await sourceIssues(table.rows, options, context))];
    },
  };
}

type Count = NonNullable<RowsOptions['count']>;

function isFromSource(count: Count): count is { source: RowSource } {
  return typeof count === 'object' && 'source' in count;
}

function fault(detail: string, requiredAction: string): Issue {
  return { type: 'failed_check', detail, requiredAction };
}

function textOf({ answer, observations }: Attempt, from: RowsOptions['from'] = 'answer'): string | Issue {
  if (from === 'answer')
    return (
      answer ?? { type: 'incomplete', detail: 'there is no answer with rows', requiredAction: 'answer with the rows' }
    );
  const found = observations.findLast(({ tool, status }) => tool === from.tool && status === 'ok');
  return found?.content ?? fault(`there is no result of ${from.tool} with rows`, `call ${from.tool}`);
}

function rowIssues(table: Table, { schema, ranges = {}, unique = [], count }: RowsOptions): Issue[] {
  return [
    ...(schema === undefined ? [] : schemaIssues(table, schema)),
    ...Object.entries(ranges).flatMap(([column, range]) => rangeIssues(table.rows, column, range)),
    ...unique.flatMap((columns) => uniqueIssues(table.rows, [columns].flat())),
    ...(count === undefined || isFromSource(count) ? [] : countIssues(table.rows.length, count)),
  ];
}

function schemaIssues({ rows, typed }: Table, schema: JsonSchema | z.ZodType): Issue[] {
  const problems = rows.flatMap((row, place) => {
    const found =
      schema instanceof z.ZodType
        ? zodProblems(row, schema)
        : jsonProblems(typed ? row : typedRow(row, schema), schema);
    return found.map((problem) => `row ${place + 1}: ${problem}`);
  });
  return listed(problems, 'rows do not fit the schema', 'correct these values');
}

function zodProblems(row: Row, schema: z.ZodType): string[] {
  const parsed = schema.safeParse(row);
  return parsed.success
    ? []
    : parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'the row'}: ${message}`);
}

function jsonProblems(row: Row, schema: JsonSchema): string[] {
  return schemaProblems(row, schema).map(({ path, message }) => `${path || 'the row'} ${message}`);
}

/** The texts of a CSV row as what the schema wants them to be, where they are that. */
function typedRow(row: Row, schema: JsonSchema): Row {
  const properties = schema['properties'];
  return Object.fromEntries(
    Object.entries(row).map(([column, value]): [string, Json] => {
      const property =
        typeof properties === 'object' && properties !== null && !Array.isArray(properties)
          ? properties[column]
          : undefined;
      const wanted = JSON.stringify(property ?? null);
      if (typeof value !== 'string') return [column, value];
      if (/"(?:number|integer)"/.test(wanted) && numberOf(value) !== undefined) return [column, Number(value)];
      return [
        column,
        /"boolean"/.test(wanted) && /^(?:true|false)$/i.test(value) ? value.toLowerCase() === 'true' : value,
      ];
    }),
  );
}

function numberOf(value: Json | undefined): number | undefined {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && /^\s*[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?\s*$/i.test(value)
    ? Number(value)
    : undefined;
}

function rangeIssues(rows: readonly Row[], column: string, range: { min?: number; max?: number }): Issue[] {
  const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } = range;
  const outside = rows.flatMap((row, place) => {
    const value = row[column];
    const number = numberOf(value);
    const fits = value === null || value === undefined || (number !== undefined && number >= min && number <= max);
    return fits ? [] : [`row ${place + 1} has ${JSON.stringify(value)}`];
  });
  const bounds = [range.min !== undefined && `from ${min}`, range.max !== undefined && `up to ${max}`]
    .filter(Boolean)
    .join(' ');
  return listed(outside, `${column} has to be a number ${bounds}`, 'correct these values');
}

function uniqueIssues(rows: readonly Row[], columns: readonly string[]): Issue[] {
  const seen = new Map<string, number>();
  const repeated = rows.flatMap((row, place) => {
    const key = keyText(row, columns);
    const first = seen.get(key);
    if (first === undefined) seen.set(key, place);
    return first === undefined ? [] : [`row ${place + 1} repeats row ${first + 1} (${key})`];
  });
  return listed(repeated, `${columns.join(', ')} has to be unique`, 'remove or correct the repeated rows');
}

function countIssues(found: number, count: number | { min?: number; max?: number }): Issue[] {
  const { min = 0, max = Number.POSITIVE_INFINITY } = typeof count === 'number' ? { min: count, max: count } : count;
  if (found >= min && found <= max) return [];
  const wanted = min === max ? `${min}` : `${min} to ${max}`;
  return [fault(`there are ${found} rows, not ${wanted}`, 'give the right number of rows')];
}

async function sourceIssues(given: readonly Row[], options: RowsOptions, context: CheckContext): Promise<Issue[]> {
  const { count, keys, foreignKeys = [], query, name = 'rows' } = options;
  const issues: Issue[] = [];
  if (count !== undefined && isFromSource(count)) {
    const expected = await context.step(
      `${name}.count`,
      async ({ signal }) => (await readSource(count.source, query, signal)).length,
    );
    issues.push(...countIssues(given.length, expected));
  }
  if (keys) {
    const columns = [keys.columns].flat();
    const expected = await context.step(`${name}.keys`, async ({ signal }) =>
      (await readSource(keys.source, query, signal)).map((row) => keyText(row, columns)),
    );
    issues.push(...keyIssues(given, columns, new Set(expected)));
  }
  for (const { column, in: source, key } of foreignKeys) {
    const known = await context.step(`${name}.foreignKey`, async ({ signal }) =>
      (await readSource(source, query, signal)).map((row) => keyText(row, [key ?? Object.keys(row)[0] ?? column])),
    );
    const values = new Set(known);
    const strange = given.flatMap((row, place) => {
      const value = keyText(row, [column]);
      return row[column] === null || row[column] === undefined || values.has(value)
        ? []
        : [`row ${place + 1} has ${value}`];
    });
    issues.push(...listed(strange, `${column} refers to what does not exist`, 'use values that exist'));
  }
  return issues;
}

function keyIssues(given: readonly Row[], columns: readonly string[], expected: ReadonlySet<string>): Issue[] {
  const found = new Set(given.map((row) => keyText(row, columns)));
  const what = columns.join(', ');
  return [
    ...listed(
      [...expected].filter((key) => !found.has(key)),
      `rows are missing, by ${what}`,
      'add the missing rows',
    ),
    ...listed(
      [...found].filter((key) => !expected.has(key)),
      `rows are in no source, by ${what}`,
      'remove the rows that the source does not have',
    ),
  ];
}

/** Values as one text; 7, 7.0 and "7" are the same, 007 is another. */
function keyText(row: Row, columns: readonly string[]): string {
  const texts = columns.map((column) => {
    const value = row[column] ?? null;
    const plain = typeof value === 'string' ? value.trim() : JSON.stringify(value);
    return /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,10})?$/.test(plain) ? String(Number(plain)) : plain;
  });
  return texts.join(' | ');
}

function listed(problems: readonly string[], what: string, requiredAction: string): Issue[] {
  if (problems.length === 0) return [];
  const more = problems.length > shownRows ? `; and ${problems.length - shownRows} more` : '';
  return [fault(`${what}: ${problems.slice(0, shownRows).join('; ')}${more}`, requiredAction)];
}
