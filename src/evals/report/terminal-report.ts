import type { ConfigurationMetrics, EvaluationHeader } from '../evaluation.ts';
import type { AblationFindings, EvaluationReport } from '../findings.ts';
import { ran } from '../metrics/records.ts';
import { count, duration, money, plural, shareText } from './figures.ts';
import { differenceText, recommendedText, simulatedText, verdictMarks, verdictWords } from './finding-words.ts';
import { type CostUnit, costPerSuccess, costUnit, criterionRows, plannedRuns, standIns } from './report-facts.ts';
import { shownLine } from './shown-text.ts';

export interface TerminalReportOptions {
  /** No row is wider. */
  columns: number;
  /** How texts are measured, cut and filled in a terminal, where some characters take two columns. */
  layout: TextLayout;
}

export interface TextLayout {
  widthOf(text: string): number;
  cut(text: string, columns: number): string;
  pad(text: string, columns: number): string;
  wrap(text: string, columns: number): string[];
}

/** The report as rows of plain text: configurations, verdicts, what is recommended, and whether the criteria are met. */
export function terminalReport(report: EvaluationReport, { columns, layout }: TerminalReportOptions): string[] {
  const { evaluation, metrics, ablation } = report;
  const { header, records } = evaluation;
  const simulated = simulatedText(standIns(evaluation));
  const [run, planned] = [ran(records).length, plannedRuns(evaluation)];
  const paragraphs = (...texts: string[]): string[] =>
    texts.flatMap((text) => layout.wrap(shownLine(text, 2000), columns).map((row) => layout.cut(row, columns)));
  const size = `${header.suite}: ${plural(header.tasks, 'task')}, ${plural(header.repeats, 'repeat')}, ${plural(header.configurations.length, 'configuration')}`;
  return [
    ...paragraphs(size),
    ...(simulated ? paragraphs(`SIMULATED. ${simulated}`) : []),
    ...(run < planned ? paragraphs(`INCOMPLETE: ${count(run)} of ${plural(planned, 'run')} came to an end.`) : []),
    '',
    ...textTable(configurationRows(metrics, header, costUnit(evaluation)), { columns, layout }),
    ...(ablation ? ['', ...paragraphs(...mechanismTexts(ablation))] : []),
    ...(criterionRows(report).length > 0 ? ['', ...paragraphs(...criterionTexts(report))] : []),
  ];
}

function configurationRows(
  metrics: readonly ConfigurationMetrics[],
  header: EvaluationHeader,
  unit: CostUnit,
): string[][] {
  const marks = (name: string): string =>
    `${name === header.baseline ? ' (baseline)' : ''}${name === header.subject ? ' *' : ''}`;
  return [
    ['configuration', 'success', `${unit === 'usd' ? 'USD' : 'tokens'}/success`, 'p95', 'silent'],
    ...metrics.map((found) => [
      `${shownLine(found.configuration, 60)}${marks(found.configuration)}`,
      shareText(found.success),
      (unit === 'usd' ? money : count)(costPerSuccess(found, unit)),
      duration(found.p95LatencyMs),
      shareText(found.silentFailures),
    ]),
  ];
}

const leastName = 12;
const gap = 2;

/** Beside one another where there is room, else each row as a name with its figures below. The first row names the columns. */
function textTable(rows: readonly string[][], { columns, layout }: TerminalReportOptions): string[] {
  const [heads = [], ...body] = rows;
  const widths = heads.map((_, index) => Math.max(...rows.map((cells) => layout.widthOf(cells[index] ?? ''))));
  const figures = widths.slice(1).reduce((sum, width) => sum + width + gap, 0);
  const name = Math.min(widths[0] ?? 0, columns - figures);
  if (name < Math.min(leastName, widths[0] ?? 0))
    return body.flatMap(([first = '', ...cells]) => [
      layout.cut(first, columns),
      ...cells.map((cell, index) => layout.cut(`  ${heads[index + 1]} ${cell}`, columns)),
    ]);
  return rows.map(([first = '', ...cells]) => {
    const right = cells.map((cell, index) => ' '.repeat(gap + (widths[index + 1] ?? 0) - layout.widthOf(cell)) + cell);
    return layout.pad(layout.cut(first, name), name) + right.join('');
  });
}

function mechanismTexts(ablation: AblationFindings): string[] {
  const verdicts = ablation.verdicts.map(
    ({ verdict, mechanism, why }) => `${verdictMarks[verdict]} ${mechanism}: ${verdictWords[verdict]}. ${why}`,
  );
  const { control } = ablation;
  return [
    ...verdicts,
    ...(control ? [`same money for plain samples: ${differenceText(control.comparison)}`] : []),
    `recommended: ${recommendedText(ablation)}`,
  ];
}

function criterionTexts(report: EvaluationReport): string[] {
  return criterionRows(report).map(
    ({ label, wanted, found, met }) => `${met ? '✓' : '✗'} ${label} ${found}, ${wanted}${met ? '' : ': missed'}`,
  );
}
