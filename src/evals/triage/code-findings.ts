import { builtinChecks } from '../../checks/checks.ts';
import { offlineContext } from '../../checks/offline.ts';
import type { Issue } from '../../core/attempt.ts';
import type { Facts } from './facts.ts';

/** What the named built-in checks find wrong with the final answer now, whether or not they ran then. */
export function codeFindings({ attempt, run: { task } }: Facts, names: readonly string[]): Issue[] {
  if (attempt.answer === undefined) return [];
  const asked = {
    input: task.input,
    constraints: [...(task.constraints ?? [])],
    checks: [],
    ...(task.outputSchema && { outputSchema: task.outputSchema }),
  };
  return names.flatMap((name) => {
    const found = builtinChecks.get(name)?.run(attempt, asked, offlineContext()) ?? [];
    // The built-in checks are pure: none of them returns a promise.
    return found instanceof Promise ? [] : found;
  });
}
