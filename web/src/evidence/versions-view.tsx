import { lazy, type ReactNode, Suspense, useMemo } from 'react';
import type { RunEvent } from '../api/shapes.ts';
import { useTexts } from '../i18n/i18n.tsx';
import { Badge, VerdictBadge } from '../parts/badge.tsx';
import { groupName } from '../run/timeline-model.ts';
import { type AnswerVersion, answerVersions, type VersionChain } from './answer-versions.ts';
import { IssueList } from './issue-list.tsx';

const TextDiff = lazy(() => import('./text-diff.tsx').then(({ TextDiff: view }) => ({ default: view })));

/** From draft to answer: what changed, and the issue that caused it. */
export function VersionsView({
  events,
  answer,
}: {
  events: readonly RunEvent[];
  answer: string | undefined;
}): ReactNode {
  const t = useTexts();
  const chains = useMemo(() => answerVersions(events), [events]);
  if (chains.length === 0) return null;
  return (
    <section className="stack" aria-label={t.versions}>
      <h2>{t.versions}</h2>
      {chains.map((chain) => (
        <Chain key={chain.path} chain={chain} answer={answer} />
      ))}
    </section>
  );
}

function Chain({ chain: { path, versions }, answer }: { chain: VersionChain; answer: string | undefined }): ReactNode {
  return (
    <>
      {path !== '' && <h3 title={path}>{groupName(path)}</h3>}
      <ol className="stack">
        {versions.flatMap((version, place) => {
          const before = versions[place - 1];
          if (before === undefined) return [];
          const change = { before, version, place, answer };
          // biome-ignore lint/suspicious/noArrayIndexKey: versions never change places
          return [<Change key={place} {...change} />];
        })}
      </ol>
    </>
  );
}

interface ChangeProps {
  before: AnswerVersion;
  version: AnswerVersion;
  place: number;
  answer: string | undefined;
}

function Change({ before, version, place, answer }: ChangeProps): ReactNode {
  const t = useTexts();
  const nameOf = (at: number): string => (at === 0 ? t.draft : `${t.version} ${at + 1}`);
  const title = `${nameOf(place - 1)} → ${nameOf(place)}`;
  return (
    <li className="panel stack">
      <h3 className="row">
        {title}
        {version.answer === answer && <Badge tone="good">{t.isAnswer}</Badge>}
      </h3>
      <Verdicts version={before} />
      {version.causes.length > 0 ? (
        <>
          <h4>{t.changedFor}</h4>
          <IssueList issues={version.causes} />
        </>
      ) : (
        <p className="quiet">{t.changedForNothing}</p>
      )}
      <Suspense fallback={<p className="quiet">{t.loading}</p>}>
        <TextDiff before={before.answer} after={version.answer} label={title} />
      </Suspense>
    </li>
  );
}

function Verdicts({ version }: { version: AnswerVersion }): ReactNode {
  return (
    <div className="row">
      {version.reports.map(({ by, verdict }, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: recorded reports never change places
        <span key={place} className="row">
          <VerdictBadge verdict={verdict} /> <span className="mono quiet">{by}</span>
        </span>
      ))}
    </div>
  );
}
