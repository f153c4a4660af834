import { UsageError } from '../../core/errors.ts';
import type { EvalTask } from '../suite.ts';
import { readRows } from './read-rows.ts';
import { selectTasks, type TaskSelection } from './select-tasks.ts';
import { type FieldNames, fieldNames, RowFields } from './task-fields.ts';
import { contentId } from './tasks-hash.ts';

export interface ReadTasksOptions extends TaskSelection {
  /** Which column or member holds a field of the task; `meta.type` reaches into objects. Default: the usual names. */
  fields?: FieldNames;
  /** The member of a JSON or YAML document that is the list of tasks. Default: its only list of objects. */
  list?: string;
}

/**
 * The tasks of a .jsonl, .ndjson, .json, .csv, .tsv (RFC 4180, UTF-8), .yaml or .yml file, also compressed as .gz, or of the one such
 * file in a folder. A field is found by its usual names (`task`, `question`, `prompt` or `input`; `expected`, `answer`, `gold`,
 * `label` or `target`); a file with two of them for one field is refused until `fields` says which one is meant. A task without
 * an id gets one from what it asks. Values of CSV are texts. Throws `UsageError` with file and line.
 */
export async function readTasks(path: string, options: ReadTasksOptions = {}): Promise<EvalTask[]> {
  const { fields = {}, list, ...selection } = options;
  const rows = await readRows(path, list);
  const names = fieldNames(rows, fields, path);
  return uniqueTasks(
    rows.map((row) => ({ where: row.where, task: taskOf(new RowFields(row, names)) })),
    selection,
  );
}

/** The selected tasks. Throws `UsageError` where two have the same id. */
export function uniqueTasks(
  placed: readonly { where: string; task: EvalTask }[],
  selection: TaskSelection,
): EvalTask[] {
  const seen = new Map<string, string>();
  for (const { where, task } of placed) {
    const before = seen.get(task.id);
    if (before !== undefined)
      throw new UsageError(`${where} has the id '${task.id}', and so has ${before}. ${remedyFor(task)}`);
    seen.set(task.id, where);
  }
  return selectTasks(
    placed.map(({ task }) => task),
    selection,
  );
}

function remedyFor(task: EvalTask): string {
  return task.id === contentId(task)
    ? 'It is made of what they ask, which is the same: remove one, or give both an id.'
    : 'Make the ids unique.';
}

function taskOf(row: RowFields): EvalTask {
  const [input, kind, constraints, checks] = [
    row.text('input'),
    row.text('kind'),
    row.texts('constraints'),
    row.texts('checks'),
  ];
  const [outputSchema, expected, context] = [row.object('outputSchema'), row.value('expected'), row.value('context')];
  if (input === undefined || input.trim() === '') throw row.fault('input', 'a text that says what to do');
  const task: Omit<EvalTask, 'id'> = {
    input,
    ...(constraints && { constraints }),
    ...(outputSchema && { outputSchema }),
    ...(checks && { checks }),
    ...(expected !== undefined && { expected }),
    ...(kind !== undefined && { kind }),
    ...(context !== undefined && { context }),
  };
  return { id: row.text('id') || contentId(task), ...task };
}
