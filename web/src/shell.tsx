import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, type LinkProps, Outlet } from '@tanstack/react-router';
import { type ReactNode, Suspense, useEffect, useState, useSyncExternalStore } from 'react';
import { Problem } from './api/problem.ts';
import { approvalsQuery, meQuery } from './api/queries.ts';
import { currentToken, onToken } from './api/token.ts';
import type { Texts } from './i18n/english.ts';
import { useTexts } from './i18n/i18n.tsx';
import { Toasts } from './parts/toast.tsx';
import { TokenForm } from './parts/token-form.tsx';
import { SettingsButton } from './settings-button.tsx';

/** The views in the bar at the top. */
const views: readonly { to: NonNullable<LinkProps['to']>; text: keyof Texts; needs?: 'lessons' | 'evaluations' }[] = [
  { to: '/runs', text: 'runs' },
  { to: '/approvals', text: 'approvals' },
  { to: '/lessons', text: 'lessons', needs: 'lessons' },
  { to: '/evaluations', text: 'evaluations', needs: 'evaluations' },
];

/** What stands around every page. */
export function Shell(): ReactNode {
  const t = useTexts();
  const me = useQuery(meQuery);
  const refused = me.error instanceof Problem && me.error.status === 401;
  useForgetsWithToken();
  return (
    <div className="shell">
      {/* A link with an address would be taken by the router. */}
      <button type="button" className="skip" onClick={() => document.getElementById('content')?.focus()}>
        {t.skip}
      </button>
      <Top isRefused={refused} />
      <main id="content" tabIndex={-1}>
        {refused ? (
          <TokenForm />
        ) : (
          <Suspense fallback={<p className="quiet">{t.loading}</p>}>
            <Outlet />
          </Suspense>
        )}
      </main>
      <Toasts />
    </div>
  );
}

/** What was shown to one token is not shown to the next. */
function useForgetsWithToken(): void {
  const client = useQueryClient();
  const token = useSyncExternalStore(onToken, currentToken);
  const [known, setKnown] = useState(token);
  useEffect(() => {
    if (known === token) return;
    setKnown(token);
    void client.resetQueries();
  }, [client, known, token]);
}

function Top({ isRefused }: { isRefused: boolean }): ReactNode {
  const t = useTexts();
  const me = useQuery(meQuery);
  const shown = views.filter(({ needs }) => needs === undefined || me.data?.[needs] === true);
  return (
    <header className="top">
      <Link to="/runs" className="brand" aria-label={t.appName}>
        <img src="./assay.svg" alt="" width={20} height={20} />
        <span>Assay</span>
      </Link>
      <nav aria-label={t.appName}>
        {!isRefused && (
          <ul>
            {shown.map(({ to, text }) => (
              <li key={text}>
                <Link to={to}>
                  {t[text]}
                  {to === '/approvals' && <Waiting />}
                </Link>
              </li>
            ))}
          </ul>
        )}
      </nav>
      <SettingsButton />
    </header>
  );
}

function Waiting(): ReactNode {
  const waiting = useWaiting();
  return waiting > 0 && <span className="count">{waiting}</span>;
}

/** How many calls wait for a human. */
export function useWaiting(): number {
  const me = useQuery(meQuery);
  const waiting = useQuery({ ...approvalsQuery, enabled: me.data !== undefined });
  return waiting.data?.length ?? 0;
}
