/** What a grader compares with, out of `EvalTask.expected`; a value that does not fit is the suite's fault, never the answer's. */
import { hash } from 'node:crypto';
import { UsageError } from '../../core/errors.ts';
import type { Json } from '../../core/json.ts';
import type { EvalTask } from '../suite.ts';

const shownChars = 120;

/** The error for an expected value that a grader cannot use; `needs` says what it has to be. */
export function misfit({ id, expected }: EvalTask, grader: string, needs: string): UsageError {
  const text = JSON.stringify(expected);
  const has = text === undefined ? 'no `expected`' : `the expected value ${text.slice(0, shownChars)}`;
  return new UsageError(`The grader ${grader} cannot grade the task '${id}': it has ${has}. Give ${needs}.`);
}

/** The expected texts, of which one will do; a number or a boolean counts as its text. */
export function expectedTexts(task: EvalTask, grader: string): string[] {
  const texts = listOf(task.expected).map(textOf);
  if (texts.length === 0 || texts.some((text) => text.trim() === ''))
    throw misfit(task, grader, 'the right answer as a text, or a list of texts of which one will do');
  return texts;
}

/** A value alone as a list of one; none as an empty list. */
export function listOf(expected: Json | undefined): readonly Json[] {
  if (expected === undefined) return [];
  return Array.isArray(expected) ? expected : [expected];
}

function textOf(value: Json): string {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}

/** A function as a setting: its name and a hash of its source, so that another function is another fingerprint. */
export function functionMark(given: (...args: never[]) => unknown): string {
  return `${given.name || 'function'} ${hash('sha256', String(given)).slice(0, 12)}`;
}
