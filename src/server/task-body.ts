import { parseTask, type TaskInput } from '../agent-options.ts';
import type { Task } from '../core/task.ts';
import { Problem } from './problem.ts';
import type { TaskBody } from './schemas.ts';

/**
 * The task of a request. A regular expression of a stranger can keep the process busy for as long as it likes, so a schema that holds
 * one is refused.
 */
export function checkedTask(input: string | TaskBody): Task {
  // `parseTask` validates all of it; the body only says less of what a schema holds.
  const task = parseTask(input as TaskInput);
  const pointer = task.outputSchema && expressionIn(task.outputSchema, '/task/outputSchema');
  if (pointer === undefined) return task;
  throw new Problem({
    status: 422,
    code: 'schema-pattern',
    title: 'The output schema holds a regular expression',
    detail: `${pointer} is a regular expression, and this server runs none that come in a request.`,
    remedy: 'Use enum, const, format, minLength and maxLength, or a check that the agent knows by name.',
    errors: [{ pointer, detail: 'not allowed in a request' }],
  });
}

function expressionIn(schema: unknown, pointer: string): string | undefined {
  if (schema === null || typeof schema !== 'object') return undefined;
  for (const [key, value] of Object.entries(schema)) {
    const here = `${pointer}/${key.replace(/~/g, '~0').replace(/\//g, '~1')}`;
    // A property may have either name; then its value is a schema.
    if (key === 'pattern' ? typeof value === 'string' : key === 'patternProperties') return here;
    const inside = expressionIn(value, here);
    if (inside !== undefined) return inside;
  }
  return undefined;
}
