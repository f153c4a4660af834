/** The tables of the HTML report: configurations with all their figures, comparisons, kinds of task, heavy tasks. */
import type { ConfigurationMetrics, EvalRecord, EvaluationHeader } from '../evaluation.ts';
import type { EvaluationReport } from '../findings.ts';
import { count, duration, pText, ratio, signedText } from './figures.ts';
import { makeText, outcomeWords } from './finding-words.ts';
import { type Html, html } from './html.ts';
import { findingMark, head, named, number, type Section, shareCell, table, words } from './html-parts.ts';
import { type MetricGroup, metricGroups } from './metric-groups.ts';
import { costText, costUnit, type HeavyTask, heaviestTasks, showCommand } from './report-facts.ts';

export function configurationSection({ evaluation, metrics, comparisons }: EvaluationReport): Section {
  const { header } = evaluation;
  const groups = metricGroups(header.repeats).map((group, index) => {
    const shown = groupTable(group, metrics, header);
    if (index === 0) return shown;
    return html`<details class="printed"${index < 3 ? html` open` : ''}><summary>${group.title}</summary>${shown}</details>`;
  });
  return {
    id: 'configurations',
    title: 'Configurations',
    body: html`<p class="note">Shares with their 95 % intervals; hover over one for its counts. Degraded and broken runs are no successes.</p>
${groups}
${kindTable(metrics)}
${comparisons.length > 0 ? comparisonTable(comparisons, header.baseline) : ''}
<details class="printed"><summary>What they are made of</summary>
${table(
  'Layers, outermost first, and the solver',
  [{ label: 'Configuration' }, { label: 'Made of' }, { label: 'Models' }],
  header.configurations.map((configuration) => [
    head(named(configuration.name)),
    words(makeText(configuration)),
    words(configuration.models.map(({ role, id, source }) => html`<div>${role}: ${named(id)} (${source})</div>`)),
  ]),
)}
</details>`,
  };
}

function groupTable(
  { title, metrics }: MetricGroup,
  all: readonly ConfigurationMetrics[],
  header: EvaluationHeader,
): Html {
  const columns = [
    { label: 'Configuration' },
    ...metrics.map(({ label, about }) => ({ label, about, number: true })),
    { label: 'Runs', number: true },
  ];
  const rows = all.map((one) => [
    configurationHead(one.configuration, header),
    ...metrics.map((metric) =>
      metric.key === 'success' ? shareCell(one.success) : number(metric.text(one), metric.counted?.(one)),
    ),
    number(count(one.runs)),
  ]);
  return table(title, columns, rows);
}

function configurationHead(name: string, { baseline, subject }: EvaluationHeader): Html {
  const tags = [...(name === baseline ? ['baseline'] : []), ...(name === subject ? ['under test'] : [])];
  return head(
    named(name),
    tags.map((tag) => html` <span class="tag">${tag}</span>`),
  );
}

function kindTable(metrics: readonly ConfigurationMetrics[]): Html {
  const kinds = [...new Set(metrics.flatMap(({ byKind }) => Object.keys(byKind)))];
  if (kinds.length < 2) return html``;
  const columns = [{ label: 'Configuration' }, ...kinds.map((kind) => ({ label: kind || 'no kind', number: true }))];
  const rows = metrics.map(({ configuration, byKind }) => [
    head(named(configuration)),
    ...kinds.map((kind) => {
      const share = byKind[kind];
      return share ? shareCell(share) : number('–');
    }),
  ]);
  return html`<details class="printed"><summary>Success by kind of task</summary>${table('Success by kind of task', columns, rows)}</details>`;
}

function comparisonTable(comparisons: EvaluationReport['comparisons'], baseline: string): Html {
  const columns = [
    { label: 'Configuration' },
    { label: 'Finding' },
    { label: 'Success, points', number: true },
    {
      label: 'p',
      number: true,
      about: 'Two-sided: exact McNemar where tasks ran once, else the sign-flip permutation test',
    },
    { label: 'Better on', number: true, about: 'Tasks on which only it is better' },
    { label: 'Worse on', number: true, about: 'Tasks on which only the other is better' },
    { label: 'Silent failures, points', number: true },
    { label: 'Cost', number: true },
    { label: 'Time', number: true },
  ];
  const rows = comparisons.map((found) => [
    head(named(found.b)),
    html`<td class="nowrap">${findingMark(found.finding)}</td>`,
    number(signedText(found.difference)),
    number(pText(found.pValue).replace(/^p (= )?/, '')),
    number(count(found.onlyB)),
    number(count(found.onlyA)),
    number(signedText(found.silentDifference)),
    number(`${ratio(found.costRatio)}${found.costUnit === 'tokens' ? ' tokens' : ''}`),
    number(ratio(found.latencyRatio)),
  ]);
  const title = `Against ${baseline}, on the same tasks`;
  return html`<details class="printed" open><summary>${title}</summary>${table(title, columns, rows)}</details>`;
}

/** The slowest and the dearest tasks over all configurations. */
export function heavySection(
  { evaluation }: EvaluationReport,
  timelineOf: (runId: string) => string | undefined,
): Section | undefined {
  const { records, folder } = evaluation;
  const unit = costUnit(evaluation);
  const list = (title: string, of: (record: EvalRecord) => number, shown: (value: number) => string): Html => {
    const tasks = heaviestTasks(records, of);
    if (tasks.length === 0) return html``;
    const columns = [
      { label: 'Task' },
      { label: 'Mean', number: true },
      { label: 'Runs', number: true },
      { label: 'Most', number: true },
      { label: 'In the run' },
    ];
    return table(
      title,
      columns,
      tasks.map((task) => heavyCells(task, shown(task.mean), shown(of(task.worst)))),
    );
  };
  const heavyCells = ({ task, kind, runs, worst }: HeavyTask, mean: string, most: string): Html[] => {
    const anchor = timelineOf(worst.runId);
    return [
      head(named(task), kind ? html` <span class="tag">${named(kind)}</span>` : ''),
      number(mean),
      number(count(runs)),
      number(most),
      words(
        html`${named(worst.configuration)}, ${outcomeWords[worst.outcome]}${anchor ? html`, <a href="#${anchor}">timeline</a>` : ''}<br><code>${showCommand(worst.runId, folder)}</code>`,
      ),
    ];
  };
  const slowest = list('Slowest tasks', ({ latencyMs }) => latencyMs, duration);
  const dearest = list(
    'Dearest tasks',
    ({ usage }) => usage[unit],
    (cost) => costText(cost, unit),
  );
  if (slowest.markup + dearest.markup === '') return undefined;
  return {
    id: 'heavy',
    title: 'Slowest and dearest tasks',
    body: html`<p class="note">Mean over the runs of all configurations.</p>${slowest}${dearest}`,
  };
}
