import type { RunInfo } from '../runtime/durable.ts';

/** What the user asked in this run. */
export function taskOf(run: Pick<RunInfo, 'input'>): { input: string; constraints: string[] } {
  const task: unknown = Reflect.get(Object(run.input), 'task');
  const input: unknown = Reflect.get(Object(task), 'input');
  const constraints: unknown = Reflect.get(Object(task), 'constraints');
  return {
    input: typeof input === 'string' ? input : '',
    constraints: Array.isArray(constraints) ? constraints.map(String) : [],
  };
}
