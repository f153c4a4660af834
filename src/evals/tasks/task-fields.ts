import { UsageError } from '../../core/errors.ts';
import type { Json } from '../../core/json.ts';
import type { EvalTask } from '../suite.ts';
import { isRow, type SourceRow } from './source-row.ts';

export type TaskField = keyof EvalTask;

/** The column or member that holds a field of the task; `meta.type` reaches into objects. */
export type FieldNames = Partial<Record<TaskField, string>>;

/** The names that a field goes by in files, without regard to case. */
const usualNames: Readonly<Record<TaskField, readonly string[]>> = {
  id: ['id', 'task_id', 'uuid'],
  input: ['input', 'task', 'question', 'prompt'],
  expected: ['expected', 'answer', 'gold', 'label', 'target'],
  kind: ['kind', 'category'],
  context: ['context'],
  constraints: ['constraints'],
  checks: ['checks'],
  outputSchema: ['outputschema', 'output_schema'],
};

/** Where the rows hold which field: as it was chosen, else by the usual names. Throws `UsageError` where that is not one place. */
export function fieldNames(rows: readonly SourceRow[], chosen: FieldNames, file: string): FieldNames {
  const columns = new Set<string>();
  for (const { value } of rows) for (const name of Object.keys(value)) columns.add(name);
  const found: FieldNames = {};
  // The keys of the record are those of its type.
  for (const field of Object.keys(usualNames) as TaskField[]) {
    const name = chosen[field] ?? usualName(field, columns, file);
    if (name === undefined) continue;
    found[field] = name;
    if (rows.some(({ value }) => valueAt(value, name) !== undefined)) continue;
    throw new UsageError(
      `${file} has no '${name}', which \`fields\` gives for ${field}. It has: ${[...columns].join(', ')}.`,
    );
  }
  if (found.input !== undefined) return found;
  throw new UsageError(
    `${file} has none of ${usualNames.input.join(', ')}, but ${[...columns].join(', ')}. Say which one is the task: fields: { input: '...' }.`,
  );
}

function usualName(field: TaskField, columns: ReadonlySet<string>, file: string): string | undefined {
  const candidates = [...columns].filter((column) => usualNames[field].includes(column.toLowerCase()));
  const [name] = candidates;
  if (candidates.length < 2) return name;
  throw new UsageError(
    `${file} has ${candidates.join(' and ')}, each of which may be ${field}. Say which one is meant: fields: { ${field}: '${name}' }.`,
  );
}

/** The value under the name, or at the path of names. */
function valueAt(row: SourceRow['value'], name: string): Json | undefined {
  if (Object.hasOwn(row, name)) return row[name];
  let found: Json | undefined = row;
  for (const key of name.split('.')) found = isRow(found) && Object.hasOwn(found, key) ? found[key] : undefined;
  return found;
}

/** Reads the fields of one row. Its methods throw `UsageError` with the place for a value of another type. */
export class RowFields {
  readonly #row: SourceRow;
  readonly #names: FieldNames;

  constructor(row: SourceRow, names: FieldNames) {
    this.#row = row;
    this.#names = names;
  }

  /** Null counts as absent. */
  value(field: TaskField): Json | undefined {
    const name = this.#names[field];
    return name === undefined ? undefined : (valueAt(this.#row.value, name) ?? undefined);
  }

  text(field: TaskField): string | undefined {
    const value = this.value(field);
    if (typeof value === 'string' || typeof value === 'number') return String(value);
    if (value !== undefined) throw this.fault(field, 'a text');
    return undefined;
  }

  texts(field: TaskField): string[] | undefined {
    const value = this.value(field);
    if (typeof value === 'string') return [value];
    if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value;
    if (value !== undefined) throw this.fault(field, 'a list of texts');
    return undefined;
  }

  object(field: TaskField): { [key: string]: Json } | undefined {
    const value = this.value(field);
    if (isRow(value)) return value;
    if (value !== undefined) throw this.fault(field, 'an object');
    return undefined;
  }

  fault(field: TaskField, wanted: string): UsageError {
    const value = this.value(field);
    const found = value === undefined ? 'missing' : JSON.stringify(value).slice(0, 60);
    return new UsageError(`${this.#row.where}: ${this.#names[field] ?? field} is ${found}, and has to be ${wanted}.`);
  }
}
