import type { Result } from './core/result.ts';
import type { RunInfo } from './runtime/durable.ts';

/** The Result a finished run left, if it left one. */
export function storedResult({ output }: Pick<RunInfo, 'output'>): Result | undefined {
  const isResult = typeof output === 'object' && output !== null && 'status' in output && 'attempt' in output;
  // Only an agent writes the output of a run, and what it writes is a Result.
  return isResult ? (output as Result) : undefined;
}
