import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, Outlet, useParams } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense, useEffect, useMemo } from 'react';
import { runQuery } from '../api/queries.ts';
import type { RunView } from '../api/shapes.ts';
import { type FollowedEvents, useRunEvents } from '../api/use-run-events.ts';
import { useTexts } from '../i18n/i18n.tsx';
import { count, duration, money, percent } from '../parts/amounts.ts';
import { Badge, StatusBadge, type Tone } from '../parts/badge.tsx';
import { Loaded, ProblemNote } from '../parts/problem-note.tsx';
import { UntrustedText } from '../parts/untrusted-text.tsx';
import { RunActions } from './run-actions.tsx';
import { RunContext } from './run-context.ts';
import './run.css';

const RunApprovals = lazy(() =>
  import('../approvals/run-approvals.tsx').then(({ RunApprovals: view }) => ({ default: view })),
);

/** One run: how it stands, and its tabs. */
export function RunPage(): ReactNode {
  const { runId } = useParams({ from: '/runs/$runId' });
  const followed = useRunEvents(runId);
  const query = useQuery(runQuery(runId));
  useFollowsEvents(runId, followed);
  return <Loaded query={query}>{(run) => <Shown run={run} followed={followed} />}</Loaded>;
}

/** Events after which the stored run is another. */
const changes: ReadonlySet<string> = new Set(['run.end', 'approval.requested', 'approval.decided', 'answer.drafted']);

/** The run is looked at again when its events say that something changed. */
function useFollowsEvents(runId: string, { events, connection }: FollowedEvents): void {
  const client = useQueryClient();
  const seen = useMemo(() => events.filter(({ type }) => changes.has(type)).length, [events]);
  useEffect(() => {
    if (seen === 0 && connection !== 'over') return;
    // What is shown of calls and steps stays until somebody looks again.
    void client.invalidateQueries({ queryKey: ['run', runId], exact: true });
    void client.invalidateQueries({ queryKey: ['run', runId, 'evidence'] });
    void client.invalidateQueries({ queryKey: ['approvals'] });
  }, [client, runId, seen, connection]);
}

function Shown({ run, followed }: { run: RunView; followed: FollowedEvents }): ReactNode {
  const shown = useMemo(() => ({ run, followed }), [run, followed]);
  return (
    <RunContext value={shown}>
      <Head run={run} followed={followed} />
      {run.pending > 0 && (
        <Suspense>
          <RunApprovals runId={run.id} />
        </Suspense>
      )}
      <Tabs runId={run.id} />
      <Outlet />
    </RunContext>
  );
}

function Head({ run, followed }: { run: RunView; followed: FollowedEvents }): ReactNode {
  const t = useTexts();
  return (
    <header className="stack">
      <div className="page-head">
        <div className="row">
          <StatusBadge status={run.status} />
          <ConnectionBadge followed={followed} />
          <span className="mono quiet">{run.id}</span>
          {run.forkedFrom !== undefined && (
            <span className="quiet">
              {t.forkedFrom}{' '}
              <Link to="/runs/$runId" params={{ runId: run.forkedFrom }} className="mono">
                {run.forkedFrom.slice(0, 8)}
              </Link>
            </span>
          )}
        </div>
        <RunActions run={run} />
      </div>
      <h1>
        <UntrustedText text={run.task.input} most={600} />
      </h1>
      {(run.task.constraints?.length ?? 0) > 0 && (
        <ul className="row quiet" aria-label={t.conditions}>
          {run.task.constraints?.map((text) => (
            <li key={text} className="badge">
              {text}
            </li>
          ))}
        </ul>
      )}
      <Figures run={run} />
      <Notes run={run} />
      {followed.connection === 'failed' && <ProblemNote error={followed.error} />}
    </header>
  );
}

function ConnectionBadge({ followed }: { followed: FollowedEvents }): ReactNode {
  const t = useTexts();
  const words: Record<FollowedEvents['connection'], [Tone, string]> = {
    connecting: ['plain', t.connecting],
    live: ['active', t.live],
    waiting: ['warn', t.reconnecting],
    over: ['plain', t.over],
    failed: ['bad', t.disconnected],
  };
  const [tone, text] = words[followed.connection];
  return (
    <span role="status">
      <Badge tone={tone}>{text}</Badge>
    </span>
  );
}

function Figures({ run }: { run: RunView }): ReactNode {
  const t = useTexts();
  const { usage, metrics } = run.result ?? {};
  const facts: [string, string][] = [
    ...(run.configuration !== undefined ? [[t.configuration, run.configuration] satisfies [string, string]] : []),
    ...(usage && metrics
      ? ([
          [t.tokens, `${count(usage.inputTokens)} → ${count(usage.outputTokens)}`],
          [t.cacheShare, percent(usage.inputTokens === 0 ? null : usage.cachedTokens / usage.inputTokens)],
          [t.cost, money(usage.usd)],
          [t.duration, duration(metrics.activeMs)],
        ] satisfies [string, string][])
      : []),
  ];
  return (
    <dl className="facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd className="numbers">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function Notes({ run }: { run: RunView }): ReactNode {
  const t = useTexts();
  const { result } = run;
  const notes = [
    run.status !== 'completed' && run.status !== 'revised' ? run.reason?.detail : undefined,
    (run.edited?.length ?? 0) > 0 ? t.editedNote : undefined,
    result?.selfChecked ? t.selfChecked : undefined,
    result?.attempt.degraded && result.answer !== undefined ? t.degraded : undefined,
  ].filter((text) => text !== undefined && text !== '');
  return notes.map((text) => (
    <p key={text} className={`note ${run.status === 'failed' ? 'bad' : 'warn'}`}>
      <UntrustedText text={text ?? ''} most={800} />
    </p>
  ));
}

function Tabs({ runId }: { runId: string }): ReactNode {
  const t = useTexts();
  const params = { runId };
  return (
    <nav className="tab-list" aria-label={t.details}>
      <Link className="tab" to="/runs/$runId" params={params} activeOptions={{ exact: true }}>
        {t.timeline}
      </Link>
      <Link className="tab" to="/runs/$runId/evidence" params={params}>
        {t.answerAndEvidence}
      </Link>
      <Link className="tab" to="/runs/$runId/calls" params={params}>
        {t.modelCalls}
      </Link>
      <Link className="tab" to="/runs/$runId/steps" params={params}>
        {t.steps}
      </Link>
    </nav>
  );
}
