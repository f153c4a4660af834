import { Link } from '@tanstack/react-router';
import { type ReactNode, useMemo } from 'react';
import type { RunView } from '../api/shapes.ts';
import type { FollowedEvents } from '../api/use-run-events.ts';
import { useTexts } from '../i18n/i18n.tsx';
import { count, duration } from '../parts/amounts.ts';
import { Badge, StatusBadge, type Tone } from '../parts/badge.tsx';
import { CopyButton } from '../parts/copy-button.tsx';
import { ProblemNote } from '../parts/problem-note.tsx';
import { CacheShare, Cost, Tokens } from '../parts/spent.tsx';
import { UntrustedText } from '../parts/untrusted-text.tsx';
import { useNow } from '../parts/use-now.ts';
import { When } from '../parts/when.tsx';
import { RunActions } from './run-actions.tsx';
import { totalsOf } from './run-totals.ts';

interface HeadProps {
  run: RunView;
  followed: FollowedEvents;
}

/** What a run was asked, how it stands, what it took, and what can be done with it. */
export function RunHead({ run, followed }: HeadProps): ReactNode {
  const t = useTexts();
  const conditions = run.task.constraints ?? [];
  return (
    <header className="run-head">
      <div className="page-head">
        <Crumbs run={run} />
        <div className="row">
          <Link to="/compare" search={comparison(run)} className="button">
            {t.compare}
          </Link>
          <RunActions run={run} />
        </div>
      </div>
      <h1>
        <UntrustedText text={run.task.input} most={400} />
      </h1>
      {conditions.length > 0 && (
        <ul className="row" aria-label={t.conditions}>
          {conditions.map((text) => (
            <li key={text} className="chip">
              <UntrustedText text={text} most={200} />
            </li>
          ))}
        </ul>
      )}
      <div className="row">
        <StatusBadge status={run.status} pill />
        <ConnectionBadge followed={followed} />
        {run.status !== 'failed' && run.reason && (
          <span className="quiet">
            <UntrustedText text={run.reason.detail} most={300} />
          </span>
        )}
      </div>
      <Notes run={run} />
      {followed.connection === 'failed' && <ProblemNote error={followed.error} />}
      <Figures run={run} followed={followed} />
    </header>
  );
}

/** A fork is compared with the run it came from, others with one that is chosen. */
function comparison({ id, forkedFrom }: RunView): { a: string; b?: string } {
  return forkedFrom === undefined ? { a: id } : { a: forkedFrom, b: id };
}

function Crumbs({ run }: { run: RunView }): ReactNode {
  const t = useTexts();
  return (
    <nav className="crumbs" aria-label={t.whereAmI}>
      <Link to="/runs">{t.runs}</Link>
      <span aria-hidden="true">/</span>
      <span className="mono" title={run.id}>
        {run.id.slice(0, 8)}
      </span>
      <CopyButton text={() => run.id} what={run.id} />
      {run.forkedFrom !== undefined && (
        <span>
          {t.forkedFrom}{' '}
          <Link to="/runs/$runId" params={{ runId: run.forkedFrom }} className="mono">
            {run.forkedFrom.slice(0, 8)}
          </Link>
        </span>
      )}
    </nav>
  );
}

/** Says how the events come while they still may. */
function ConnectionBadge({ followed: { connection } }: Pick<HeadProps, 'followed'>): ReactNode {
  const t = useTexts();
  const words: Record<FollowedEvents['connection'], [Tone, string] | undefined> = {
    connecting: ['plain', t.connecting],
    live: ['active', t.live],
    waiting: ['warn', t.reconnecting],
    over: undefined,
    failed: ['bad', t.disconnected],
  };
  const shown = words[connection];
  return (
    <span role="status">
      {shown && (
        <Badge tone={shown[0]} pill>
          {shown[1]}
        </Badge>
      )}
    </span>
  );
}

function Figures({ run, followed: { events } }: HeadProps): ReactNode {
  const t = useTexts();
  const { usage, turns, activeMs } = useMemo(() => totalsOf(run, events), [run, events]);
  const isRunning = run.status === 'running';
  const now = useNow(isRunning);
  const claims = run.result?.metrics;
  const time = activeMs ?? (isRunning ? Math.max(0, now - Date.parse(run.created)) : undefined);
  const facts: [name: string, value: ReactNode][] = [
    [t.configuration, run.configuration ?? run.agent],
    [t.started, <When key="at" at={run.created} />],
    [t.duration, time === undefined ? '–' : duration(time)],
    [t.tokens, <Tokens key="tokens" usage={usage} />],
    [t.cacheShare, <CacheShare key="cache" usage={usage} />],
    [t.cost, <Cost key="cost" usage={usage} />],
    [t.turns, count(turns)],
    [t.modelCalls, count(usage.modelCalls)],
    [t.toolCalls, count(usage.toolCalls)],
    ...(claims && claims.claims > 0
      ? [[t.supportedClaims, `${count(claims.supportedClaims)} / ${count(claims.claims)}`] satisfies [string, string]]
      : []),
  ];
  return (
    <dl className="run-figures">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd className="numbers">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function Notes({ run: { status, reason, edited, result } }: Pick<HeadProps, 'run'>): ReactNode {
  const t = useTexts();
  const notes: [tone: 'bad' | 'warn', text: string][] = [
    ...(status === 'failed' && reason ? [['bad', reason.detail] satisfies ['bad', string]] : []),
    ...((edited?.length ?? 0) > 0 ? [['warn', t.editedNote] satisfies ['warn', string]] : []),
    ...(result?.selfChecked ? [['warn', t.selfChecked] satisfies ['warn', string]] : []),
    ...(result?.attempt.degraded && result.answer !== undefined
      ? [['warn', t.degraded] satisfies ['warn', string]]
      : []),
  ];
  return notes.map(([tone, text]) => (
    <p key={text} className={`note ${tone}`}>
      <UntrustedText text={text} most={800} />
    </p>
  ));
}
