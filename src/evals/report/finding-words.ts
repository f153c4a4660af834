/** Findings in words; every output says them the same way. */
import { isLanguageModel } from '../../model/capability.ts';
import type { Comparison, ConfigurationSummary, EvaluationHeader, ModelSummary, Outcome } from '../evaluation.ts';
import type { AblationFindings, MechanismVerdict } from '../findings.ts';
import { count, plural, pointsText, pText, ratio } from './figures.ts';
import type { LayerRow } from './report-facts.ts';

export const verdictWords: Record<MechanismVerdict['verdict'], string> = {
  keep: 'keep',
  drop: 'drop',
  'not-enough-data': 'not enough data',
};

/** With a sign before the words, so that colour need not tell. */
export const verdictMarks: Record<MechanismVerdict['verdict'], string> = {
  keep: '✓',
  drop: '✗',
  'not-enough-data': '?',
};

export const findingWords: Record<Comparison['finding'], string> = {
  better: '▲ better',
  worse: '▼ worse',
  noise: '≈ within noise',
};

export const outcomeWords: Record<Outcome, string> = {
  success: 'right',
  failure: 'wrong',
  degraded: 'degraded',
  broken: 'broken',
  'not-run': 'not run',
};

/** What the success did: `▲ better: +12.5 points (+6.1 to +18.9), p = 0.003`. */
export function differenceText({ finding, difference, pValue }: Comparison): string {
  return `${findingWords[finding]}: ${pointsText(difference)}, ${pText(pValue)}`;
}

/** What it took: `1.8× cost` and `1.2× time`; tokens where a price is not known. */
export function spendText({ costRatio, costUnit, latencyRatio }: Comparison): [cost: string, time: string] {
  return [`${ratio(costRatio)} ${costUnit === 'usd' ? 'cost' : 'tokens'}`, `${ratio(latencyRatio)} time`];
}

/** How many tasks would tell the difference from noise; undefined where that is no question. */
export function neededText({ verdict, tasksNeeded }: MechanismVerdict): string | undefined {
  if (tasksNeeded !== undefined) return `needs ${plural(tasksNeeded, 'task')}`;
  return verdict === 'not-enough-data' ? 'no number of tasks would do' : undefined;
}

/** Who gave the labels of a layer: `12 by rules, 3 by a model`. */
export function labelledText({ count: all, byModel, byNobody }: LayerRow): string {
  const parts = [
    { labels: all - byModel - byNobody, by: 'by rules' },
    { labels: byModel, by: 'by a model' },
    { labels: byNobody, by: 'by nobody' },
  ];
  return parts
    .filter(({ labels }) => labels > 0)
    .map(({ labels, by }) => `${count(labels)} ${by}`)
    .join(', ');
}

export function recommendedText({ recommended }: AblationFindings): string {
  return recommended.length === 0 ? 'none: the direct answer' : recommended.join(', ');
}

/** What a figure that stand-ins produced is worth; empty for real models. */
export function simulatedText(models: readonly ModelSummary[]): string {
  if (models.length === 0) return '';
  const named = models.map(({ id, source }) => `${id} (${source})`).join(', ');
  return `Stand-ins took the place of a provider's models: ${named}. The figures show how the mechanisms work with them, not how well a real model does.`;
}

/** Each model with its source and the roles it has, a stand-in marked. */
export function modelTexts({ configurations }: EvaluationHeader): string[] {
  const models = configurations.flatMap((configuration) => configuration.models);
  const byModel = Map.groupBy(
    models,
    ({ id, source }) => `${id}, ${isLanguageModel(source) ? 'asked' : `${source}: SIMULATED`}`,
  );
  return [...byModel].map(([text, roles]) => `${text} (${[...new Set(roles.map(({ role }) => role))].join(', ')})`);
}

/** What a configuration is made of: `plan > verification > react`. */
export function makeText({ layers, solver, openBook }: ConfigurationSummary): string {
  return `${[...layers, solver].join(' > ')}${openBook ? ', open book' : ''}`;
}

/** What a grader rests on; a model's opinion is marked. */
export function graderText({ name, knows }: { name: string; knows: string }): string {
  if (knows === 'self') return `${name} (a model's opinion of itself)`;
  return knows === 'another-model' ? `${name} (another model's opinion)` : `${name} (knows ${knows})`;
}
