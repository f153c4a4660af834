/** What the loaders of public data sets have in common. */
import type * as z from 'zod';
import type { Row } from '../../checks/table-text.ts';
import { UsageError } from '../../core/errors.ts';
import type { RubricOptions } from '../graders/rubric.ts';
import type { EvalTask, SuiteOptions } from '../suite.ts';
import { readRows } from './read-rows.ts';
import { uniqueTasks } from './read-tasks.ts';
import type { TaskSelection } from './select-tasks.ts';
import { contentId } from './tasks-hash.ts';

/** A data set as the part of a suite that it decides: `defineSuite({ ...gsm8k(path), solvers })`. Its file is read when the suite runs. */
export interface Dataset extends Pick<SuiteOptions, 'environment' | 'contextText'> {
  name: string;
  /** What a reader of the figures has to know of the data. */
  description: string;
  tasks: () => Promise<EvalTask[]>;
  grade: SuiteOptions['grade'];
}

/** A set whose answers in free words a model should judge. */
export interface JudgedSelection extends TaskSelection {
  /** The judge, and whose answers it judges. Without one the words alone are compared, which is cheap and coarse. */
  judge?: Omit<RubricOptions, 'criteria' | 'reference' | 'against'>;
}

/** A task whose id may still have to be made of its content. */
export type TaskDraft = Omit<EvalTask, 'id'> & { id?: string | number | undefined };

/** A shape in which the rows of a data set are published. */
export interface RowShape {
  /** For messages, such as `{question, answer: '… #### 18'}`. */
  text: string;
  /** Undefined for a row of another shape. */
  read(row: Row): TaskDraft | undefined;
}

/** A shape by its schema. */
export function rowShape<Schema extends z.ZodType>(
  text: string,
  schema: Schema,
  draft: (row: z.output<Schema>) => TaskDraft | undefined,
): RowShape {
  return {
    text,
    read: (row) => {
      const read = schema.safeParse(row);
      return read.success ? draft(read.data) : undefined;
    },
  };
}

/** The tasks of a file or folder whose rows have any of the shapes. Throws `UsageError` with the line of one that has none. */
export async function shapedTasks(
  path: string,
  set: { title: string; shapes: readonly RowShape[] },
  selection: TaskSelection,
): Promise<EvalTask[]> {
  const rows = await readRows(path);
  const placed = rows.map(({ where, value }) => {
    for (const shape of set.shapes) {
      const draft = shape.read(value);
      if (draft) return { where, task: identified(draft) };
    }
    const known = set.shapes.map(({ text }) => text).join(' or ');
    throw new UsageError(
      `${where} is no row of ${set.title}: it has ${Object.keys(value).join(', ')}, and should be ${known}.`,
    );
  });
  return uniqueTasks(placed, selection);
}

function identified({ id, ...task }: TaskDraft): EvalTask {
  return { id: id === undefined || id === '' ? contentId(task) : String(id), ...task };
}
