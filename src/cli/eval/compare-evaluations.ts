import { regressionText } from '../../evals/metrics/regression-text.ts';
import { regressions } from '../../evals/metrics/regressions.ts';
import { type CommandContext, printJson } from '../command.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { findEvaluation } from './find-evaluation.ts';

/** `assay eval --compare A B`: what changed from A to B. Exits with 1 when a configuration became worse. */
export async function compareEvaluations(before: string, after: string, context: CommandContext): Promise<ExitCode> {
  const { home, json, screen } = context;
  const found = regressions(findEvaluation(home, before), findEvaluation(home, after));
  if (json) printJson(context, found);
  else screen.out(regressionText(found));
  return found.configurations.some(({ finding }) => finding === 'worse') ? exitCodes.failed : exitCodes.completed;
}
