/** A database as the tools of `sql` use it: an implementation for each kind. Every method gives text for the model. */
export interface SqlDatabase {
  /** Rejects for whatever is not one reading statement, having changed nothing. */
  query(statement: Statement, signal: AbortSignal): Promise<string>;
  schema(table: string | undefined, signal: AbortSignal): Promise<string>;
  /** Runs one INSERT, UPDATE, DELETE or MERGE: wholly or not at all. Rejects for everything else, having changed nothing. */
  execute(statement: Statement, signal: AbortSignal): Promise<string>;
}

export interface Statement {
  sql: string;
  /** Bound by the database, never put into the text. */
  params: Parameter[];
}

export type Parameter = string | number | boolean | null;

export interface SqlSettings {
  timeoutMs: number;
  maxRows: number;
  maxBytes: number;
}
