/** What the views beside the runs ask for, and what they do. */
import { queryOptions } from '@tanstack/react-query';
import { askJson } from './client.ts';
import { runPath, useAct } from './queries.ts';
import type { ApprovalView } from './shapes.ts';

/** The waiting calls of one run, which tells of them a moment before the list of all does. */
export const runApprovalsQuery = (id: string) =>
  queryOptions({
    queryKey: ['approvals', id],
    queryFn: async ({ signal }) =>
      (await askJson<{ approvals: ApprovalView[] }>(runPath(id, '/approvals'), { signal })).approvals,
  });

/** `args`: the call runs with these instead. */
export type Decision =
  | { word: 'approve'; args?: Record<string, unknown> }
  | { word: 'deny'; reason?: string | undefined };

export function useDecide({ run, call }: Pick<ApprovalView, 'run' | 'call'>) {
  return useAct(({ word, ...body }: Decision) =>
    askJson<unknown>(runPath(run, `/approvals/${encodeURIComponent(call)}/${word}`), { method: 'POST', body }),
  );
}
