import type { Estimate } from '../evaluation.ts';
import type { ConfigurationRegression, MovedMetric, Regressions, TaskFlip } from './regressions.ts';

/** Tasks named in each direction. */
const shownTasks = 20;

/** The regressions as Markdown: warnings, a table of the configurations, then for each what flipped and what moved. */
export function regressionText({ before, after, warnings, configurations }: Regressions): string {
  const rows = configurations.map(({ configuration, comparison, adjustedPValue, finding }) =>
    row([
      configuration,
      String(comparison.tasks),
      points(comparison.difference),
      probability(adjustedPValue),
      verdicts[finding],
    ]),
  );
  const table = [
    row(['configuration', 'tasks', 'success', 'p', 'finding']),
    row(['---', '---:', '---:', '---:', '---']),
    ...rows,
  ];
  return [
    `# ${inline(after.suite)}: ${inline(before.id)} → ${inline(after.id)}`,
    ...(warnings.length > 0 ? [warnings.map((warning) => `- Warning: ${inline(warning)}`).join('\n')] : []),
    configurations.length > 0 ? table.join('\n') : 'No configuration is in both, so nothing is compared.',
    ...configurations.flatMap(details),
  ].join('\n\n');
}

const verdicts: Record<ConfigurationRegression['finding'], string> = {
  better: '**better**',
  worse: '**worse**',
  noise: 'inside the noise',
};

function details({ configuration, gained, lost, moved }: ConfigurationRegression): string[] {
  const lines = [
    ...flipLine('Lost', lost),
    ...flipLine('Gained', gained),
    ...moved.map(({ name, before, after, change }) => {
      const shown = units[name];
      return `- ${shown.title} per run: ${shown.text(before)} → ${shown.text(after)} (${signed(change, shown.text)})`;
    }),
  ];
  return lines.length > 0 ? [`## ${inline(configuration)}`, lines.join('\n')] : [];
}

const units: Record<MovedMetric['name'], { title: string; text(value: number): string }> = {
  usd: { title: 'Cost', text: (value) => `${Number(value.toPrecision(3))} USD` },
  tokens: { title: 'Tokens', text: (value) => String(Math.round(value)) },
  modelCalls: { title: 'Model calls', text: (value) => value.toFixed(1) },
  latencyMs: { title: 'Latency', text: (value) => `${Math.round(value)} ms` },
};

function flipLine(title: string, flips: readonly TaskFlip[]): string[] {
  if (flips.length === 0) return [];
  const tasks = flips
    .slice(0, shownTasks)
    .map(({ task, before, after }) => `${inline(task)} (${share(before)} → ${share(after)})`);
  const more = flips.length > shownTasks ? ` and ${flips.length - shownTasks} more` : '';
  return [`- ${title} ${flips.length}: ${tasks.join(', ')}${more}`];
}

/** A difference of shares in percentage points. */
function points(estimate: Estimate): string {
  return signed(estimate, (value) => `${(value * 100).toFixed(1)}`, ' points');
}

function signed({ value, low, high }: Estimate, text: (value: number) => string, unit = ''): string {
  if (Number.isNaN(value)) return 'unknown';
  const withSign = (number: number): string => `${number > 0 ? '+' : ''}${text(number)}`;
  return `${withSign(value)}${unit}, 95 % ${withSign(low)} to ${withSign(high)}`;
}

function probability(pValue: number): string {
  return pValue < 0.001 ? 'under 0.001' : pValue.toFixed(3);
}

function share(value: number): string {
  return `${Math.round(value * 100)} %`;
}

function row(cells: readonly string[]): string {
  return `| ${cells.map(inline).join(' | ')} |`;
}

/** A name from data stays one cell, one line and text. */
function inline(text: string): string {
  return text.replace(/\s+/gu, ' ').replaceAll('|', '\\|').replaceAll('<', '&lt;');
}
