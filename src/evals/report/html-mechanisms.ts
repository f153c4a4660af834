/** The sections of the HTML report with charts: cost against success, the ladder of mechanisms, layers of failure. */
import type { Comparison } from '../evaluation.ts';
import type {
  AblationFindings,
  EqualBudgetControl,
  EvaluationReport,
  FailureLabel,
  MechanismVerdict,
} from '../findings.ts';
import type { Charts } from './charts.ts';
import { count, money, percent, plural, pointsText, pText, shareText, signedText } from './figures.ts';
import { labelledText, neededText, recommendedText, spendText, verdictMarks, verdictWords } from './finding-words.ts';
import { type Html, html, trusted } from './html.ts';
import { cell, figure, findingMark, head, named, number, type Section, said, table, words } from './html-parts.ts';
import { costPerSuccess, costPoints, costText, costUnit, type LayerRow, layerRows } from './report-facts.ts';
import { layerCodes, type Rung } from './row-charts.ts';

const chartWidths = [1080, 360] as const;

export function costSection(report: EvaluationReport, charts: Charts): Section | undefined {
  const { unit, points } = costPoints(report);
  if (points.length === 0) return undefined;
  const shown = unit === 'usd' ? money : count;
  const bare = (value: number): string => shown(value).replace('$', '');
  const rows = points.map(({ number: place, configuration, cost, success, frontier }) => [
    head(
      html`<span class="${frontier ? 'place filled' : 'place'}">${place}</span>${named(configuration)}${frontier ? html`<span class="hidden">, on the line</span>` : ''}`,
    ),
    number(shareText(success)),
    number(`${shown(cost.value)} (${bare(cost.low)}–${bare(cost.high)})`),
  ]);
  const caption =
    'Bars are 95 % intervals. Filled: no configuration is both cheaper and better; the dashed line joins these.';
  const columns = [
    { label: 'Configuration' },
    { label: 'Success', number: true },
    { label: `${unit === 'usd' ? 'Cost' : 'Tokens'} of a run, mean`, number: true },
  ];
  return {
    id: 'cost',
    title: 'Cost against success',
    body: html`<div class="beside">
${figure((width) => trusted(charts.costAgainstSuccess(points, unit, width)), [580, 360], caption)}
${table('The numbers of the plot', columns, rows)}
</div>`,
  };
}

export function mechanismSection(report: EvaluationReport, charts: Charts): Section | undefined {
  const { ablation } = report;
  if (!ablation) return undefined;
  const rungs = rungsOf(report, ablation);
  const caption = html`Each rung adds one mechanism to the one above. ▲ keep, ✕ drop, ○ not enough data, ■ start. Cost is per success.`;
  return {
    id: 'mechanisms',
    title: 'What each mechanism adds',
    body: html`<p>Recommended: <strong>${recommendedText(ablation)}</strong>.</p>
${rungs.length > 0 ? figure((width) => trusted(charts.ladder(rungs, width)), chartWidths, caption) : ''}
${table('Verdicts', verdictColumns, ablation.verdicts.map(verdictCells))}
${ablation.control ? controlText(ablation.control) : ''}
${ablation.lessonUplift ? html`<p>Lesson uplift, with a lesson recalled against the same tasks one rung below: ${pointsText(ablation.lessonUplift)}.</p>` : ''}`,
  };
}

function controlText({ configuration, samples, comparison, why }: EqualBudgetControl): Html {
  const { finding, difference, pValue } = comparison;
  return html`<h3>The same money for plain samples</h3>
<p><strong>${named(configuration)}</strong>, ${plural(samples, 'sample')}: ${said(why, 600)}</p>
<p>${named(comparison.b)} against ${named(comparison.a)}: ${findingMark(finding)}, ${pointsText(difference)}, ${pText(pValue)}.</p>`;
}

function rungsOf({ evaluation, metrics }: EvaluationReport, { rungs, verdicts }: AblationFindings): Rung[] {
  const unit = costUnit(evaluation);
  return rungs.flatMap((configuration): Rung[] => {
    const found = metrics.find((one) => one.configuration === configuration);
    if (!found || !Number.isFinite(found.success.rate)) return [];
    const cost = costText(costPerSuccess(found, unit), unit);
    return [
      {
        configuration,
        success: found.success,
        cost,
        verdict: verdicts.find(({ added }) => added.b === configuration)?.verdict,
      },
    ];
  });
}

const verdictColumns = [
  { label: 'Mechanism' },
  { label: 'Why' },
  { label: 'Success, points', about: 'Against the rung below; then tasks on which it is better or worse' },
  { label: 'Silent, points', about: 'Share of wrong answers that were handed over without a word' },
  { label: 'Takes' },
  { label: 'When left out', about: 'The whole ladder against the whole ladder without it' },
];

const verdictClasses: Record<MechanismVerdict['verdict'], string> = {
  keep: 'good',
  drop: 'bad',
  'not-enough-data': 'noise',
};

function verdictCells(found: MechanismVerdict): Html[] {
  const { mechanism, verdict, added, leftOut, why } = found;
  const needed = neededText(found);
  return [
    head(
      mechanism,
      html`<br><span class="${verdictClasses[verdict]}">${verdictMarks[verdict]} ${verdictWords[verdict]}</span>`,
      needed ? html`<br><span class="muted">${needed}</span>` : '',
    ),
    words(said(why, 600)),
    differenceCell(
      added,
      html`<br><span class="muted">${count(added.onlyB)} better, ${count(added.onlyA)} worse</span>`,
    ),
    cell(
      html`<span class="nowrap">${signedText(added.silentDifference)}</span><br><span class="muted">${pText(added.silentPValue)}</span>`,
    ),
    cell(spendText(added).map((text) => html`<div class="nowrap">${text}</div>`)),
    leftOut ? differenceCell(leftOut) : cell('–'),
  ];
}

function differenceCell({ finding, difference, pValue }: Comparison, more?: Html): Html {
  return html`<td class="nowrap">${findingMark(finding)}<br>${signedText(difference)}<br><span class="muted">${pText(pValue)}</span>${more}</td>`;
}

export function layerSection(
  labels: readonly FailureLabel[],
  configurations: readonly string[],
  charts: Charts,
): Section | undefined {
  const rows = layerRows(labels);
  if (rows.length === 0) return undefined;
  const known = new Set(rows.flatMap(({ byConfiguration }) => [...byConfiguration.keys()]));
  const shown = [...configurations.filter((name) => known.has(name)), ...(known.has('unknown') ? ['unknown'] : [])];
  const draw = (width: number): Html => trusted(charts.failureLayers(rows, shown, width));
  const caption = html`Failed runs by the layer whose mechanism would have met them. The letters stand for the layers below.`;
  return {
    id: 'layers',
    title: 'Where failures come from',
    body: html`${figure(draw, chartWidths, caption)}
${table(
  'Layers and remedies',
  layerColumns,
  rows.map((row) => layerCells(row, labels.length)),
)}
<details class="printed"><summary>The numbers of the chart</summary>
${table(
  'Failed runs by configuration and layer',
  [{ label: 'Configuration' }, ...rows.map(({ layer }) => ({ label: layer, number: true }))],
  shown.map((name) => [
    head(named(name)),
    ...rows.map(({ byConfiguration }) => number(count(byConfiguration.get(name) ?? 0))),
  ]),
)}
</details>`,
  };
}

const layerColumns = [
  { label: 'Layer' },
  { label: 'Failures', number: true },
  { label: 'Share', number: true },
  { label: 'What to add' },
  { label: 'Labelled' },
];

function layerCells(row: LayerRow, all: number): Html[] {
  const { layer, count: failures, remedies } = row;
  const swatch = trusted(
    `<svg class="swatch" viewBox="0 0 30 20" aria-hidden="true"><rect width="30" height="20" rx="3" fill="var(--${layer})"/><text x="15" y="14" fill="var(--on-${layer})">${layerCodes[layer]}</text></svg>`,
  );
  return [
    head(swatch, layer),
    number(count(failures)),
    number(percent(failures / all, 0)),
    words(remedies.slice(0, 3).map((remedy) => html`<div>${said(remedy, 300)}</div>`)),
    cell(labelledText(row)),
  ];
}
