import type { Evaluation } from './evaluation.ts';
import type { AblationFindings, EvaluationReport, FailureLabel } from './findings.ts';
import { compare } from './metrics/compare.ts';
import { metricsOf } from './metrics/metrics.ts';

/** All that a report shows, counted from the records. */
export function reportOf(
  evaluation: Evaluation,
  found: { ablation?: AblationFindings | undefined; failures?: FailureLabel[] | undefined } = {},
): EvaluationReport {
  const { header, records } = evaluation;
  const names = header.configurations.map(({ name }) => name);
  const of = Map.groupBy(records, ({ configuration }) => configuration);
  const baseline = of.get(header.baseline) ?? [];
  return {
    evaluation,
    metrics: names.map((name) => metricsOf(name, of.get(name) ?? [])),
    comparisons: names
      .filter((name) => name !== header.baseline)
      .map((name) => ({ ...compare(baseline, of.get(name) ?? []), a: header.baseline, b: name })),
    ...found,
  };
}
