import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { evidenceQuery } from '../api/queries.ts';
import type { EvidenceView } from '../api/shapes.ts';
import { useTexts } from '../i18n/i18n.tsx';
import { Markdown } from '../parts/markdown.tsx';
import { Loaded } from '../parts/problem-note.tsx';
import { useShownRun } from '../run/run-context.ts';
import { CitedQuotes } from './cited-quotes.tsx';
import { ClaimList } from './claim-list.tsx';
import { IssueList } from './issue-list.tsx';
import { VersionsView } from './versions-view.tsx';
import './evidence.css';

/** The answer, what each of its claims stands on, and how it came to be what it is. */
export function EvidenceTab(): ReactNode {
  const t = useTexts();
  const { run, followed } = useShownRun();
  return (
    <>
      <section className="panel stack" aria-label={t.answer}>
        <h2>{t.answer}</h2>
        {run.answer === undefined ? <p className="quiet">{t.noAnswer}</p> : <Markdown text={run.answer} />}
      </section>
      <Loaded query={useQuery(evidenceQuery(run.id))}>{(evidence) => <Evidence evidence={evidence} />}</Loaded>
      <VersionsView events={followed.events} answer={run.result?.answer} />
    </>
  );
}

function Evidence({ evidence: { claims, issues } }: { evidence: EvidenceView }): ReactNode {
  const t = useTexts();
  const { run } = useShownRun();
  const { claim: place } = useSearch({ from: '/runs/$runId/evidence' });
  const navigate = useNavigate({ from: '/runs/$runId/evidence' });
  const chosen = place === undefined ? undefined : claims[place];
  if (run.answer === undefined) return null;
  return (
    <div className="evidence-columns">
      <div className="stack">
        <ClaimList
          claims={claims}
          chosen={place}
          onChoose={(claim) => void navigate({ search: { claim }, replace: true, resetScroll: false })}
        />
        {issues.length > 0 && (
          <section className="stack" aria-label={t.openIssues}>
            <h2>{t.openIssues}</h2>
            <IssueList issues={issues} />
          </section>
        )}
      </div>
      {chosen && <CitedQuotes key={place} claim={chosen} observations={run.result?.attempt.observations ?? []} />}
    </div>
  );
}
