import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { meQuery, runsQuery } from '../api/queries.ts';
import { useTexts } from '../i18n/i18n.tsx';
import { usePageTitle } from '../page-title.ts';
import { allStatuses, statusText } from '../parts/badge.tsx';
import { Icon } from '../parts/icons.tsx';
import { Loaded } from '../parts/problem-note.tsx';
import { SearchField } from '../parts/search-field.tsx';
import { useRowKeys } from '../parts/use-row-keys.ts';
import { WithCode } from '../parts/with-code.tsx';
import type { RunsSearch } from '../router.tsx';
import { RunTable } from './run-table.tsx';
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
  const canStart = me.data?.scopes.includes('run') ?? false;
  usePageTitle(t.runs);
  useRowKeys();
  const start = canStart && (
    <button type="button" className="button primary" onClick={() => setStarting(true)}>
      <Icon name="plus" /> {t.newRun}
    </button>
  );
  return (
    <>
      <div className="page-head">
        <h1>{t.runs}</h1>
        {start}
      </div>
      <Filters filter={filter} />
      <Loaded query={useQuery(runsQuery(filter))}>
        {(page) =>
          page.runs.length > 0 ? (
            <RunTable page={page} filter={filter} />
          ) : (
            <div className="empty">
              <p>
                <WithCode text={isFiltered(filter) ? t.noMatches : t.noRuns} />
              </p>
              {!isFiltered(filter) && start}
            </div>
          )
        }
      </Loaded>
      {starting && (
        <Suspense>
          <StartDialog onClose={() => setStarting(false)} />
        </Suspense>
      )}
    </>
  );
}

function isFiltered({ status, agent, search }: RunsSearch): boolean {
  return status !== undefined || agent !== undefined || search !== undefined;
}

function Filters({ filter }: { filter: RunsSearch }): ReactNode {
  const t = useTexts();
  const me = useQuery(meQuery);
  const navigate = useNavigate({ from: '/runs' });
  const change = (changed: { [name in keyof RunsSearch]: string | undefined }): void => {
    // What is undefined leaves the address; a status comes from the list of them.
    void navigate({ search: ({ after: _, ...before }) => ({ ...before, ...changed }) as RunsSearch, replace: true });
  };
  return (
    <search className="filters">
      <SearchField
        label={t.search}
        value={filter.search ?? ''}
        onChange={(search) => change({ search: search || undefined })}
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
