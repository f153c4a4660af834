import type { Result } from '../core/result.ts';
import type { RunInfo } from '../runtime/durable.ts';

/** The Result a finished run left, if it left one. */
export function storedResult(run: Pick<RunInfo, 'output'>): Result | undefined {
  const { output } = run;
  const isResult = typeof output === 'object' && output !== null && 'status' in output && 'attempt' in output;
  // Only an agent writes the output of a run, and what it writes is a Result.
  return isResult ? (output as Result) : undefined;
}

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
