import * as z from 'zod';
import { label } from '../graders/label.ts';
import { type Dataset, rowShape, shapedTasks, type TaskDraft } from './dataset.ts';
import { withForm } from './prompts.ts';
import type { TaskSelection } from './select-tasks.ts';

/**
 * StrategyQA, questions with implicit steps (Geva et al. 2021, arXiv 2101.02235), from rows `{id, task, expected}`, the published or
 * BIG-bench's.
 */
export function strategyQa(path: string, selection: TaskSelection = {}): Dataset {
  const plain = rowShape(
    "{id, task, expected: 'yes'}",
    z.object({ id: z.union([z.string(), z.number()]).optional(), task: z.string(), expected: z.enum(['yes', 'no']) }),
    ({ id, task, expected }) => question(id, task, expected === 'yes'),
  );
  const published = rowShape(
    '{qid, question, answer: true}',
    z.object({ qid: z.string().optional(), question: z.string(), answer: z.boolean() }),
    ({ qid, question: text, answer }) => question(qid, text, answer),
  );
  const bigBench = rowShape(
    '{input, target_scores: {Yes: 1, No: 0}}',
    z.object({ input: z.string(), target_scores: z.object({ Yes: z.number(), No: z.number() }) }),
    ({ input, target_scores: { Yes, No } }) => question(undefined, input, Yes > No),
  );
  return {
    name: 'strategyqa',
    description: 'StrategyQA: yes-no questions whose steps are not in the question.',
    tasks: () => shapedTasks(path, { title: 'StrategyQA', shapes: [plain, published, bigBench] }, selection),
    grade: label(['yes', 'no']),
  };
}

function question(id: string | number | undefined, text: string, answer: boolean): TaskDraft {
  return { id, input: withForm(text, 'yesNo'), expected: answer ? 'yes' : 'no', kind: 'yesno' };
}
