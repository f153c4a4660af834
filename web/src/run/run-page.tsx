import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, Outlet, useLocation, useParams } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense, useEffect, useMemo, useRef } from 'react';
import { runQuery } from '../api/queries.ts';
import type { RunStatus, RunView } from '../api/shapes.ts';
import { type FollowedEvents, useRunEvents } from '../api/use-run-events.ts';
import { useTexts } from '../i18n/i18n.tsx';
import { usePageTitle } from '../page-title.ts';
import { Loaded } from '../parts/problem-note.tsx';
import { UntrustedLine } from '../parts/untrusted-text.tsx';
import { visibleText } from '../parts/visible-text.ts';
import { RunContext } from './run-context.ts';
import { RunHead } from './run-head.tsx';
import { searchPaths } from './thought-layout.ts';
import './run.css';
import './timeline.css';

const RunApprovals = lazy(() =>
  import('../approvals/run-approvals.tsx').then(({ RunApprovals: view }) => ({ default: view })),
);

/** One run: how it stands, and its tabs. */
export function RunPage(): ReactNode {
  const t = useTexts();
  const { runId } = useParams({ from: '/runs/$runId' });
  const followed = useRunEvents(runId);
  const query = useQuery(runQuery(runId));
  useFollowsEvents(query.data, followed);
  usePageTitle(visibleText(query.data?.task.input.slice(0, 60) ?? runId));
  return (
    <>
      {!query.data && (
        <h1>
          {t.run} <UntrustedLine text={runId} most={60} />
        </h1>
      )}
      <Loaded query={query}>{(run) => <Shown key={run.id} run={run} followed={followed} />}</Loaded>
    </>
  );
}

/** Events after which the stored run is another. */
const changes: ReadonlySet<string> = new Set(['run.end', 'approval.requested', 'approval.decided', 'answer.drafted']);

/** A run that stands like this takes no further step by itself. */
const ended: ReadonlySet<RunStatus> = new Set([
  'completed',
  'revised',
  'needs_more_evidence',
  'stopped',
  'failed',
  'cancelled',
]);

/** The run is looked at again when its events say that something changed. */
function useFollowsEvents(run: RunView | undefined, { events, connection }: FollowedEvents): void {
  const client = useQueryClient();
  const seen = useMemo(() => events.filter(({ type }) => changes.has(type)).length, [events]);
  const id = run && !ended.has(run.status) ? run.id : undefined;
  useEffect(() => {
    if (id === undefined || (seen === 0 && connection !== 'over')) return;
    // What is shown of calls and steps stays until somebody looks again.
    void client.invalidateQueries({ queryKey: ['run', id], exact: true });
    void client.invalidateQueries({ queryKey: ['run', id, 'evidence'] });
    void client.invalidateQueries({ queryKey: ['approvals'] });
  }, [client, id, seen, connection]);
}

function Shown({ run, followed }: { run: RunView; followed: FollowedEvents }): ReactNode {
  const shown = useMemo(() => ({ run, followed }), [run, followed]);
  const hasSearch = useMemo(() => searchPaths(followed.events).length > 0, [followed.events]);
  return (
    <RunContext value={shown}>
      <RunHead run={run} followed={followed} />
      {run.pending > 0 && (
        <Suspense>
          <RunApprovals runId={run.id} />
        </Suspense>
      )}
      <Tabs runId={run.id} hasSearch={hasSearch} />
      <Outlet />
    </RunContext>
  );
}

function Tabs({ runId, hasSearch }: { runId: string; hasSearch: boolean }): ReactNode {
  const t = useTexts();
  const params = { runId };
  const bar = useRef<HTMLElement>(null);
  const { pathname } = useLocation();
  // On a phone the bar is wider than the screen.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page has another open tab
  useEffect(() => {
    bar.current?.querySelector('[data-status="active"]')?.scrollIntoView({ inline: 'nearest', block: 'nearest' });
  }, [pathname]);
  return (
    <nav ref={bar} className="tab-list" aria-label={t.details}>
      <Link className="tab" to="/runs/$runId" params={params} activeOptions={{ exact: true, includeSearch: false }}>
        {t.timeline}
      </Link>
      <Link className="tab" to="/runs/$runId/evidence" params={params}>
        {t.answerAndEvidence}
      </Link>
      {hasSearch && (
        <Link className="tab" to="/runs/$runId/search" params={params}>
          {t.treeOfThoughts}
        </Link>
      )}
      <Link className="tab" to="/runs/$runId/calls" params={params}>
        {t.modelCalls}
      </Link>
      <Link className="tab" to="/runs/$runId/steps" params={params}>
        {t.steps}
      </Link>
    </nav>
  );
}
