import { UsageError } from '../../core/errors.ts';
import type { Evaluation } from '../../evals/evaluation.ts';
import type { AblationFindings } from '../../evals/findings.ts';
import { type EvaluateOptions, evaluate } from '../../evals/runner/evaluate.ts';
import { isEvaluation } from '../../evals/runner/evaluation-folder.ts';
import { storedFindings, storeFindings } from '../../evals/stored-findings.ts';
import type { Suite } from '../../evals/suite.ts';
import { cleanLine } from '../clean.ts';
import { type Command, type CommandContext, numberOption, switchOption, textOption } from '../command.ts';
import { compareEvaluations } from '../eval/compare-evaluations.ts';
import { EvaluationProgress } from '../eval/evaluation-progress.ts';
import { evaluationsFolder, findEvaluation } from '../eval/find-evaluation.ts';
import { openSuite } from '../eval/open-suite.ts';
import { tellEvaluation } from '../eval/tell-evaluation.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { commandName } from '../hints.ts';
import { plural } from '../numbers.ts';
import { version } from '../package-root.ts';
import { renderRow } from '../timeline.ts';

/** `assay eval SUITE`: runs every configuration on every task and says what it came to. With a stored evaluation it only reports. */
export const command: Command = async (context) => {
  const [named] = context.args;
  const other = textOption(context, 'compare');
  if (other !== undefined) return compareEvaluations(other, named ?? 'last', context);
  if (named === undefined)
    throw new UsageError('Name a suite: a folder with suite.ts, a data set such as gsm8k:FILE, or a file of tasks.');
  const stored = storedEvaluation(named, context);
  if (stored) return tellEvaluation(stored, storedFindings(stored.folder), context);
  return runSuite(await openSuite(named, context), named, context);
};

/** A folder that holds an evaluation, or `last`. */
function storedEvaluation(named: string, { home }: CommandContext): Evaluation | undefined {
  return named === 'last' || isEvaluation(named) ? findEvaluation(home, named) : undefined;
}

async function runSuite(suite: Suite, named: string, context: CommandContext): Promise<ExitCode> {
  const { screen } = context;
  const progress = new EvaluationProgress(screen);
  const interrupt = new AbortController();
  const stop = (): void => {
    if (interrupt.signal.aborted) process.exit(exitCodes.interrupted);
    progress.clear();
    screen.note('Stopping where it stands; once more to quit at once.');
    interrupt.abort(new Error('interrupted'));
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  try {
    const { evaluation, findings } = await measure(suite, context, {
      ...optionsFrom(context),
      signal: interrupt.signal,
      onProgress: (info) => progress.follow(info),
      onWarning: (message) => {
        progress.clear();
        screen.note(renderRow({ label: 'warning', text: cleanLine(message), tone: 'yellow' }, screen));
      },
    });
    progress.clear();
    return await tellEvaluation(evaluation, findings, context);
  } catch (error) {
    if (!interrupt.signal.aborted) throw error;
    screen.note(`Stopped. Nothing is lost: the same command goes on: ${commandName()} eval ${named}`);
    return exitCodes.interrupted;
  } finally {
    progress.clear();
    process.off('SIGINT', stop);
    process.off('SIGTERM', stop);
  }
}

async function measure(
  suite: Suite,
  context: CommandContext,
  options: EvaluateOptions,
): Promise<{ evaluation: Evaluation; findings: AblationFindings | undefined }> {
  const tasks = await suite.tasks();
  context.screen.note(
    `${suite.name}: ${plural(tasks.length, 'task')}${(options.repeats ?? 1) > 1 ? `, ${options.repeats} times each` : ''}`,
  );
  if (!switchOption(context, 'ablate')) return { evaluation: await evaluate(suite, options), findings: undefined };
  const { ablate } = await import('../../evals/ablation/ablate.ts');
  const { evaluation, findings } = await ablate(suite, options);
  storeFindings(evaluation.folder, findings);
  return { evaluation, findings };
}

function optionsFrom(context: CommandContext): EvaluateOptions {
  const repeats = numberOption(context, 'repeat');
  const concurrency = numberOption(context, 'concurrency');
  return {
    folder: evaluationsFolder(context.home),
    cache: context.options['cache'] !== false,
    fresh: switchOption(context, 'fresh'),
    retry: switchOption(context, 'retry'),
    version: version(),
    ...(repeats !== undefined && { repeats }),
    ...(concurrency !== undefined && { concurrency }),
  };
}
