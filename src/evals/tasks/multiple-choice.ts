/** Questions with choices, of which one letter is right. */
import * as z from 'zod';
import { choice } from '../graders/choice.ts';
import { type Dataset, rowShape, shapedTasks, type TaskDraft } from './dataset.ts';
import { withChoices, withForm } from './prompts.ts';
import type { TaskSelection } from './select-tasks.ts';

const Letter = z.string().regex(/^[A-J]$/);

/** Rows whose question lists its choices. */
const plainRow = rowShape(
  "{id, task: '… Answer choices: (A) … (B) …', expected: 'A'}",
  z.object({
    id: z.union([z.string(), z.number()]).optional(),
    task: z.string().regex(/\(A\).*\(B\)/s),
    expected: Letter,
    kind: z.string().optional(),
  }),
  ({ id, task, expected, kind = 'choice' }): TaskDraft => ({ id, input: withForm(task, 'choice'), expected, kind }),
);

/**
 * AQuA-RAT, algebra with five choices (Ling et al. 2017, arXiv 1705.04146), from rows `{id, task, expected}` or the published `{question,
 * options, correct}`.
 */
export function aqua(path: string, selection: TaskSelection = {}): Dataset {
  const published = rowShape(
    "{question, options: ['A)21', …], correct: 'A'}",
    z.object({ question: z.string(), options: z.array(z.string().regex(/^[A-J]\s*\)/)).min(2), correct: Letter }),
    ({ question, options, correct }) => {
      const choices = options.map((option) => ({
        letter: option.charAt(0),
        text: option.slice(option.indexOf(')') + 1),
      }));
      return { input: withForm(withChoices(question, choices), 'choice'), expected: correct, kind: 'choice' };
    },
  );
  return {
    name: 'aqua',
    description:
      'AQuA-RAT: algebra with five choices. A few published keys are wrong, and a few rows offer a choice twice.',
    tasks: () => shapedTasks(path, { title: 'AQuA', shapes: [plainRow, published] }, selection),
    grade: choice(),
  };
}

/**
 * CommonsenseQA (Talmor et al. 2019, arXiv 1811.00937), from rows `{id, task, expected}` or the published `{question: {stem, choices},
 * answerKey}`.
 */
export function commonsenseQa(path: string, selection: TaskSelection = {}): Dataset {
  const published = rowShape(
    "{id, question: {stem, choices: [{label, text}, …]}, answerKey: 'A'}",
    z.object({
      id: z.string().optional(),
      question: z.object({ stem: z.string(), choices: z.array(z.object({ label: Letter, text: z.string() })).min(2) }),
      answerKey: Letter,
    }),
    ({ id, question: { stem, choices }, answerKey }) => {
      const listed = choices.map(({ label, text }) => ({ letter: label, text }));
      return { id, input: withForm(withChoices(stem, listed), 'choice'), expected: answerKey, kind: 'choice' };
    },
  );
  return {
    name: 'commonsenseqa',
    description: 'CommonsenseQA: everyday knowledge with five choices.',
    tasks: () => shapedTasks(path, { title: 'CommonsenseQA', shapes: [plainRow, published] }, selection),
    grade: choice(),
  };
}
