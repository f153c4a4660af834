/** Python functions that have to pass tests, which run in the sandbox of `runCode`. */
import * as z from 'zod';
import { fencedBlocks } from '../../checks/fenced-blocks.ts';
import { codeTests } from '../graders/code-tests.ts';
import { programOf } from '../graders/program-of.ts';
import type { EvalTask } from '../suite.ts';
import { type Dataset, type RowShape, rowShape, shapedTasks, type TaskDraft } from './dataset.ts';
import { describedFunctionQuestion, functionQuestion, withForm } from './prompts.ts';
import type { TaskSelection } from './select-tasks.ts';

const Id = z.union([z.string(), z.number()]).optional();
const CheckFunction = z.string().regex(/^def check\(/m);

/** A function to complete, and the test program that ends with its check. */
interface Completion {
  id: string;
  /** Imports, signature and docstring. */
  prompt: string;
  /** `def check(candidate): …`. */
  check: string;
  entryPoint: string;
}

/** The shapes of HumanEval, which other sets were put in too. */
function completionShapes(draft: (row: Completion) => TaskDraft): RowShape[] {
  return [
    rowShape(
      "{id, task: PROMPT, expected: 'def check(candidate): …', meta: {entry_point}}",
      z.object({ id: Id, task: z.string(), expected: CheckFunction, meta: z.object({ entry_point: z.string() }) }),
      ({ id, task, expected, meta }) =>
        draft({ id: runnableId(id), prompt: task, check: expected, entryPoint: meta.entry_point.trim() }),
    ),
    rowShape(
      "{task_id, prompt, test: 'def check(candidate): …', entry_point}",
      z.object({ task_id: Id, prompt: z.string(), test: CheckFunction, entry_point: z.string() }),
      ({ task_id, prompt, test, entry_point }) =>
        draft({ id: runnableId(task_id), prompt, check: test, entryPoint: entry_point.trim() }),
    ),
  ];
}

/** An id becomes part of a run's name, where `HumanEval/7` would be two parts. */
function runnableId(id: string | number = ''): string {
  return String(id).replaceAll('/', '-');
}

/**
 * HumanEval, functions from signature and docstring (Chen et al. 2021, arXiv 2107.03374), from rows `{id, task, expected}` or the
 * published ones. What is expected is a program that throws for a wrong function: the hidden tests.
 */
export function humanEval(path: string, selection: TaskSelection = {}): Dataset {
  const shapes = completionShapes((row) => ({
    id: row.id,
    input: withForm(functionQuestion(row.prompt), 'pythonFunction'),
    expected: testProgram(row),
    kind: 'python_tests',
  }));
  return {
    name: 'humaneval',
    description: 'HumanEval: Python functions from their docstrings; right is what passes the hidden tests.',
    tasks: () => shapedTasks(path, { title: 'HumanEval', shapes }, selection),
    grade: codeTests({ language: 'python', extract: completedProgram }),
  };
}

/** Tests in the prompt of MBPP, as the paper has it. */
const shownTests = 3;

const publishedMbpp = rowShape(
  "{task_id, prompt or text, test_list: ['assert …', …], test_imports or test_setup_code}",
  z.object({
    task_id: Id,
    prompt: z.string().optional(),
    text: z.string().optional(),
    test_list: z.array(z.string()).min(1),
    test_imports: z.array(z.string()).default([]),
    test_setup_code: z.string().default(''),
  }),
  ({ task_id, prompt, text, test_list, test_imports, test_setup_code }) => {
    const description = prompt ?? text;
    if (description === undefined) return undefined;
    const setUp = [...test_imports, test_setup_code].filter((line) => line.trim() !== '');
    return {
      id: task_id === undefined ? undefined : `mbpp-${task_id}`,
      input: withForm(describedFunctionQuestion(description, test_list.slice(0, shownTests)), 'pythonFunction'),
      expected: test_list.map((assertion) => [...setUp, assertion].join('\n')),
      kind: 'python_tests',
    };
  },
);

/**
 * MBPP, functions from a sentence and three of their tests (Austin et al. 2021, arXiv 2108.07732, section 2.1), from the published
 * `{prompt or text, test_list}` or from rows in the shape of HumanEval. The tests are shown since they alone name the function in some
 * rows.
 */
export function mbpp(path: string, selection: TaskSelection = {}): Dataset {
  const completions = completionShapes((row) => {
    const assertions = row.check.match(/^\s*assert\b.*/gm) ?? [];
    const shown = assertions.slice(0, shownTests).map((line) => line.trim());
    const question = describedFunctionQuestion(functionQuestion(row.prompt), shown);
    return {
      id: row.id,
      input: withForm(question, 'pythonFunction'),
      expected: testProgram(row),
      kind: 'python_tests',
    };
  });
  return {
    name: 'mbpp',
    description: 'MBPP: Python functions from a sentence and three tests; right is what passes all tests.',
    tasks: () => shapedTasks(path, { title: 'MBPP', shapes: [...completions, publishedMbpp] }, selection),
    grade: codeTests({ language: 'python', extract: completedProgram }),
  };
}

function testProgram({ check, entryPoint }: Completion): string {
  return `${check.trimEnd()}\n\ncheck(${entryPoint})\n`;
}

/** The answer's program: where it is only a body, after the code that the task gives. */
function completedProgram(answer: string, task: EvalTask): string | undefined {
  const given = fencedBlocks(task.input)[0]?.code ?? '';
  return programOf(answer, { ...task, input: given }, 'python');
}
