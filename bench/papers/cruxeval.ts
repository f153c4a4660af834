/**
 * Output prediction of CRUXEval (Gu et al. 2024): ten recorded samples a function, each compared with the expected literal by a test
 * that our `testsPass` runs in the sandbox.
 */
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { defineAgent } from '../../src/agent.ts';
import { testsPass } from '../../src/checks/evaluators/tests-pass.ts';
import type { RunEvent } from '../../src/core/event.ts';
import { direct } from '../../src/solver/direct.ts';
import { reflexion } from '../../src/solver/reflexion/reflexion.ts';
import { type Material, metric, needed, readRows, rowsById } from './material.ts';
import { inParallel, type Part, type PartResult, Tally } from './part.ts';
import { recordedModel } from './recorded-model.ts';

export interface Prediction {
  id: string;
  /** Sample by sample, what the model took the function's value for. */
  outputs: string[];
  correct: boolean[];
}

const Prediction: z.ZodType<Prediction> = z.object({
  id: z.string(),
  outputs: z.array(z.string()),
  correct: z.array(z.boolean()),
});

export interface FunctionTask {
  id: string;
  task: string;
  /** A Python literal. */
  expected: string;
}

const FunctionTask: z.ZodType<FunctionTask> = z.object({ id: z.string(), task: z.string(), expected: z.string() });

export const cruxEval: Part = { name: 'cruxeval', title: 'CRUXEval-O, CodeLlama-7B', run: figuresOf };

async function figuresOf({ traces, data, metrics }: Material): Promise<PartResult> {
  const tasks = rowsById(readRows(join(data, 'cruxeval', 'cruxeval.jsonl'), FunctionTask));
  const rows = readRows(join(traces, 'cruxeval', 'codellama7b_output.jsonl'), Prediction);
  const tally = new Tally();
  const right = await countRight(rows, tasks, tally);
  const recorded = (row: Prediction): number => row.correct.filter(Boolean).length;
  return {
    figures: [
      {
        name: `right of ${rows.reduce((sum, { outputs }) => sum + outputs.length, 0)} samples`,
        ours: [...right.values()].reduce((sum, count) => sum + count, 0),
        recorded: rows.reduce((sum, row) => sum + recorded(row), 0),
        published: `${metric(metrics, 'cruxeval_codellama7b_output', 'pass@1').toFixed(1)} % of all 800 functions`,
      },
      {
        name: 'functions with another count than recorded',
        ours: rows.filter((row) => right.get(row.id) !== recorded(row)).length,
        recorded: 0,
      },
    ],
    notes: ['Recorded are the verdicts beside the rows; METRICS.json counts all 800 functions.'],
    work: tally.work,
  };
}

/** How many samples of each function are right. */
export async function countRight(
  rows: readonly Prediction[],
  tasks: ReadonlyMap<string, FunctionTask>,
  tally: Tally,
): Promise<Map<string, number>> {
  const byId = rowsById(rows);
  const byText = new Map([...tasks.values()].map((task) => [task.task, task]));
  const right = new Map<string, number>();
  const agent = defineAgent({
    name: 'cruxeval',
    model: recordedModel('CodeLlama-7B', ({ run }) =>
      JSON.stringify({ answer: `outputs = ${JSON.stringify(needed(byId, run).outputs)}`, claims: [] }),
    ),
    solver: direct(),
    layers: [
      reflexion({
        trials: 1,
        evaluator: {
          name: 'literals',
          knows: 'tests',
          evaluate: (attempt, task, context) => {
            const expected = JSON.stringify(needed(byText, task.input).expected);
            const tests = rows[0]?.outputs.map(
              (_, sample) => `import ast\nassert ast.literal_eval(outputs[${sample}]) == ast.literal_eval(${expected})`,
            );
            return testsPass({ language: 'python', tests: tests ?? [] }).evaluate(attempt, task, context);
          },
        },
      }),
    ],
    sinks: [
      tally.sink,
      {
        name: 'scores',
        write: (event: RunEvent) => {
          if (event.type !== 'trial.end') return;
          right.set(event.run, Math.round(event.score * needed(byId, event.run).outputs.length));
        },
      },
    ],
  });
  const results = await inParallel(rows, availableParallelism(), ({ id }) =>
    agent.run(needed(tasks, id).task, { runId: id }),
  );
  await agent.close();
  tally.add(...results);
  const unasked = results.find(({ reason }) => reason.code === 'unchecked');
  if (unasked) throw new Error(`${unasked.runId}: ${unasked.reason.detail}`);
  return right;
}
