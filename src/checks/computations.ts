import type { Observation } from '../core/attempt.ts';

/** True for an observation of a tool that computes: what it printed need not be quoted for a number to come from it. */
export function isComputation({ tool, status }: Observation): boolean {
  return status === 'ok' && /^(?:calculator|calculate|compute|runCode|run_code|python|code_interpreter)$/i.test(tool);
}

/** What came out of a computation: of `12 * 4 = 48` the 48. What went into it proves nothing. */
export function resultOf({ tool, content }: Observation): string {
  return tool === 'calculator' ? content.slice(content.lastIndexOf('=') + 1) : content;
}
