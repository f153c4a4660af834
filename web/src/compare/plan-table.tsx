import { type ReactNode, useMemo } from 'react';
import { useTexts } from '../i18n/i18n.tsx';
import { Badge } from '../parts/badge.tsx';
import { UntrustedText } from '../parts/untrusted-text.tsx';
import { stepStates } from '../run/plan-state.ts';
import { align } from './align.ts';
import type { ComparedRuns } from './compared-runs.ts';
import { PairTable } from './pair-table.tsx';

/** The plans of both runs, step by step. */
export function PlanTable({ left, right }: ComparedRuns): ReactNode {
  const t = useTexts();
  const rows = useMemo(() => {
    const [a, b] = [left.result?.attempt.plan?.steps ?? [], right.result?.attempt.plan?.steps ?? []];
    return align(a, b, { key: ({ objective }) => objective, kind: ({ id }) => id });
  }, [left, right]);
  return (
    <PairTable title={t.plan} rows={rows} none={t.noPlans}>
      {({ objective, status }) => (
        <>
          <Badge tone={stepStates[status][0]}>{t[stepStates[status][1]]}</Badge>
          <div>
            <UntrustedText text={objective} most={400} />
          </div>
        </>
      )}
    </PairTable>
  );
}
