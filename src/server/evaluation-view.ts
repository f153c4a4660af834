/** A report on an evaluation as it is answered: the report's own figures as plain JSON. Where nothing is known a number is null, as JSON writes NaN. */
import type { EvalRecord } from '../evals/evaluation.ts';
import type { EvaluationReport, FailureLabel } from '../evals/findings.ts';
import { costPoints, criterionRows, failedRuns, layerRows, plannedRuns, whyOf } from '../evals/report/report-facts.ts';

export function evaluationView(report: EvaluationReport): { [key: string]: unknown } {
  const { evaluation, metrics, comparisons, ablation, failures = [] } = report;
  const { header } = evaluation;
  const labels = new Map(failures.map((label) => [label.runId, label]));
  return {
    header,
    planned: plannedRuns(evaluation),
    models: modelsOf(report),
    metrics,
    comparisons,
    costs: costPoints(report),
    ...(ablation && { ablation }),
    layers: layerRows(failures).map((row) => ({ ...row, byConfiguration: Object.fromEntries(row.byConfiguration) })),
    criteria: criterionRows(report),
    failed: [...failedRuns(evaluation).values()].flat().map((record) => failedView(record, labels.get(record.runId))),
  };
}

/** Each model once, with what stands behind it: the figures of one that is scripted or simulated say nothing about a real model. */
function modelsOf({ evaluation }: EvaluationReport): { id: string; source: string; configurations: string[] }[] {
  const used = evaluation.header.configurations.flatMap(({ name, models }) =>
    models.map(({ id, source }) => ({ id, source, name })),
  );
  return [...Map.groupBy(used, ({ id, source }) => `${source} ${id}`).values()].flatMap((same) => {
    const [first] = same;
    return first
      ? [{ id: first.id, source: first.source, configurations: [...new Set(same.map(({ name }) => name))] }]
      : [];
  });
}

function failedView(record: EvalRecord, label: FailureLabel | undefined): { [key: string]: unknown } {
  const { configuration, task, repeat, runId, outcome } = record;
  return {
    ...{ configuration, task, repeat, runId, outcome, why: whyOf(record) },
    ...(label && label.by !== 'nobody' && { layer: label.layer, labelledBy: label.by, remedy: label.remedy }),
  };
}
