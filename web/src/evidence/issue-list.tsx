import type { ReactNode } from 'react';
import type { Issue } from '../api/shapes.ts';
import type { Texts } from '../i18n/english.ts';
import { useTexts } from '../i18n/i18n.tsx';
import { Badge } from '../parts/badge.tsx';
import { UntrustedText } from '../parts/untrusted-text.tsx';

const kinds: Readonly<Record<Issue['type'], keyof Texts>> = {
  unsupported_claim: 'issueUnsupported',
  missed_constraint: 'issueConstraint',
  contradiction: 'issueContradiction',
  incomplete: 'issueIncomplete',
  wrong_computation: 'issueComputation',
  failed_check: 'issueCheck',
};

/** What is wrong, and what would mend it. */
export function IssueList({ issues }: { issues: readonly Issue[] }): ReactNode {
  const t = useTexts();
  return (
    <ul className="stack">
      {issues.map(({ type, detail, requiredAction }, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: recorded issues never change places, and two may say the same
        <li key={place} className="issue">
          <Badge tone="warn">{t[kinds[type]]}</Badge>
          <div>
            <UntrustedText text={detail} most={800} />
            <div className="quiet">
              {t.toDo}: <UntrustedText text={requiredAction} most={800} />
            </div>
          </div>
        </li>
      ))}
    </ul>
  );
}
