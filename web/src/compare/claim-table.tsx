import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo } from 'react';
import { evidenceQuery } from '../api/queries.ts';
import type { ClaimView } from '../api/shapes.ts';
import { ClaimState } from '../evidence/claim-state.tsx';
import { useTexts } from '../i18n/i18n.tsx';
import { Loaded } from '../parts/problem-note.tsx';
import { UntrustedText } from '../parts/untrusted-text.tsx';
import { align } from './align.ts';
import type { ComparedRuns } from './compared-runs.ts';
import { PairTable } from './pair-table.tsx';

/** The claims of both answers; one that both make stands in one line. */
export function ClaimTable({ left, right }: ComparedRuns): ReactNode {
  const [one, other] = [useQuery(evidenceQuery(left.id)), useQuery(evidenceQuery(right.id))];
  return (
    <Loaded query={one}>
      {(a) => <Loaded query={other}>{(b) => <Claims left={a.claims} right={b.claims} />}</Loaded>}
    </Loaded>
  );
}

function Claims({ left, right }: { left: readonly ClaimView[]; right: readonly ClaimView[] }): ReactNode {
  const t = useTexts();
  const rows = useMemo(() => align(left, right, { key: ({ text }) => text }), [left, right]);
  return (
    <PairTable title={t.claims} rows={rows} none={t.noClaims}>
      {({ text, state }) => (
        <>
          <ClaimState state={state} />
          <div>
            <UntrustedText text={text} most={400} />
          </div>
        </>
      )}
    </PairTable>
  );
}
