import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { type KeyboardEvent, lazy, type ReactNode, Suspense, useEffect, useState } from 'react';
import { meQuery, runsQuery } from '../api/queries.ts';
import type { RunPage, RunSummary } from '../api/shapes.ts';
import { useTexts } from '../i18n/i18n.tsx';
import { count, duration, money } from '../parts/amounts.ts';
import { allStatuses, StatusBadge, statusText, VerdictBadge } from '../parts/badge.tsx';
import { Loaded } from '../parts/problem-note.tsx';
import { visibleText } from '../parts/visible-text.ts';
import { When } from '../parts/when.tsx';
import type { RunsSearch } from '../router.tsx';
import './runs.css';

const StartDialog = lazy(() =>
  import('../start/start-dialog.tsx').then(({ StartDialog: view }) => ({ default: view })),
);

/** The runs, newest first, as they go. */
export function RunsPage(): ReactNode {
  const t = useTexts();
  const filter = useSearch({ from: '/runs' });
  const [starting, setStarting] = useState(false);
  const me = useQuery(meQuery);
  return (
    <>
      <div className="page-head">
        <h1>{t.runs}</h1>
        {me.data?.scopes.includes('run') && (
          <button type="button" className="button primary" onClick={() => setStarting(true)}>
            {t.newRun}
          </button>
        )}
      </div>
      <Filters filter={filter} />
      <Loaded query={useQuery(runsQuery(filter))}>{(page) => <RunTable page={page} filter={filter} />}</Loaded>
      {starting && (
        <Suspense>
          <StartDialog onClose={() => setStarting(false)} />
        </Suspense>
      )}
    </>
  );
}

/** Milliseconds without a key before a search begins. */
const typingMs = 250;

function Filters({ filter }: { filter: RunsSearch }): ReactNode {
  const t = useTexts();
  const me = useQuery(meQuery);
  const navigate = useNavigate({ from: '/runs' });
  const [typed, setTyped] = useState(filter.search ?? '');
  const change = (changed: Record<string, string | undefined>): void => {
    void navigate({ search: ({ after: _, ...before }) => ({ ...before, ...changed }) as RunsSearch, replace: true });
  };
  useEffect(() => {
    if (typed === (filter.search ?? '')) return;
    const timer = setTimeout(() => change({ search: typed === '' ? undefined : typed }), typingMs);
    return () => clearTimeout(timer);
  });
  return (
    <search className="filters">
      <input
        className="input"
        type="search"
        aria-label={t.search}
        placeholder={t.search}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
      <select
        className="input"
        aria-label={t.status}
        value={filter.status ?? ''}
        onChange={(event) => change({ status: event.target.value || undefined })}
      >
        <option value="">{t.anyStatus}</option>
        {allStatuses.map((status) => (
          <option key={status} value={status}>
            {statusText(status, t)}
          </option>
        ))}
      </select>
      {(me.data?.agents.length ?? 0) > 1 && (
        <select
          className="input"
          aria-label={t.agent}
          value={filter.agent ?? ''}
          onChange={(event) => change({ agent: event.target.value || undefined })}
        >
          <option value="">{t.anyAgent}</option>
          {me.data?.agents.map(({ name }) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      )}
    </search>
  );
}

function RunTable({ page, filter }: { page: RunPage; filter: RunsSearch }): ReactNode {
  const t = useTexts();
  const isFiltered = filter.status !== undefined || filter.agent !== undefined || filter.search !== undefined;
  if (page.runs.length === 0) return <p className="quiet">{isFiltered ? t.noMatches : t.noRuns}</p>;
  return (
    <>
      <table className="table runs">
        <thead>
          <tr>
            <th scope="col">{t.status}</th>
            <th scope="col">{t.task}</th>
            <th scope="col">{t.verdict}</th>
            <th scope="col" className="number">
              {t.tokens}
            </th>
            <th scope="col" className="number">
              {t.cost}
            </th>
            <th scope="col" className="number">
              {t.duration}
            </th>
            <th scope="col">{t.started}</th>
          </tr>
        </thead>
        <tbody onKeyDown={moveFocus}>
          {page.runs.map((run) => (
            <RunRow key={run.id} run={run} />
          ))}
        </tbody>
      </table>
      <nav className="row" aria-label={t.runs}>
        {filter.after !== undefined && (
          <Link className="button small" from="/runs" to="/runs" search={({ after: _, ...rest }) => rest}>
            {t.newestRuns}
          </Link>
        )}
        {page.next !== undefined && (
          <Link className="button small" from="/runs" to="/runs" search={{ ...filter, after: page.next }}>
            {t.olderRuns}
          </Link>
        )}
      </nav>
    </>
  );
}

function RunRow({ run }: { run: RunSummary }): ReactNode {
  const runs = run.status === 'running';
  return (
    <tr>
      <td>
        <StatusBadge status={run.status} />
      </td>
      <td className="task">
        <Link to="/runs/$runId" params={{ runId: run.id }} data-row>
          {visibleText(run.task)}
        </Link>
        <div className="sub">
          {run.configuration ?? run.agent} · <span className="mono">{run.id.slice(0, 8)}</span>
        </div>
      </td>
      <td>{run.verdict && <VerdictBadge verdict={run.verdict} />}</td>
      <td className="number numbers">{runs ? '–' : count(run.tokens)}</td>
      <td className="number numbers">{runs ? '–' : money(run.usd)}</td>
      <td className="number numbers">{run.activeMs === undefined ? '–' : duration(run.activeMs)}</td>
      <td>
        <When at={run.created} />
      </td>
    </tr>
  );
}

const moves: Readonly<Record<string, number>> = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 };

/** The arrows, and j and k, go from row to row; Enter follows the link as always. */
function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const move = moves[event.key];
  if (move === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
  const links = [...event.currentTarget.querySelectorAll<HTMLAnchorElement>('a[data-row]')];
  const place = links.indexOf(document.activeElement as HTMLAnchorElement);
  const next = links[place + move];
  if (place < 0 || !next) return;
  event.preventDefault();
  next.focus();
}
