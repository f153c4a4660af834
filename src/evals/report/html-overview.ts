/** The head of the HTML report: what was evaluated, with what, and what came out. */
import type { ConfigurationMetrics } from '../evaluation.ts';
import type { EvaluationReport } from '../findings.ts';
import { ran } from '../metrics/records.ts';
import { count, dateText, duration, plural, pointsText, pText, shareText } from './figures.ts';
import { graderText, modelTexts, recommendedText, simulatedText, spendText } from './finding-words.ts';
import { type Html, html } from './html.ts';
import { cell, findingMark, head, named, number, type Section, said, table } from './html-parts.ts';
import {
  type CostUnit,
  costPerSuccess,
  costText,
  costUnit,
  criterionRows,
  plannedRuns,
  standIns,
} from './report-facts.ts';

/** The head of the page, with links to the sections. */
export function masthead({ evaluation }: EvaluationReport, sections: readonly Section[]): Html {
  const { header, folder } = evaluation;
  const simulated = simulatedText(standIns(evaluation));
  return html`<header class="masthead">
<p class="eyebrow">Assay evaluation</p>
<h1>${named(header.suite)}</h1>
${header.description ? html`<p>${said(header.description, 1000)}</p>` : ''}
${simulated ? html`<p class="banner"><strong>SIMULATED.</strong> ${simulated}</p>` : ''}
${incompleteBanner(evaluation)}
<dl class="meta">
<dt>Date</dt><dd>${dateText(header.began)}${header.ended === undefined ? '' : `, ran ${duration(header.ended - header.began)}`}</dd>
<dt>Tasks</dt><dd>${plural(header.tasks, 'task')} × ${plural(header.repeats, 'repeat')} × ${plural(header.configurations.length, 'configuration')}</dd>
<dt>Tasks hash</dt><dd><code>${header.tasksHash}</code></dd>
<dt>Fixed before the run</dt><dd><code>${header.fingerprint}</code></dd>
<dt>Graders</dt><dd>${header.graders.map(graderText).join('; ')}</dd>
<dt>Models</dt><dd>${modelTexts(header).map((text) => html`<div>${said(text, 300)}</div>`)}</dd>
<dt>Evaluation</dt><dd>${named(header.id)}, by Assay ${header.version}</dd>
<dt>Runs kept in</dt><dd><code>${folder}</code></dd>
</dl>
<nav aria-label="Sections"><ul>${sections.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`)}</ul></nav>
</header>`;
}

function incompleteBanner(evaluation: EvaluationReport['evaluation']): Html {
  const run = ran(evaluation.records).length;
  const planned = plannedRuns(evaluation);
  if (run >= planned) return html``;
  return html`<p class="banner"><strong>INCOMPLETE.</strong> ${count(run)} of ${plural(planned, 'run')} came to an end; the figures are about these.</p>`;
}

/** The answer to the question why anybody ran this. */
export function resultSection(report: EvaluationReport): Section {
  const { baseline, subject } = report.evaluation.header;
  const of = (name: string) => report.metrics.find(({ configuration }) => configuration === name);
  const [tested, basis] = [of(subject), of(baseline)];
  const comparison = report.comparisons.find(({ a, b }) => a === baseline && b === subject);
  return {
    id: 'result',
    title: 'Result',
    body: html`
<p>Under test: <strong>${named(subject)}</strong>${subject === baseline ? '' : html`, against <strong>${named(baseline)}</strong>`}.
${comparison ? html`Success is ${findingMark(comparison.finding)}: ${pointsText(comparison.difference)}, ${pText(comparison.pValue)}, over ${plural(comparison.tasks, 'task')}; ${spendText(comparison).join(', ')}.` : ''}</p>
${tested ? cards(tested, subject === baseline ? undefined : basis, costUnit(report.evaluation)) : html`<p class="note">No run of it came to an end.</p>`}
${report.ablation ? html`<p>Recommended mechanisms: <strong>${recommendedText(report.ablation)}</strong>. <a href="#mechanisms">Why</a></p>` : ''}
${criteriaTable(report)}`,
  };
}

function cards(tested: ConfigurationMetrics, basis: ConfigurationMetrics | undefined, unit: CostUnit): Html {
  const card = (label: string, shown: (metrics: ConfigurationMetrics) => string): Html =>
    html`<li><span class="label">${label}</span><span class="figure">${shown(tested)}</span>${basis ? html`<span class="against">${named(basis.configuration)}: ${shown(basis)}</span>` : ''}</li>`;
  return html`<ul class="cards">
${card('Success', ({ success }) => shareText(success))}
${card('Cost per success', (metrics) => costText(costPerSuccess(metrics, unit), unit))}
${card('p95 time', ({ p95LatencyMs }) => duration(p95LatencyMs))}
${card('Silent failures', ({ silentFailures }) => shareText(silentFailures))}
</ul>`;
}

function criteriaTable(report: EvaluationReport): Html {
  const rows = criterionRows(report);
  if (rows.length === 0) return html`<p class="note">No criteria were set.</p>`;
  const columns = [
    { label: 'Criterion' },
    { label: 'Wanted', number: true },
    { label: 'Found', number: true },
    { label: 'Met' },
  ];
  return table(
    'Criteria',
    columns,
    rows.map(({ label, wanted, found, met }) => [
      head(label),
      number(wanted),
      number(found),
      cell(met ? html`<span class="good">✓ met</span>` : html`<span class="bad">✗ missed</span>`),
    ]),
  );
}
