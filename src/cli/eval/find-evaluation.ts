import { join, resolve } from 'node:path';
import { UsageError } from '../../core/errors.ts';
import type { Evaluation } from '../../evals/evaluation.ts';
import { evaluationsBelow, isEvaluation, readEvaluation } from '../../evals/runner/evaluation-folder.ts';
import type { Home } from '../home.ts';

/** Where the evaluations of a home are: a folder for each suite, and in it one for each evaluation. */
export function evaluationsFolder(home: Home): string {
  return join(home.folder, 'evals');
}

/**
 * The evaluation that a user means: a folder, `last`, a suite's name for its newest, or `suite/id` with the start of an id. Throws
 * `UsageError` otherwise.
 */
export function findEvaluation(home: Home, named: string): Evaluation {
  if (isEvaluation(resolve(named))) return readEvaluation(resolve(named));
  const all = newestFirst(home);
  const folder =
    named === 'last'
      ? all[0]
      : all.find((one) => one.name === named || one.name.startsWith(`${named}/`) || isStart(named, one.name));
  if (folder) return readEvaluation(folder.folder);
  const known = all.slice(0, 5).map(({ name }) => name);
  throw new UsageError(
    `There is no evaluation '${named}' in ${evaluationsFolder(home)}. ` +
      (known.length > 0 ? `The newest are: ${known.join(', ')}.` : 'Run one with `assay eval SUITE`.'),
  );
}

function isStart(named: string, name: string): boolean {
  return named.includes('/') && name.startsWith(named);
}

/** The evaluations of all suites. */
export function newestFirst(home: Home): { name: string; folder: string }[] {
  return evaluationsBelow(evaluationsFolder(home)).map(({ suite, id, folder }) => ({ name: `${suite}/${id}`, folder }));
}
