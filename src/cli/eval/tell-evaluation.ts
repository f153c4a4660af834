import { writeFileSync } from 'node:fs';
import { messageOf, UsageError } from '../../core/errors.ts';
import type { Evaluation } from '../../evals/evaluation.ts';
import { reportOf } from '../../evals/evaluation-report.ts';
import { failedRuns } from '../../evals/failed-runs.ts';
import type { AblationFindings, EvaluationReport } from '../../evals/findings.ts';
import { missedCriteria } from '../../evals/metrics/criteria.ts';
import { terminalReport } from '../../evals/report/terminal-report.ts';
import type { Criteria } from '../../evals/suite.ts';
import { triageAll } from '../../evals/triage/triage.ts';
import { type CommandContext, numberOption, printJson, textOption } from '../command.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { commandName } from '../hints.ts';
import { cut, pad, widthOf, wrap } from '../width.ts';
import { runTimelines } from './run-timelines.ts';

/** Tells what an evaluation came to, writes the reports that were asked for, and gives the exit code: 1 when a criterion is missed. */
export async function tellEvaluation(
  evaluation: Evaluation,
  findings: AblationFindings | undefined,
  context: CommandContext,
): Promise<ExitCode> {
  const withCriteria = { ...evaluation, header: { ...evaluation.header, criteria: criteriaOf(evaluation, context) } };
  const { labels } = await triageAll(await failedRuns(withCriteria));
  const report = reportOf(withCriteria, { ablation: findings, failures: labels });
  const written = await writeReports(report, context);
  const missed = missedBy(report);
  if (context.json) printJson(context, { ...jsonOf(report), missed, written });
  else tell(report, written, context);
  return missed.length > 0 ? exitCodes.failed : exitCodes.completed;
}

/** Those of the suite, and what the command line asks beside them. Above 1 it is read as a percentage. */
function criteriaOf({ header }: Evaluation, context: CommandContext): Criteria {
  const least = numberOption(context, 'failUnder');
  return least === undefined ? header.criteria : { ...header.criteria, minSuccess: least > 1 ? least / 100 : least };
}

function missedBy({ evaluation: { header }, metrics }: EvaluationReport): string[] {
  const subject = metrics.find(({ configuration }) => configuration === header.subject);
  return subject
    ? missedCriteria(header.criteria, subject)
    : [`the configuration '${header.subject}' was not evaluated`];
}

function tell(report: EvaluationReport, written: readonly string[], { screen }: CommandContext): void {
  const { folder } = report.evaluation;
  const layout = { widthOf, cut, pad, wrap };
  for (const line of terminalReport(report, { columns: screen.outColumns ?? 100, layout })) screen.out(line);
  screen.out('');
  for (const file of written) screen.note(`Wrote ${file}`);
  const name = commandName();
  const failed = report.failures?.length ?? 0;
  if (failed > 0) screen.note(`Where the ${failed} failures come from: ${name} triage last --all`);
  screen.note(`One run: ${name} show RUN --home ${folder}`);
}

/** Without the runs: they are in the folder. */
function jsonOf(report: EvaluationReport): object {
  const { evaluation, failures = [], ...rest } = report;
  return { header: evaluation.header, folder: evaluation.folder, ...rest, failures: failures.length };
}

async function writeReports(report: EvaluationReport, context: CommandContext): Promise<string[]> {
  const wanted = context.options['report'];
  const files = Array.isArray(wanted) ? wanted.map(String) : [];
  const junit = textOption(context, 'junit');
  const config = textOption(context, 'writeConfig');
  for (const file of files) write(file, await reportText(file, report));
  if (junit !== undefined) {
    const { junitReport } = await import('../../evals/report/junit-report.ts');
    write(junit, junitReport(report));
  }
  if (config !== undefined) write(config, await configText(report));
  return [...files, ...(junit === undefined ? [] : [junit]), ...(config === undefined ? [] : [config])];
}

async function reportText(file: string, report: EvaluationReport): Promise<string> {
  if (file.endsWith('.md')) return (await import('../../evals/report/markdown-report.ts')).markdownReport(report);
  if (!/\.html?$/.test(file)) throw new UsageError(`--report ${file}: a report is a page (.html) or Markdown (.md).`);
  const { htmlReport } = await import('../../evals/report/html-report.ts');
  return htmlReport(report, { timelines: runTimelines(report.evaluation) });
}

async function configText({ ablation, evaluation: { header } }: EvaluationReport): Promise<string> {
  if (!ablation)
    throw new UsageError('--write-config writes what an ablation recommends: run the suite with --ablate first.');
  const { recommendedConfig } = await import('../../evals/ablation/recommended-config.ts');
  return recommendedConfig(ablation, { suite: header.suite, evaluation: header.id });
}

function write(file: string, text: string): void {
  try {
    writeFileSync(file, text);
  } catch (error) {
    throw new UsageError(`${file} cannot be written (${messageOf(error)}). Name a file in an existing folder.`);
  }
}
