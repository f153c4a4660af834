import * as z from 'zod';
import { UsageError } from '../../core/errors.ts';
import type { Grader } from '../grader.ts';
import { wordF1 } from '../graders/normalised.ts';
import { rubric } from '../graders/rubric.ts';
import type { EvalTask } from '../suite.ts';
import { type Dataset, type JudgedSelection, rowShape, shapedTasks, type TaskDraft } from './dataset.ts';
import { truthfulCriteria, truthReference, withForm } from './prompts.ts';

const References = z.object({
  best: z.string(),
  correct: z.array(z.string()).min(1),
  incorrect: z.array(z.string()).min(1),
});

const plainRow = rowShape(
  '{id, task, expected: {best, correct, incorrect}}',
  z.object({
    id: z.string().optional(),
    task: z.string(),
    expected: References,
    kind: z.string().optional(),
    meta: z.object({ category: z.string().optional() }).optional(),
  }),
  ({ id, task, expected, kind, meta }) => question({ id, text: task, expected, kind: meta?.category ?? kind }),
);

/** Lists of the published table. */
const Answers = z.string().transform((text) =>
  text
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part !== ''),
);

const publishedRow = rowShape(
  "{Question, 'Best Answer', 'Correct Answers', 'Incorrect Answers', Category}",
  z.object({
    Question: z.string(),
    'Best Answer': z.string(),
    'Correct Answers': Answers,
    'Incorrect Answers': Answers,
    Category: z.string().optional(),
  }),
  (row) => {
    const expected = { best: row['Best Answer'], correct: row['Correct Answers'], incorrect: row['Incorrect Answers'] };
    return question({ text: row.Question, expected, kind: row.Category });
  },
);

function question(row: {
  id?: string | undefined;
  text: string;
  expected: z.output<typeof References>;
  kind?: string | undefined;
}): TaskDraft {
  const { id, text, expected, kind = 'truthful_open' } = row;
  return { id, input: withForm(text, 'sentence'), expected, kind };
}

/**
 * Passes when the answer shares more words with a correct reference than with any incorrect one (the similarity measure of Lin et al. 2021,
 * with the F1 over words for ROUGE). It knows words and not meaning.
 */
function closeness(): Grader {
  return {
    name: 'closeness',
    knows: 'reference',
    config: {},
    reads: 'answer',
    grade: ({ task, answer }) => {
      const { correct, incorrect } = referencesOf(task);
      if (answer === undefined) return { pass: false, score: 0, why: 'there is no answer' };
      const [right, wrong] = [nearest(answer, correct), nearest(answer, incorrect)];
      const pass = right.f1 > wrong.f1;
      const why = `nearest correct: "${right.text}" (F1 ${right.f1.toFixed(2)}), nearest incorrect: "${wrong.text}" (F1 ${wrong.f1.toFixed(2)})`;
      return { pass, score: pass ? 1 : 0, why };
    },
  };
}

function referencesOf({ id, expected }: EvalTask): z.output<typeof References> {
  const read = References.safeParse(expected);
  if (read.success) return read.data;
  throw new UsageError(`The task '${id}' has no lists of correct and incorrect answers. Load it with truthfulQa.`);
}

function nearest(answer: string, references: readonly string[]): { text: string; f1: number } {
  return references
    .map((text) => ({ text, f1: wordF1(answer, text) }))
    .reduce((best, one) => (one.f1 > best.f1 ? one : best));
}

/** A model's opinion with both lists of references in view. */
function judged(judge: NonNullable<JudgedSelection['judge']>): Grader {
  const grader = rubric({ ...judge, criteria: truthfulCriteria, reference: true });
  return {
    ...grader,
    grade: (graded, context) => {
      const expected = truthReference(referencesOf(graded.task));
      return grader.grade({ ...graded, task: { ...graded.task, expected } }, context);
    },
  };
}

/**
 * TruthfulQA, questions with popular false answers (Lin et al. 2021, arXiv 2109.07958), from rows `{id, task, expected}` or the published
 * table. With a judge an answer passes that is truthful and informative; without one, the grader `closeness` compares words, which is
 * for comparisons and not for figures to set beside published ones.
 */
export function truthfulQa(path: string, { judge, ...selection }: JudgedSelection = {}): Dataset {
  const right = judge
    ? 'truthful and informative, as a model judges'
    : 'nearer in words to a correct reference (no judge)';
  return {
    name: 'truthfulqa',
    description: `TruthfulQA: questions with popular false answers; right is what is ${right}.`,
    tasks: () => shapedTasks(path, { title: 'TruthfulQA', shapes: [plainRow, publishedRow] }, selection),
    grade: judge ? judged(judge) : closeness(),
  };
}
