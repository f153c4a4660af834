import { type FailureLabel, type FailureLayer, failureLayers } from '../findings.ts';
import { askModel, type TriageModel } from './ask-model.ts';
import { factsOf } from './facts.ts';
import type { FailedRun } from './failed-run.ts';
import { at } from './rule.ts';
import { triageRules } from './rules.ts';
import { withSameErrors } from './same-error.ts';
import { remedyOf, rowOf, type SelectionRow, selectionTable } from './selection-table.ts';

/** No rule knows the failure: its `layer` means nothing then, and it is counted in none. */
const unknownRule = 'none';

/** Labels a failed run by rules: the layer it failed in, the evidence, and the mechanism to add. Pure. */
export function triage(failure: FailedRun): FailureLabel {
  const { runId, task, configuration } = failure;
  const facts = factsOf(failure);
  const base = { runId, task: task.id, ...(configuration !== undefined && { configuration }) };
  for (const rule of triageRules) {
    const finding = rule.applies(facts);
    if (!finding) continue;
    return {
      ...base,
      layer: rule.layer,
      rule: rule.name,
      by: 'rule',
      ...finding,
      remedy: remedyOf(rowOf(rule.symptom)),
    };
  }
  return {
    ...base,
    layer: 'model',
    rule: unknownRule,
    by: 'nobody',
    why: 'No rule knows this failure: the trace shows nothing that would have to be otherwise.',
    evidence: facts.answer === undefined ? [] : [at('answer', facts.answer)],
    remedy: 'Look at the run by hand, or let a model label it.',
  };
}

/** A mechanism to add and how many failures ask for it. */
export interface Remedy extends SelectionRow {
  count: number;
}

/** What a list of failures comes to. All of it is JSON. */
export interface TriageSummary {
  /** One a failure, in their order. */
  labels: FailureLabel[];
  /** Failures by layer, in the order of `failureLayers`; those that nobody could label are in none. */
  layers: { layer: FailureLayer; count: number }[];
  /** Failures that neither a rule nor the model could label. */
  unknown: number;
  /** Labels that rest on a model's word. */
  byModel: number;
  /** The rows of the selection table that the labels ask for, most failures first: the first is what to add first. */
  remedies: Remedy[];
}

export interface TriageOptions {
  /** Asked about the failures that no rule knows; its labels are marked. Default: nobody is asked. */
  model?: TriageModel | undefined;
}

const sideBySide = 4;

/** Labels failures together: what one alone does not show, such as an error that was met before, is seen here. Oldest first. */
export async function triageAll(failures: readonly FailedRun[], options: TriageOptions = {}): Promise<TriageSummary> {
  const labels = withSameErrors(failures.map((failure) => ({ failure, label: triage(failure) })));
  const { model } = options;
  if (model) {
    const open = failures
      .map((failure, index) => ({ failure, index }))
      .filter(({ index }) => labels[index]?.by === 'nobody')
      .values();
    const lane = async (): Promise<void> => {
      for (const { failure, index } of open) {
        const label = labels[index];
        if (label) labels[index] = await askModel(failure, label, model);
      }
    };
    await Promise.all(Array.from({ length: sideBySide }, lane));
  }
  return summaryOf(labels);
}

/** Counts labels. */
export function summaryOf(labels: FailureLabel[]): TriageSummary {
  const known = labels.filter(({ by }) => by !== 'nobody');
  const remedies = selectionTable.map((row): Remedy => {
    const remedy = remedyOf(row);
    return { ...row, count: known.filter((label) => label.remedy === remedy).length };
  });
  return {
    labels,
    layers: failureLayers.map((layer) => ({ layer, count: known.filter((label) => label.layer === layer).length })),
    unknown: labels.length - known.length,
    byModel: labels.filter(({ by }) => by === 'model').length,
    remedies: remedies.filter(({ count }) => count > 0).toSorted((a, b) => b.count - a.count),
  };
}
