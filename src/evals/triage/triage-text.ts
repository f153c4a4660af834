import type { FailureLabel } from '../findings.ts';
import { rowOf, type Symptom } from './selection-table.ts';
import type { TriageSummary } from './triage.ts';

/** A triage as Markdown that reads well as plain text: counts by layer with what to add, then every failure with its evidence. */
export function triageText(summary: TriageSummary): string {
  const { labels, remedies } = summary;
  if (labels.length === 0) return 'No failures: there is nothing to label.\n';
  const [first] = remedies;
  const lines = [
    `# ${labels.length} failure${labels.length === 1 ? '' : 's'} by layer`,
    '',
    ...table(summary),
    '',
    ...(first ? ['## Add first', '', ...addFirst(first.symptom, first.count), ''] : []),
    '## Failures',
    '',
    ...labels.flatMap(block),
  ];
  return `${lines.join('\n').trimEnd()}\n`;
}

function table({ layers, unknown, remedies, byModel }: TriageSummary): string[] {
  const rows = layers
    .filter(({ count }) => count > 0)
    .toSorted((a, b) => b.count - a.count)
    .map(({ layer, count }) => {
      const mechanisms = remedies.filter((row) => row.layer === layer).map((row) => `${row.mechanism} (${row.count})`);
      return `| ${layer} | ${count} | ${cell(mechanisms.join('; '))} |`;
    });
  const open = unknown > 0 ? [`| not known | ${unknown} | look at these by hand, or give a model |`] : [];
  const marked = byModel > 0 ? ['', `${byModel} of these labels are a model's opinion and are marked so.`] : [];
  return ['| layer | failures | mechanism to add |', '| --- | ---: | --- |', ...rows, ...open, ...marked];
}

function addFirst(symptom: Symptom, count: number): string[] {
  const { mechanism, how, shows, source } = rowOf(symptom);
  return [
    `${mechanism}: ${count} failure${count === 1 ? '' : 's'} show${count === 1 ? 's' : ''} that ${shows}.`,
    `  ${how}`,
    ...(source === undefined ? [] : [`  ${source}`]),
  ];
}

function block({ task, runId, configuration, layer, rule, by, why, evidence, remedy }: FailureLabel): string[] {
  const known = by === 'nobody' ? 'not known' : `${layer} (${by === 'model' ? "a model's opinion" : rule})`;
  const place = runId === task ? task : `${task}, run ${runId}`;
  return [
    `### ${oneLine(place)}${configuration === undefined ? '' : ` [${oneLine(configuration)}]`}: ${known}`,
    '',
    oneLine(why),
    ...evidence.map(({ where, text }) => `- ${where}: ${oneLine(text)}`),
    `- add: ${remedy}`,
    '',
  ];
}

/** Evidence is data: it must not break out of its line. */
function oneLine(text: string): string {
  return text.replace(/[\s\p{Cc}]+/gu, ' ').trim();
}

function cell(text: string): string {
  return oneLine(text).replaceAll('|', '\\|');
}
