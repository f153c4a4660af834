import type { ConfigurationMetrics, EvalRecord } from '../evaluation.ts';
import type { EvaluationReport } from '../findings.ts';
import { ran } from '../metrics/records.ts';
import { modelTexts } from './finding-words.ts';
import { escapeMarkup } from './html.ts';
import { type Metric, metricGroups } from './metric-groups.ts';
import { showCommand, whyOf } from './report-facts.ts';
import { cutText, shownLine, shownText } from './shown-text.ts';

const mostCharacters = 4000;

/**
 * The report as JUnit XML: a test suite for each configuration, a test case for each task and repeat. A wrong or degraded answer is a
 * failure, a broken run an error, a run that did not take place skipped. Times are seconds, metrics are properties; a figure that is
 * not known is left out.
 */
export function junitReport({ evaluation, metrics }: EvaluationReport): string {
  const { header, records, folder } = evaluation;
  const byConfiguration = Map.groupBy(records, ({ configuration }) => configuration);
  const shown = metricGroups(header.repeats).flatMap((group) => group.metrics);
  const models = modelTexts(header);
  const suites = header.configurations.map(({ name }) => {
    const found = byConfiguration.get(name) ?? [];
    const figures = metrics.find(({ configuration }) => configuration === name);
    return [
      `  <testsuite name="${line(name)}" ${totals(found)} timestamp="${new Date(header.began).toISOString().slice(0, 19)}">`,
      '    <properties>',
      property('suite', header.suite),
      property('tasks-hash', header.tasksHash),
      property('fingerprint', header.fingerprint),
      ...models.map((model) => property('model', model)),
      ...(figures ? shown.flatMap((metric) => metricProperty(metric, figures)) : []),
      '    </properties>',
      ...found.map((record) => testCase(record, header.suite, folder)),
      '  </testsuite>',
    ].join('\n');
  });
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="${line(header.suite)}" ${totals(records)}>
${suites.join('\n')}
</testsuites>
`;
}

/** The counts that a suite, and all suites together, state. */
function totals(records: readonly EvalRecord[]): string {
  const of = (...outcomes: EvalRecord['outcome'][]): number =>
    records.filter(({ outcome }) => outcomes.includes(outcome)).length;
  const seconds = ran(records).reduce((sum, { latencyMs }) => sum + latencyMs, 0) / 1000;
  return `tests="${records.length}" failures="${of('failure', 'degraded')}" errors="${of('broken')}" skipped="${of('not-run')}" time="${seconds.toFixed(3)}"`;
}

function metricProperty({ key, figure }: Metric, metrics: ConfigurationMetrics): string[] {
  const value = figure(metrics);
  return Number.isFinite(value) ? [property(key, String(value))] : [];
}

function property(name: string, value: string): string {
  return `      <property name="${line(name)}" value="${line(value)}"/>`;
}

function testCase(record: EvalRecord, suite: string, folder: string): string {
  const { configuration, task, repeat, latencyMs, outcome } = record;
  const open = `    <testcase classname="${line(`${suite}.${configuration}`)}" name="${line(`${task} #${repeat}`)}" time="${(latencyMs / 1000).toFixed(3)}"`;
  const inner = verdict(record, folder);
  return outcome === 'success' ? `${open}/>` : `${open}>\n      ${inner}\n    </testcase>`;
}

function verdict(record: EvalRecord, folder: string): string {
  const { outcome, reason, answer, runId } = record;
  const message = line(whyOf(record));
  if (outcome === 'not-run') return `<skipped message="${message}"/>`;
  const tag = outcome === 'broken' ? 'error' : 'failure';
  const body = [`answer: ${answer ?? '(none)'}`, `ended: ${reason}`, showCommand(runId, folder)].join('\n');
  return `<${tag} type="${outcome}" message="${message}">${text(body)}</${tag}>`;
}

function line(value: string): string {
  return escapeMarkup(shownLine(value, mostCharacters));
}

function text(value: string): string {
  return escapeMarkup(cutText(shownText(value), mostCharacters));
}
