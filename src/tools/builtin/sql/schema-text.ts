/** A table, view or the like, as both databases describe it. */
export interface SchemaTable {
  name: string;
  /** `table`, `view`, `materialized view` and so on. */
  kind: string;
  columns: { name: string; type: string; notNull: boolean }[];
  /** As SQL: `PRIMARY KEY (id)`. */
  keys: string[];
}

/** The tables as text, a line for each column and key. Tables that do not fit into `maxBytes` are only named, then counted. */
export function schemaText(tables: readonly SchemaTable[], maxBytes: number): string {
  if (tables.length === 0) return 'There is no such table or view that may be read.';
  const parts: string[] = [];
  let bytes = 0;
  for (const table of tables) {
    const part = tableText(table);
    bytes += Buffer.byteLength(part) + 2;
    if (bytes > maxBytes && parts.length > 0) return [...parts, leftOut(tables.slice(parts.length))].join('\n\n');
    parts.push(part.length > maxBytes ? `${part.slice(0, maxBytes).toWellFormed()}…[cut]` : part);
  }
  return parts.join('\n\n');
}

function leftOut(tables: readonly SchemaTable[]): string {
  const shown = tables.slice(0, 200).map(({ name }) => identifier(name).slice(0, 100));
  const more = tables.length - shown.length;
  return `Left out for length (ask for one by its name): ${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function tableText({ name, kind, columns, keys }: SchemaTable): string {
  const lines = columns.map((column) =>
    `  ${identifier(column.name)} ${column.type}${column.notNull ? ' NOT NULL' : ''}`.trimEnd(),
  );
  return [`${kind} ${name}`, ...lines, ...keys.map((key) => `  ${key}`)].join('\n');
}

/** A name as SQL has to write it. */
export function identifier(name: string): string {
  return /^[a-z_][a-z0-9_]*$/i.test(name) ? name : `"${name.replaceAll('"', '""')}"`;
}
