import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { MouseEvent, ReactNode } from 'react';
import { callQuery, callsQuery } from '../api/queries.ts';
import type { CallRow } from '../api/shapes.ts';
import { useTexts } from '../i18n/i18n.tsx';
import { duration } from '../parts/amounts.ts';
import { Badge } from '../parts/badge.tsx';
import { Loaded } from '../parts/problem-note.tsx';
import { CacheShare, Tokens } from '../parts/spent.tsx';
import { UntrustedLine } from '../parts/untrusted-text.tsx';
import { useRowKeys } from '../parts/use-row-keys.ts';
import { CallDetails } from './call-view.tsx';
import './calls.css';
import { useShownRun } from './run-context.ts';

/** Every call of a model with its exact prompt and reply. */
export function CallsTab(): ReactNode {
  const t = useTexts();
  const { run } = useShownRun();
  const { call } = useSearch({ from: '/runs/$runId/calls' });
  useRowKeys();
  const open = useOpensCall(run.id);
  return (
    <Loaded query={useQuery(callsQuery(run.id))}>
      {({ calls, complete, why }) => (
        <div className="call-columns">
          <section aria-label={t.modelCalls}>
            {!complete && (
              <p className="note warn">
                <span>{t.callsIncomplete}</span>
                {why !== undefined && <UntrustedLine text={why} most={600} />}
              </p>
            )}
            {calls.length === 0 && <p className="quiet">{t.noCalls}</p>}
            {calls.length > 0 && (
              // biome-ignore lint/a11y/useKeyWithClickEvents: a key on a link is a click
              <ol className="call-list" onClick={open}>
                {calls.map((row) => (
                  <CallLine key={row.index} row={row} runId={run.id} isChosen={row.index === call} />
                ))}
              </ol>
            )}
          </section>
          {call === undefined ? <p className="quiet">{t.callsRebuilt}</p> : <Call runId={run.id} index={call} />}
        </div>
      )}
    </Loaded>
  );
}

interface LineProps {
  row: CallRow;
  runId: string;
  isChosen: boolean;
}

function CallLine({ row, runId, isChosen }: LineProps): ReactNode {
  const t = useTexts();
  const { index, role, path, step, usage, ms, outcome, messages } = row;
  return (
    <li>
      {/* A link of the router does more than hundreds of these can afford. */}
      <a
        href={`#/runs/${encodeURIComponent(runId)}/calls?call=${index}`}
        className="call-line"
        aria-current={isChosen ? 'true' : undefined}
        data-row
        data-call={index}
      >
        <span className="where">
          <strong>{role}</strong> <span className="mono quiet">{[path, step].filter(Boolean).join('/')}</span>
        </span>
        {outcome === 'reply' ? <span className="quiet numbers">#{index}</span> : <Badge tone="bad">{outcome}</Badge>}
        <span className="sub numbers">
          <span>
            <Tokens usage={usage} /> {t.tokensShort} · <CacheShare usage={usage} /> {t.cachedShort}
          </span>
          <span>
            {messages} {t.messages}
            {ms === undefined ? '' : ` · ${duration(ms)}`}
          </span>
        </span>
      </a>
    </li>
  );
}

/** Opens a call beside the list, which stays where it is scrolled. */
function useOpensCall(runId: string): (event: MouseEvent<HTMLElement>) => void {
  const navigate = useNavigate();
  return (event) => {
    const line = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-call]') : null;
    if (!line || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const call = Number(line.dataset['call']);
    void navigate({ to: '/runs/$runId/calls', params: { runId }, search: { call }, resetScroll: false });
  };
}

function Call({ runId, index }: { runId: string; index: number }): ReactNode {
  const t = useTexts();
  return (
    <section className="stack" aria-label={`${t.prompt} #${index}`}>
      <Loaded query={useQuery(callQuery(runId, index))}>
        {(call) => (
          <>
            <h2>
              <UntrustedLine text={`#${index} ${call.role} · ${[call.path, call.step].filter(Boolean).join('/')}`} />
            </h2>
            <CallDetails key={index} call={call} />
          </>
        )}
      </Loaded>
    </section>
  );
}
