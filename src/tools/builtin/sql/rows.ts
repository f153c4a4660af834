/** A value as text; null is SQL's NULL. */
export type Cell = string | null;

export interface Column {
  name: string;
  type: string;
}

export interface RowLimits {
  maxRows: number;
  /** Of the CSV text in UTF-8, without its head. */
  maxBytes: number;
}

/** The beginning of a result. */
export interface TakenRows {
  rows: Cell[][];
  /** The result went on. */
  more: boolean;
}

/** Of one value; the rest of a longer one is counted and left out. */
const maxCell = 4_000;

/** Takes rows until a limit is reached, reading at most one more than are taken. */
export function takeRows(source: Iterable<readonly Cell[]>, limits: RowLimits): TakenRows {
  const rows: Cell[][] = [];
  let bytes = 0;
  for (const row of source) {
    const short = row.map(shortened);
    bytes += Buffer.byteLength(csvLine(short)) + 1;
    if (rows.length >= limits.maxRows || (bytes > limits.maxBytes && rows.length > 0)) return { rows, more: true };
    rows.push(short);
  }
  return { rows, more: false };
}

function shortened(cell: Cell): Cell {
  if (cell === null || cell.length <= maxCell) return cell;
  return `${cell.slice(0, maxCell).toWellFormed()}…[${cell.length - maxCell} more characters]`;
}

/**
 * CSV (RFC 4180) with a line of names and a line of types, under a line that says how many rows there are. NULL is an empty
 * field and an empty text `""`, as in PostgreSQL's COPY.
 */
export function csvTable(columns: readonly Column[], { rows, more }: TakenRows): string {
  const count = `${rows.length} ${rows.length === 1 ? 'row' : 'rows'}`;
  const head = more
    ? `The first ${count}; more exist: narrow the query, aggregate, or page with LIMIT and OFFSET.`
    : `${count}.`;
  return [
    `${head} CSV: names, types, values; an empty field is NULL, "" an empty text.\n`,
    csvLine(columns.map(({ name }) => name)),
    csvLine(columns.map(({ type }) => type)),
    ...rows.map(csvLine),
  ].join('\n');
}

function csvLine(cells: readonly Cell[]): string {
  return cells.map(csvField).join(',');
}

function csvField(cell: Cell): string {
  if (cell === null) return '';
  return cell === '' || /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
