/** The verifiers of GSM8K (Cobbe et al. 2021, figure 5): recorded solutions of four systems, judged by our `numericReference`. */
import { join } from 'node:path';
import * as z from 'zod';
import { numericReference } from '../../src/checks/evaluators/reference.ts';
import type { Figure } from './figures.ts';
import { judgeAnswers } from './judge-answers.ts';
import { type Material, metric, needed, readRows, rowsById } from './material.ts';
import { type Part, type PartResult, Tally } from './part.ts';

export interface WordProblem {
  id: string;
  task: string;
  expected: number;
}

export const WordProblem: z.ZodType<WordProblem> = z.object({ id: z.string(), task: z.string(), expected: z.number() });

export interface Worked {
  id: string;
  system: string;
  output: string;
  /** The verdict of the authors' own reader. */
  correct: boolean;
}

export const Worked: z.ZodType<Worked> = z.object({
  id: z.string(),
  system: z.string(),
  output: z.string(),
  correct: z.boolean(),
});

export const gsm8k: Part = { name: 'gsm8k', title: 'GSM8K, finetuned and with verifiers (2021)', run: figuresOf };

async function figuresOf({ traces, data, metrics }: Material): Promise<PartResult> {
  const problems = rowsById(readRows(join(data, 'gsm8k', 'gsm8k.jsonl'), WordProblem));
  const rows = readRows(join(traces, 'gsm8k_verifiers', 'gpt3_2021.jsonl'), Worked);
  const tally = new Tally();
  const right = await judge(rows, problems, tally);
  const figures: Figure[] = [...Map.groupBy(rows, ({ system }) => system)].map(([system, ofSystem]) => ({
    name: `${system}: right of ${ofSystem.length}`,
    ours: ofSystem.filter((row) => right.has(row)).length,
    recorded: ofSystem.filter(({ correct }) => correct).length,
    published: `${share(metric(metrics, 'gsm8k_openai2021', system.replace(/^GPT-3 /, '')))} of all 1,319`,
  }));
  const differing = rows.filter((row) => right.has(row) !== row.correct).length;
  figures.push({ name: 'verdicts other than recorded', ours: differing, recorded: 0 });
  return {
    figures,
    notes: ['Recorded are the verdicts beside the rows; METRICS.json counts all 1,319 questions.'],
    work: tally.work,
  };
}

/** The rows whose last number is the expected one. */
export async function judge(
  rows: readonly Worked[],
  problems: ReadonlyMap<string, WordProblem>,
  tally: Tally,
): Promise<Set<Worked>> {
  const runs = new Map(rows.map((row, index) => [`${row.id}-${index}`, row]));
  const answers = [...runs].map(([run, { id, output }]) => {
    const { task, expected } = needed(problems, id);
    return { id: run, task, answer: output, evaluator: numericReference(expected) };
  });
  const passed = await judgeAnswers(answers, tally, 16);
  return new Set([...runs].filter(([run]) => passed.has(run)).map(([, row]) => row));
}

function share(value: number): string {
  return `${(value * 100).toFixed(1)} %`;
}
