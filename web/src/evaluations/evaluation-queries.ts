import { queryOptions } from '@tanstack/react-query';
import { askJson } from '../api/client.ts';
import type { RunEvent, RunView } from '../api/shapes.ts';
import type { EvaluationReport, EvaluationSummary } from './evaluation-shapes.ts';

export const evaluationsQuery = queryOptions({
  queryKey: ['evaluations'],
  queryFn: async ({ signal }) =>
    (await askJson<{ evaluations: EvaluationSummary[] }>('v1/evaluations', { signal })).evaluations,
});

export const evaluationQuery = (suite: string, id: string) =>
  queryOptions({
    queryKey: ['evaluations', suite, id],
    queryFn: ({ signal }) => askJson<EvaluationReport>(evaluationPath(suite, id), { signal }),
  });

export interface EvaluatedRun {
  run: RunView;
  events: RunEvent[];
}

/** One run of an evaluation; it lives in the evaluation's own folder, so nothing else is known of it by its id. */
export const evaluatedRunQuery = ({ suite, id, run }: { suite: string; id: string; run: string }) =>
  queryOptions({
    queryKey: ['evaluations', suite, id, run],
    queryFn: ({ signal }) =>
      askJson<EvaluatedRun>(`${evaluationPath(suite, id)}/runs/${encodeURIComponent(run)}`, { signal }),
  });

function evaluationPath(suite: string, id: string): string {
  return `v1/evaluations/${encodeURIComponent(suite)}/${encodeURIComponent(id)}`;
}
