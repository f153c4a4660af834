import type { ConfigurationMetrics, EvalRecord, Evaluation, EvaluationHeader } from '../evaluation.ts';
import type { AblationFindings, EvaluationReport, FailureLabel } from '../findings.ts';
import { ran } from '../metrics/records.ts';
import { count, dateText, duration, money, percent, plural, pointsText, shareText } from './figures.ts';
import {
  differenceText,
  graderText,
  labelledText,
  modelTexts,
  neededText,
  outcomeWords,
  recommendedText,
  simulatedText,
  spendText,
  verdictMarks,
  verdictWords,
} from './finding-words.ts';
import { code, markdownTable, words } from './markdown.ts';
import { metricGroups } from './metric-groups.ts';
import {
  type CostUnit,
  costPerSuccess,
  costPoints,
  costText,
  costUnit,
  criterionRows,
  failedRuns,
  heaviestTasks,
  layerRows,
  plannedRuns,
  showCommand,
  standIns,
  whyOf,
} from './report-facts.ts';

const mostRuns = 50;

/**
 * The report in GitHub's Markdown. What a model, a tool or a data set wrote stands in code spans, where it can neither link, mention
 * anybody nor end a table.
 */
export function markdownReport(report: EvaluationReport): string {
  const { evaluation, metrics, ablation, failures = [] } = report;
  const { header } = evaluation;
  const blocks = [
    ...headBlocks(report),
    ...resultBlocks(report),
    '## Configurations',
    ...metricGroups(header.repeats).map(({ title, metrics: shown }) => {
      const heads = [title, ...shown.map(({ label }) => label), 'Runs'];
      const rows = metrics.map((one) => [
        code(one.configuration),
        ...shown.map(({ text }) => text(one)),
        count(one.runs),
      ]);
      return markdownTable(heads, rows);
    }),
    ...(report.comparisons.length > 0 ? comparisonBlocks(report, header) : []),
    ...costBlocks(report),
    ...(ablation ? ablationBlocks(ablation, metrics, costUnit(evaluation)) : []),
    ...(failures.length > 0 ? layerBlocks(failures) : []),
    ...heavyBlocks(evaluation),
    ...failureBlocks(report),
  ];
  return `${blocks.join('\n\n')}\n`;
}

function headBlocks({ evaluation }: EvaluationReport): string[] {
  const { header, records, folder } = evaluation;
  const simulated = simulatedText(standIns(evaluation));
  const [run, planned] = [ran(records).length, plannedRuns(evaluation)];
  return [
    `# ${words(header.suite)}: evaluation`,
    ...(header.description ? [words(header.description)] : []),
    ...(simulated ? [`> **SIMULATED.** ${words(simulated)}`] : []),
    ...(run < planned ? [`> **INCOMPLETE.** ${count(run)} of ${plural(planned, 'run')} came to an end.`] : []),
    [
      `- Date: ${dateText(header.began)}${header.ended === undefined ? '' : `, ran ${duration(header.ended - header.began)}`}`,
      `- Tasks: ${plural(header.tasks, 'task')} × ${plural(header.repeats, 'repeat')}, hash ${code(header.tasksHash)}`,
      `- Fixed before the run: ${code(header.fingerprint)}`,
      `- Graders: ${words(header.graders.map(graderText).join('; '))}`,
      `- Models: ${words(modelTexts(header).join('; '))}`,
      `- Evaluation: ${code(header.id)} in ${code(folder)}, by Assay ${header.version}`,
    ].join('\n'),
  ];
}

function resultBlocks(report: EvaluationReport): string[] {
  const { baseline, subject } = report.evaluation.header;
  const comparison = report.comparisons.find(({ a, b }) => a === baseline && b === subject);
  const criteria = criterionRows(report).map(({ label, wanted, found, met }) => [
    label,
    wanted,
    found,
    met ? '✓ met' : '✗ **missed**',
  ]);
  return [
    '## Result',
    `Under test: ${code(subject)}${comparison ? `, against ${code(baseline)}: ${differenceText(comparison)}; ${spendText(comparison).join(', ')}` : ''}.`,
    ...(report.ablation ? [`Recommended mechanisms: **${recommendedText(report.ablation)}**.`] : []),
    ...(criteria.length > 0 ? [markdownTable(['Criterion', 'Wanted', 'Found', 'Met'], criteria)] : []),
  ];
}

function comparisonBlocks({ comparisons }: EvaluationReport, { baseline }: EvaluationHeader): string[] {
  const rows = comparisons.map((found) => [
    code(found.b),
    differenceText(found),
    `${count(found.onlyB)} / ${count(found.onlyA)}`,
    pointsText(found.silentDifference),
    spendText(found).join(', '),
  ]);
  const heads = ['Configuration', 'Success', 'Better / worse on', 'Silent failures', 'Takes'];
  return [`### Against ${code(baseline)}, on the same tasks`, markdownTable(heads, rows)];
}

function costBlocks(report: EvaluationReport): string[] {
  const { unit, points } = costPoints(report);
  if (points.length === 0) return [];
  const shown = unit === 'usd' ? money : count;
  const rows = points.map(({ configuration, cost, success, frontier }) => [
    code(configuration),
    `${shown(cost.value)} (${shown(cost.low)}–${shown(cost.high)})`,
    shareText(success),
    frontier ? '●' : '',
  ]);
  return [
    '## Cost against success',
    markdownTable(
      ['Configuration', unit === 'usd' ? 'Cost of a run' : 'Tokens of a run', 'Success', 'None is cheaper and better'],
      rows,
    ),
  ];
}

function ablationBlocks(
  ablation: AblationFindings,
  metrics: readonly ConfigurationMetrics[],
  unit: CostUnit,
): string[] {
  const { rungs, verdicts, control, lessonUplift } = ablation;
  const rungRows = rungs.flatMap((name) => {
    const found = metrics.find(({ configuration }) => configuration === name);
    return found ? [[code(name), shareText(found.success), costText(costPerSuccess(found, unit), unit)]] : [];
  });
  const rows = verdicts.map((found) => [
    found.mechanism,
    [`${verdictMarks[found.verdict]} ${verdictWords[found.verdict]}`, neededText(found)]
      .filter((text) => text !== undefined)
      .join('; '),
    differenceText(found.added),
    spendText(found.added).join(', '),
    words(found.why),
    found.leftOut ? differenceText(found.leftOut) : '–',
  ]);
  return [
    '## What each mechanism adds',
    markdownTable(['Rung', 'Success', 'Cost per success'], rungRows),
    markdownTable(['Mechanism', 'Verdict', 'Success', 'Takes', 'Why', 'Whole ladder against without'], rows),
    ...(control
      ? [
          `The same money for plain samples (${code(control.configuration)}, ${plural(control.samples, 'sample')}): ${words(control.why)}. ${code(control.comparison.b)} against ${code(control.comparison.a)}: ${differenceText(control.comparison)}.`,
        ]
      : []),
    ...(lessonUplift ? [`Lesson uplift: ${pointsText(lessonUplift)}.`] : []),
  ];
}

function layerBlocks(labels: readonly FailureLabel[]): string[] {
  const rows = layerRows(labels).map((row) => [
    row.layer,
    count(row.count),
    percent(row.count / labels.length, 0),
    words(row.remedies.slice(0, 3).join('; ')),
    labelledText(row),
  ]);
  return [
    '## Where failures come from',
    markdownTable(['Layer', 'Failures', 'Share', 'What to add', 'Labelled'], rows),
  ];
}

function heavyBlocks(evaluation: Evaluation): string[] {
  const unit = costUnit(evaluation);
  const list = (title: string, of: (record: EvalRecord) => number, shown: (value: number) => string): string[] => {
    const rows = heaviestTasks(evaluation.records, of).map(({ task, mean, worst }) => [
      code(task),
      shown(mean),
      shown(of(worst)),
      code(worst.configuration),
    ]);
    return rows.length > 0 ? [markdownTable([title, 'Mean', 'Most', 'With'], rows)] : [];
  };
  const blocks = [
    ...list('Slowest tasks', ({ latencyMs }) => latencyMs, duration),
    ...list(
      'Dearest tasks',
      ({ usage }) => usage[unit],
      (cost) => costText(cost, unit),
    ),
  ];
  return blocks.length > 0 ? ['## Slowest and dearest tasks', ...blocks] : [];
}

function failureBlocks({ evaluation }: EvaluationReport): string[] {
  const failed = failedRuns(evaluation).get(evaluation.header.subject) ?? [];
  if (failed.length === 0) return [];
  const rows = failed
    .slice(0, mostRuns)
    .map((record) => [
      code(record.task),
      String(record.repeat),
      outcomeWords[record.outcome],
      code(whyOf(record)),
      code(showCommand(record.runId, evaluation.folder)),
    ]);
  const left = failed.length - rows.length;
  return [
    `## Failed runs of ${code(evaluation.header.subject)}`,
    markdownTable(['Task', 'Repeat', 'Outcome', 'Why', 'To see the run'], rows),
    ...(left > 0 ? [`${plural(left, 'more failed run')} not listed here.`] : []),
  ];
}
