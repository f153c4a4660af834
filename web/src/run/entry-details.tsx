import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { callQuery, callsQuery, observationsQuery, useCanRun } from '../api/queries.ts';
import type { RunEvent } from '../api/shapes.ts';
import { useTexts } from '../i18n/i18n.tsx';
import { Badge } from '../parts/badge.tsx';
import { JsonBlock } from '../parts/json-block.tsx';
import { Loaded } from '../parts/problem-note.tsx';
import { CodeBlock, UntrustedText } from '../parts/untrusted-text.tsx';
import { When } from '../parts/when.tsx';
import { findCall } from './find-call.ts';
import { useShownRun } from './run-context.ts';
import type { Entry } from './timeline-model.ts';
import './calls.css';

const CallDetails = lazy(() => import('./call-view.tsx').then(({ CallDetails: view }) => ({ default: view })));
const ForkDialog = lazy(() => import('./fork-dialog.tsx').then(({ ForkDialog: view }) => ({ default: view })));

/** All of an entry: what a tool returned, a model's exact prompt and reply, else the event itself. */
export function EntryDetails({ entry }: { entry: Entry }): ReactNode {
  const { event, end } = entry;
  const call = event.type === 'model.call' ? event : end;
  if (event.type === 'tool.call') return <ToolDetails event={event} />;
  if (call?.type === 'model.call') return <ModelDetails call={call} />;
  if (event.type === 'model.start') return <CodeBlock text={entry.spoken ?? ''} />;
  return (
    <div className="stack">
      <p className="quiet">
        <When at={event.at} precise /> <span className="mono">{event.id}</span>
      </p>
      <JsonBlock value={end ? [told(event), told(end)] : told(event)} />
    </div>
  );
}

/** An event without what its line says already. */
function told({ id: _id, run: _run, live: _live, at: _at, path: _path, ...rest }: RunEvent): unknown {
  return rest;
}

function ToolDetails({ event }: { event: Extract<RunEvent, { type: 'tool.call' }> }): ReactNode {
  const t = useTexts();
  const { run } = useShownRun();
  const [isForking, setForking] = useState(false);
  const canRun = useCanRun();
  const query = useQuery(observationsQuery(run.id));
  return (
    <div className="stack">
      <p className="caption">{t.arguments}</p>
      <JsonBlock value={event.args} label={t.arguments} />
      <Loaded query={query}>
        {(observations) => {
          const found = observations.find(({ id, path }) => id === event.observation && path === event.path);
          return (
            found && (
              <>
                <div className="row">
                  <p className="caption">
                    {t.observation} {found.id}
                  </p>
                  {found.trust === 'untrusted' ? <Badge tone="warn">{t.untrusted}</Badge> : t.trusted}
                  {canRun && (
                    <button type="button" className="button small plain end" onClick={() => setForking(true)}>
                      {t.forkHere}
                    </button>
                  )}
                </div>
                <CodeBlock text={found.content} label={found.id} />
              </>
            )
          );
        }}
      </Loaded>
      {isForking && (
        <Suspense>
          <ForkDialog
            run={run}
            from={{ observation: event.observation, path: event.path }}
            onClose={() => setForking(false)}
          />
        </Suspense>
      )}
    </div>
  );
}

function ModelDetails({ call }: { call: Extract<RunEvent, { type: 'model.call' }> }): ReactNode {
  const t = useTexts();
  const { run, followed } = useShownRun();
  return (
    <Loaded query={useQuery(callsQuery(run.id))}>
      {({ calls, why }) => {
        const found = findCall(call, followed.events, calls);
        if (found) return <RebuiltCall runId={run.id} index={found.index} />;
        return (
          <div className="stack">
            <p className="quiet">
              {t.notRebuilt} <UntrustedText text={why ?? ''} most={600} />
            </p>
            <JsonBlock value={told(call)} label={t.eventModel} />
          </div>
        );
      }}
    </Loaded>
  );
}

function RebuiltCall({ runId, index }: { runId: string; index: number }): ReactNode {
  const t = useTexts();
  return (
    <Loaded query={useQuery(callQuery(runId, index))}>
      {(call) => (
        <Suspense fallback={<p className="quiet">{t.loading}</p>}>
          <CallDetails call={call} />
          <p>
            <Link to="/runs/$runId/calls" params={{ runId }} search={{ call: index }}>
              {t.wholeCall}
            </Link>
          </p>
        </Suspense>
      )}
    </Loaded>
  );
}
