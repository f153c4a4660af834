import type { Observation } from '../core/attempt.ts';

/** True for an observation of a tool that computes: what it printed need not be quoted for a number to come from it. */
export function isComputation({ tool, status }: Observation): boolean {
  return status === 'ok' && /^(?:calculator|calculate|compute|runCode|run_code|python|code_interpreter)$/i.test(tool);
}
