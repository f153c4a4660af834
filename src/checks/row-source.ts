import { UsageError } from '../core/errors.ts';
import type { Tool } from '../tools/tool.ts';
import { csvRecords, type Row } from './table-text.ts';

/** Runs one SQL statement and returns its rows. */
export type Query = (sql: string, signal: AbortSignal) => Promise<readonly Row[]> | readonly Row[];

/** Rows to compare with: a list, a function that reads them, or SQL for `query`. */
export type RowSource = readonly Row[] | ((signal: AbortSignal) => Promise<readonly Row[]> | readonly Row[]) | string;

/** What a source holds. Called inside a step. */
export async function readSource(
  source: RowSource,
  query: Query | undefined,
  signal: AbortSignal,
): Promise<readonly Row[]> {
  if (typeof source === 'function') return source(signal);
  if (typeof source !== 'string') return source;
  if (!query) throw new UsageError('the source is SQL, but there is no query: give query');
  return query(source, signal);
}

/**
 * A `Query` that asks through the `sqlQuery` tool of `sql()`. Values are texts or null, as the tool returns them. Throws
 * `UsageError` for another tool, and rejects when the tool returned only a part of the rows.
 */
export function queryWith(tools: Tool | readonly Tool[]): Query {
  const tool = [tools].flat().find(({ name, effect }) => /Query$/.test(name) && effect === 'read');
  if (!tool) throw new UsageError('queryWith: give the tools of sql(), or its query tool');
  return async (statement, signal) => {
    const args = tool.input.parse({ sql: statement });
    const result = await tool.run(args, { idempotencyKey: statement, attempt: 1, signal });
    const [head = '', body = ''] = String(result).split(/\n\n([\s\S]*)/);
    if (/^The first /.test(head))
      throw new UsageError(
        `the source has more rows than ${tool.name} returns: give sql() a larger maxRows and maxBytes`,
      );
    const [names = [], , ...values] = csvRecords(`${body}\n`) ?? [];
    return values.map((cells) => Object.fromEntries(names.map((name, column) => [name ?? '', cells[column] ?? null])));
  };
}
