import { join } from 'node:path';
import * as z from 'zod';
import { evaluateExpression } from '../../src/tools/builtin/calculator/evaluate.ts';
import { type Material, readRows, rowsById } from './material.ts';

/** Four numbers, separated by blanks, from which 24 has to be made (Yao et al. 2023, arXiv 2305.10601, section 4.1). */
export interface Puzzle {
  id: string;
  task: string;
}

const Puzzle: z.ZodType<Puzzle> = z.object({ id: z.string(), task: z.string() });

/** The puzzles by id. */
export function puzzlesIn({ data }: Material): Map<string, Puzzle> {
  return rowsById(readRows(join(data, 'game24', 'game24.jsonl'), Puzzle));
}

/** The expression of an answer as the paper's reader takes it: the last line, without `Answer:`, up to the equals sign. */
export function expressionOf(answer: string): string {
  const last = answer.trim().split('\n').at(-1) ?? '';
  const [expression = ''] = last.toLowerCase().replace('answer: ', '').split('=');
  return expression.trim();
}

/** Whether the answer's expression uses each of the numbers once and is 24, by our calculator. */
export function solves(numbers: string, answer: string): boolean {
  const expression = expressionOf(answer);
  if (sorted(expression.match(/\d+/g) ?? []) !== sorted(numbers.split(' '))) return false;
  const computed = evaluateExpression(expression);
  return computed.ok && computed.value === '24';
}

function sorted(numbers: readonly string[]): string {
  return numbers
    .map(Number)
    .toSorted((a, b) => a - b)
    .join(' ');
}
