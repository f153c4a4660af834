import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { approvalsQuery } from '../api/queries.ts';
import { useTexts } from '../i18n/i18n.tsx';
import { usePageTitle } from '../page-title.ts';
import { Loaded } from '../parts/problem-note.tsx';
import { ApprovalCard } from './approval-card.tsx';

/** Every call that waits for a human, of all runs. */
export function ApprovalsPage(): ReactNode {
  const t = useTexts();
  usePageTitle(t.approvals);
  return (
    <>
      <div className="page-head">
        <h1>{t.approvals}</h1>
      </div>
      <Loaded query={useQuery(approvalsQuery)}>
        {(approvals) => (
          <>
            {approvals.length === 0 && <p className="quiet">{t.noApprovals}</p>}
            {approvals.map((approval) => (
              <ApprovalCard key={`${approval.run} ${approval.call}`} approval={approval} isInRun={false} />
            ))}
          </>
        )}
      </Loaded>
    </>
  );
}
