import { QueryClient, QueryClientProvider, useQuery } from '@tanstack/react-query';
import { Link, useParams, useSearch } from '@tanstack/react-router';
import { type ReactNode, useMemo, useState } from 'react';
import { callsQuery, meQuery, observationsQuery } from '../api/queries.ts';
import type { Me } from '../api/shapes.ts';
import type { Texts } from '../i18n/english.ts';
import { useTexts } from '../i18n/i18n.tsx';
import { usePageTitle } from '../page-title.ts';
import { StatusBadge } from '../parts/badge.tsx';
import { Markdown } from '../parts/markdown.tsx';
import { Loaded } from '../parts/problem-note.tsx';
import { UntrustedText } from '../parts/untrusted-text.tsx';
import { PlanView } from '../run/plan-view.tsx';
import { RunContext } from '../run/run-context.ts';
import { TimelineList, toggled } from '../run/timeline-list.tsx';
import { linesOf, timelineOf } from '../run/timeline-model.ts';
import { type EvaluatedRun, evaluatedRunQuery, evaluationQuery } from './evaluation-queries.ts';
import type { FailedRun } from './evaluation-shapes.ts';
import { layerText } from './failure-layers.tsx';
import '../run/run.css';
import '../run/timeline.css';
import './evaluations.css';

/** One run of an evaluation: how it failed, and what happened in it. */
export function EvaluatedRunPage(): ReactNode {
  const t = useTexts();
  const { suite, id } = useParams({ from: '/evaluations/$suite/$id/run' });
  const { run } = useSearch({ from: '/evaluations/$suite/$id/run' });
  const report = useQuery(evaluationQuery(suite, id));
  const failed = report.data?.failed.find(({ runId }) => runId === run);
  usePageTitle(run);
  return (
    <>
      <p>
        <Link to="/evaluations">{t.evaluations}</Link> ›{' '}
        <Link to="/evaluations/$suite/$id" params={{ suite, id }}>
          {suite}
        </Link>
      </p>
      <Loaded query={useQuery(evaluatedRunQuery({ suite, id, run }))}>
        {(evaluated) => <Shown evaluated={evaluated} failed={failed} />}
      </Loaded>
    </>
  );
}

function Shown({ evaluated, failed }: { evaluated: EvaluatedRun; failed: FailedRun | undefined }): ReactNode {
  const t = useTexts();
  const { run, events } = evaluated;
  const client = useMemo(() => knowing(evaluated, t), [evaluated, t]);
  const shown = useMemo(
    () => ({ run, followed: { events, connection: 'over' as const, error: undefined } }),
    [run, events],
  );
  return (
    <>
      <header className="stack">
        <div className="row">
          <StatusBadge status={run.status} />
          <span className="mono quiet">{run.id}</span>
          {run.configuration !== undefined && <span className="quiet">{run.configuration}</span>}
        </div>
        <h1>
          <UntrustedText text={run.task.input} most={600} />
        </h1>
        {failed && <Failure failed={failed} />}
        <section className="panel stack" aria-label={t.answer}>
          <h2>{t.answer}</h2>
          {run.answer === undefined ? <p className="quiet">{t.noAnswer}</p> : <Markdown text={run.answer} />}
        </section>
      </header>
      <QueryClientProvider client={client}>
        <RunContext value={shown}>
          <Happened events={events} />
        </RunContext>
      </QueryClientProvider>
    </>
  );
}

function Failure({ failed: { why, layer, remedy } }: { failed: FailedRun }): ReactNode {
  const t = useTexts();
  return (
    <div className="note bad">
      <div>
        <div>
          {layer !== undefined && <strong>{layerText(layer, t)}: </strong>}
          <UntrustedText text={why} most={600} />
        </div>
        {remedy !== undefined && (
          <div>
            {t.whatWouldHelp}: {remedy}
          </div>
        )}
      </div>
    </div>
  );
}

function Happened({ events }: { events: EvaluatedRun['events'] }): ReactNode {
  const t = useTexts();
  const [collapsed, setCollapsed] = useState<ReadonlySet<string>>(new Set());
  const tree = useMemo(() => timelineOf(events), [events]);
  const lines = useMemo(() => linesOf(tree, collapsed), [tree, collapsed]);
  return (
    <div className="run-columns">
      <section className="stack" aria-label={t.timeline}>
        <TimelineList
          lines={lines}
          began={tree.from}
          collapsed={collapsed}
          onToggleGroup={(id) => setCollapsed((before) => toggled(before, id))}
          label={t.timeline}
        />
      </section>
      <aside className="stack">
        <PlanView events={events} />
      </aside>
    </div>
  );
}

/** What the parts of a timeline ask the server for, answered from what is here: the server's own runs have no such run. */
function knowing({ run }: EvaluatedRun, t: Texts): QueryClient {
  const client = new QueryClient({
    defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY, retry: false } },
  });
  const reader: Me = {
    ...{ tenant: '', scopes: [], guarded: false, version: '', agents: [], samples: [] },
    ...{ lessons: false, evaluations: true },
  };
  client.setQueryData(meQuery.queryKey, reader);
  client.setQueryData(observationsQuery(run.id).queryKey, run.result?.attempt.observations ?? []);
  client.setQueryData(callsQuery(run.id).queryKey, { calls: [], complete: false, why: t.evaluatedCalls });
  return client;
}
