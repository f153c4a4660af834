/** Problems in words whose answer is a number. */
import * as z from 'zod';
import { numeric } from '../graders/numeric.ts';
import { type Dataset, rowShape, shapedTasks, type TaskDraft } from './dataset.ts';
import { withForm } from './prompts.ts';
import type { TaskSelection } from './select-tasks.ts';

const Id = z.union([z.string(), z.number()]);

/** Rows `{id, task, expected: 18}`. */
const plainRow = rowShape(
  '{id, task, expected: 18}',
  z.object({
    id: Id.optional(),
    task: z.string(),
    expected: z.number(),
    kind: z.string().optional(),
    meta: z.object({ type: z.string().optional() }).optional(),
  }),
  ({ id, task, expected, kind, meta }) => problem({ id, question: task, expected, kind: meta?.type ?? kind }),
);

function problem(row: {
  id?: string | number | undefined;
  question: string;
  expected: number;
  kind?: string | undefined;
}): TaskDraft | undefined {
  const { id, question, expected, kind = 'numeric' } = row;
  return Number.isFinite(expected) ? { id, input: withForm(question, 'number'), expected, kind } : undefined;
}

/**
 * GSM8K, grade school problems (Cobbe et al. 2021, arXiv 2110.14168), from rows `{id, task, expected}` or the published `{question,
 * answer}`.
 */
export function gsm8k(path: string, selection: TaskSelection = {}): Dataset {
  const published = rowShape(
    "{question, answer: '… #### 18'}",
    z.object({ question: z.string(), answer: z.string() }),
    ({ question, answer }) => {
      const stated = /####\s*([-+]?[\d,]*\.?\d+)\s*$/.exec(answer)?.[1];
      return stated === undefined ? undefined : problem({ question, expected: Number(stated.replaceAll(',', '')) });
    },
  );
  return {
    name: 'gsm8k',
    description: 'GSM8K: grade school problems in words; right is the exact number.',
    tasks: () => shapedTasks(path, { title: 'GSM8K', shapes: [plainRow, published] }, selection),
    grade: numeric(),
  };
}

/**
 * GSM-Hard, GSM8K with large numbers (Gao et al. 2022, PAL, arXiv 2211.10435), from rows `{id, task, expected}` or the published `{input,
 * target}`.
 */
export function gsmHard(path: string, selection: TaskSelection = {}): Dataset {
  const published = rowShape(
    '{input, code, target: 18}',
    z.object({ input: z.string(), target: z.number() }),
    ({ input, target }) => problem({ question: input, expected: target }),
  );
  return {
    name: 'gsm-hard',
    description:
      'GSM-Hard: GSM8K with one number replaced by a large one. Some targets make no sense in the world (negative money, parts of people).',
    tasks: () => shapedTasks(path, { title: 'GSM-Hard', shapes: [plainRow, published] }, selection),
    // Its targets are what a program printed; PAL compares with this tolerance.
    grade: numeric({ tolerance: 1e-3 }),
  };
}

/**
 * SVAMP, varied short problems (Patel et al. 2021, arXiv 2103.07191), from rows `{id, task, expected}` or the published `{Body, Question,
 * Answer}`.
 */
export function svamp(path: string, selection: TaskSelection = {}): Dataset {
  const published = rowShape(
    '{ID, Body, Question, Answer: 18, Type}',
    z.object({
      ID: Id.optional(),
      Body: z.string(),
      Question: z.string(),
      Answer: z.coerce.number(),
      Type: z.string().optional(),
    }),
    ({ ID, Body, Question, Answer, Type }) =>
      problem({ id: ID, question: `${Body.trim()} ${Question.trim()}`, expected: Answer, kind: Type }),
  );
  return {
    name: 'svamp',
    description: 'SVAMP: short problems in words, varied so that patterns do not suffice; right is the exact number.',
    tasks: () => shapedTasks(path, { title: 'SVAMP', shapes: [plainRow, published] }, selection),
    grade: numeric(),
  };
}
