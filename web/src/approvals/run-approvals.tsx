import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { runApprovalsQuery } from '../api/view-queries.ts';
import { useTexts } from '../i18n/i18n.tsx';
import { Loaded } from '../parts/problem-note.tsx';
import { ApprovalCard } from './approval-card.tsx';

/** The calls of one run that wait, on the page of the run. */
export function RunApprovals({ runId }: { runId: string }): ReactNode {
  const t = useTexts();
  return (
    <section className="stack" aria-label={t.approvals}>
      <Loaded query={useQuery(runApprovalsQuery(runId))}>
        {(approvals) => approvals.map((approval) => <ApprovalCard key={approval.call} approval={approval} isInRun />)}
      </Loaded>
    </section>
  );
}
