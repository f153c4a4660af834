/** What the generators of several kinds share. */
import { evaluateExpression } from '../../tools/builtin/calculator/evaluate.ts';
import type { Draws } from './draws.ts';
import type { NeededCall } from './generated-task.ts';

/** The search that finds the documents about something. */
export function search(query: string): NeededCall {
  return { tool: 'searchDocs', args: { query } };
}

export function calculate(expression: string): NeededCall {
  return { tool: 'calculator', args: { expression } };
}

/** What the calculator gives. */
export function computed(expression: string): string {
  const result = evaluateExpression(expression);
  if (!result.ok) throw new RangeError(`computed: ${expression}: ${result.message}`);
  return result.value;
}

/** What the calculator answers to an expression. */
export function calculation(expression: string): string {
  return `${expression} = ${computed(expression)}`;
}

/** An amount with two decimals, both ends in whole units. */
export function amount(draws: Draws, least: number, most: number): string {
  return (draws.whole(least * 20, most * 20) / 20).toFixed(2);
}

/** So many values, no two the same. */
export function different(count: number, draws: Draws, make: () => string): string[] {
  const made: string[] = [];
  while (made.length < count) made.push(draws.until(make, (value) => !made.includes(value)));
  return made;
}

/** Whether a text holds these digits as a number of their own. */
export function holdsNumber(text: string, digits: string): boolean {
  return new RegExp(`(?<![\\d.,])0*${digits.replaceAll('.', '\\.')}(?!\\d|[.,]\\d)`).test(text);
}

/** A number near the right one that is not in the text, as a slip of the pen or of the mind gives it, with the same decimals. */
export function slipOf(draws: Draws, right: string, known: string): string {
  const decimals = right.split('.')[1]?.length ?? 0;
  const value = Number(right);
  const offs = [1, 2, 9, 10, -1, -2, -9, 20, 30, 50, 90, 100, 0.1 * Math.max(10, Math.round(value))];
  return draws.until(
    () => Math.abs(value + draws.pick(offs)).toFixed(decimals),
    (slipped) => slipped !== right && !holdsNumber(known, slipped),
  );
}
