import { hash } from 'node:crypto';
import { canonicalJson } from '../../core/json.ts';
import type { EvalTask } from '../suite.ts';

/** SHA-256 (64 hexadecimal digits) of the tasks in their order, whatever the order of their keys: the version of the data. */
export function tasksHash(tasks: readonly EvalTask[]): string {
  return hash('sha256', canonicalJson(tasks));
}

/** An id for a task that has none, from what it asks and not from what is expected: a corrected label keeps it. */
export function contentId(task: Omit<EvalTask, 'id'>): string {
  const { input, constraints, context } = task;
  return `task-${hash('sha256', canonicalJson({ input, constraints, context })).slice(0, 16)}`;
}
