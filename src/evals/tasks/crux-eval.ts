import * as z from 'zod';
import { pythonLiteral } from '../graders/python-literal.ts';
import { type Dataset, rowShape, shapedTasks, type TaskDraft } from './dataset.ts';
import { outputQuestion, withForm } from './prompts.ts';
import type { TaskSelection } from './select-tasks.ts';

/**
 * CRUXEval, output prediction (Gu et al. 2024, arXiv 2401.03065), from rows `{id, task, expected}` or the published `{code, input,
 * output}`.
 */
export function cruxEval(path: string, selection: TaskSelection = {}): Dataset {
  const plain = rowShape(
    '{id, expected: LITERAL, meta: {code, input}}',
    z.object({
      id: z.string().optional(),
      expected: z.string(),
      meta: z.object({ code: z.string(), input: z.string() }),
    }),
    ({ id, expected, meta }) => prediction(id, meta, expected),
  );
  const published = rowShape(
    '{id, code, input, output: LITERAL}',
    z.object({ id: z.string().optional(), code: z.string(), input: z.string(), output: z.string() }),
    ({ id, output, ...program }) => prediction(id, program, output),
  );
  return {
    name: 'cruxeval',
    description: 'CRUXEval, output prediction: what a short Python function returns, compared as a value.',
    tasks: () => shapedTasks(path, { title: 'CRUXEval', shapes: [plain, published] }, selection),
    grade: pythonLiteral(),
  };
}

function prediction(id: string | undefined, program: { code: string; input: string }, output: string): TaskDraft {
  const question = outputQuestion(program.code, program.input);
  return { id, input: withForm(question, 'pythonLiteral'), expected: output, kind: 'python_literal' };
}
