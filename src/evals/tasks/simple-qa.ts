import * as z from 'zod';
import { normalised } from '../graders/normalised.ts';
import { rubric } from '../graders/rubric.ts';
import { type Dataset, type JudgedSelection, rowShape, shapedTasks, type TaskDraft } from './dataset.ts';
import { factCriteria, withForm } from './prompts.ts';

const Id = z.union([z.string(), z.number()]).optional();

const plainRow = rowShape(
  '{id, task, expected: {answer}}',
  z.object({
    id: Id,
    task: z.string(),
    expected: z.object({ answer: z.string() }),
    kind: z.string().optional(),
    meta: z.object({ topic: z.string().optional() }).optional(),
  }),
  ({ id, task, expected, kind, meta }) =>
    fact({ id, question: task, answer: expected.answer, kind: meta?.topic ?? kind }),
);

const publishedRow = rowShape(
  '{problem, answer, topic}',
  z.object({ original_index: Id, problem: z.string(), answer: z.string(), topic: z.string().optional() }),
  ({ original_index, problem, answer, topic }) => fact({ id: original_index, question: problem, answer, kind: topic }),
);

function fact(row: {
  id?: string | number | undefined;
  question: string;
  answer: string;
  kind?: string | undefined;
}): TaskDraft {
  const { id, question, answer, kind = 'short_fact' } = row;
  return { id, input: withForm(question, 'fact'), expected: answer, kind };
}

/** Least F1 over words without a judge: a name with a middle initial more is the same name. */
const leastF1 = 0.8;

/**
 * SimpleQA, short facts (Wei et al. 2024, arXiv 2411.04368; verified: Haas et al. 2025, arXiv 2509.07968), from rows `{id, task,
 * expected}` or the published table. Without a judge an answer passes by its words alone, which fails right answers in other words; it is
 * for comparisons, not for figures to set beside published ones.
 */
export function simpleQa(path: string, { judge, ...selection }: JudgedSelection = {}): Dataset {
  const right = judge
    ? 'has the fact, as a model judges'
    : `has the words of the reference (F1 of at least ${leastF1}, no judge)`;
  return {
    name: 'simpleqa',
    description: `SimpleQA: short facts; right is what ${right}.`,
    tasks: () => shapedTasks(path, { title: 'SimpleQA', shapes: [plainRow, publishedRow] }, selection),
    grade: judge
      ? rubric({ ...judge, criteria: factCriteria, reference: true })
      : normalised({ metric: 'f1', threshold: leastF1 }),
  };
}
