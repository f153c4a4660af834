import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { RunPage, RunStatus, RunSummary } from '../api/shapes.ts';
import { useTexts } from '../i18n/i18n.tsx';
import { count, duration, money } from '../parts/amounts.ts';
import { StatusBadge, VerdictBadge } from '../parts/badge.tsx';
import { UntrustedLine } from '../parts/untrusted-text.tsx';
import { useNow } from '../parts/use-now.ts';
import { When } from '../parts/when.tsx';
import type { RunsSearch } from '../router.tsx';

export function RunTable({ page, filter }: { page: RunPage; filter: RunsSearch }): ReactNode {
  const t = useTexts();
  const now = useNow(page.runs.some(({ status }) => status === 'running'));
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
            <th scope="col" className="number">
              {t.started}
            </th>
          </tr>
        </thead>
        <tbody>
          {page.runs.map((run) => (
            <RunRow key={run.id} run={run} now={now} />
          ))}
        </tbody>
      </table>
      {(filter.after !== undefined || page.next !== undefined) && (
        <nav className="row" aria-label={t.pages}>
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
      )}
    </>
  );
}

/** What a run took is known when it has ended; before, the server tells what it may take. */
const underWay: ReadonlySet<RunStatus> = new Set(['running', 'awaiting_approval', 'interrupted', 'parked']);

function RunRow({ run, now }: { run: RunSummary; now: number }): ReactNode {
  const t = useTexts();
  const isUnderWay = underWay.has(run.status);
  return (
    <tr>
      <td className="status">
        <StatusBadge status={run.status} />
      </td>
      <td className="task">
        <Link to="/runs/$runId" params={{ runId: run.id }} data-row>
          <UntrustedLine text={run.task} />
        </Link>
        <div className="sub">
          <span className="mono">{run.id.slice(0, 8)}</span>
          <span>{run.agent}</span>
          <UntrustedLine text={run.configuration ?? ''} />
        </div>
      </td>
      <td>{run.verdict && <VerdictBadge verdict={run.verdict} />}</td>
      <Figure text={isUnderWay ? undefined : count(run.tokens)} unit={t.tokensShort} />
      <Figure text={isUnderWay || run.usd === 0 ? undefined : money(run.usd)} />
      <Figure text={timeOf(run, now)} />
      <td className="number">
        <When at={run.created} />
      </td>
    </tr>
  );
}

/** A figure in its column. On a phone, where columns have no heads, the unit stands behind it, and what is not known is left out. */
function Figure({ text, unit }: { text: string | undefined; unit?: string }): ReactNode {
  return (
    <td className={`number numbers ${text === undefined ? 'absent' : ''}`} data-unit={unit}>
      {text ?? '–'}
    </td>
  );
}

function timeOf({ status, activeMs, created }: RunSummary, now: number): string | undefined {
  if (activeMs !== undefined) return duration(activeMs);
  return status === 'running' ? duration(Math.max(0, now - Date.parse(created))) : undefined;
}
