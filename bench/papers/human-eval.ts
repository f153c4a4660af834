/**
 * Reflexion on HumanEval (Shinn et al. 2023, table 1): each recorded solution is judged by the task's own tests, which our
 * `testsPass` executes in the sandbox of `runCode`.
 */
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { testsPass } from '../../src/checks/evaluators/tests-pass.ts';
import { describeSandbox } from '../../src/tools/builtin/run-code.ts';
import type { Figure } from './figures.ts';
import { judgeAnswers } from './judge-answers.ts';
import { type Material, metric, needed, readRows, rowsById } from './material.ts';
import { type Part, type PartResult, Tally } from './part.ts';

export interface Solution {
  id: string;
  /** A body that continues the task's text, or a whole module. */
  solution: string;
  reflections?: string[] | undefined;
  /** The verdict that whoever prepared the traces got by running it again. */
  passes_rerun: boolean;
}

export const Solution: z.ZodType<Solution> = z.object({
  id: z.string(),
  solution: z.string(),
  reflections: z.array(z.string()).optional(),
  passes_rerun: z.boolean(),
});

export interface CodeTask {
  id: string;
  /** Imports, signature and documentation. */
  task: string;
  /** Defines `check(candidate)`. */
  expected: string;
  meta: { entry_point: string };
}

export const CodeTask: z.ZodType<CodeTask> = z.object({
  id: z.string(),
  task: z.string(),
  expected: z.string(),
  meta: z.object({ entry_point: z.string() }),
});

const reflexion = { file: 'reflexion_gpt4', name: 'GPT-4 + Reflexion', metric: 'reflexion_humaneval' };
const systems = [
  { ...reflexion, published: '91.0 % (table 1)' },
  { file: 'gpt4_simple', name: 'GPT-4', metric: 'humaneval:gpt4_simple', published: '80.1 % (table 1)' },
  { file: 'gpt35_simple', name: 'gpt-3.5', metric: 'humaneval:gpt35_simple', published: '-' },
  { file: 'davinci003_simple', name: 'text-davinci-003', metric: 'humaneval:davinci003_simple', published: '-' },
];

export const humanEval: Part = {
  name: 'humaneval',
  title: 'Reflexion on HumanEval, executed in the sandbox of runCode',
  run: figuresOf,
};

async function figuresOf({ traces, data, metrics }: Material): Promise<PartResult> {
  const tasks = rowsById(readRows(join(data, 'humaneval', 'humaneval.jsonl'), CodeTask));
  const tally = new Tally();
  const figures: Figure[] = [];
  for (const { file, name, metric: counted, published } of systems) {
    const rows = readRows(join(traces, 'reflexion_humaneval', `${file}.jsonl`), Solution);
    const passed = await execute(rows, tasks, tally);
    const differing = rows.filter(({ id, passes_rerun }) => passes_rerun !== passed.has(id));
    figures.push(
      {
        name: `${name}: solved of ${rows.length}`,
        ours: passed.size,
        recorded: metric(metrics, counted, 'rerun'),
        published,
      },
      { name: `${name}: verdicts other than recorded`, ours: differing.length, recorded: 0 },
    );
    if (file !== reflexion.file) continue;
    const reflected = rows.filter(({ reflections = [] }) => reflections.length > 0);
    figures.push({
      name: `${name}: solved with reflections`,
      ours: reflected.filter(({ id }) => passed.has(id)).length,
      recorded: metric(metrics, counted, 'with_reflections_solved'),
    });
  }
  return { figures, notes: [`Python runs in: ${(await describeSandbox()).python.detail}.`], work: tally.work };
}

/** The ids of the solutions that pass the tests of their tasks. */
export function execute(
  rows: readonly Solution[],
  tasks: ReadonlyMap<string, CodeTask>,
  tally: Tally,
): Promise<Set<string>> {
  const answers = rows.map(({ id, solution }) => {
    const { task, expected, meta } = needed(tasks, id);
    const test = { name: 'check', code: `${expected}\ncheck(${meta.entry_point})` };
    return { id, task, answer: task + solution, evaluator: testsPass({ language: 'python', tests: [test] }) };
  });
  return judgeAnswers(answers, tally, availableParallelism());
}
