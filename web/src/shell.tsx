import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, Outlet } from '@tanstack/react-router';
import { type ReactNode, Suspense, useEffect, useState, useSyncExternalStore } from 'react';
import { Problem } from './api/problem.ts';
import { approvalsQuery, meQuery } from './api/queries.ts';
import { currentToken, onToken, setToken } from './api/token.ts';
import { type Language, useLanguage, useTexts } from './i18n/i18n.tsx';
import { TokenForm } from './parts/token-form.tsx';
import { applyTheme, chosenTheme, type Theme } from './theme/theme.ts';

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
  return (
    <header className="top">
      <Link to="/runs" className="brand">
        Assay
      </Link>
      <nav aria-label={t.appName}>
        {!isRefused && (
          <ul>
            <li>
              <Link to="/runs">{t.runs}</Link>
            </li>
          </ul>
        )}
      </nav>
      {me.data?.guarded && (
        <button type="button" className="button small plain" onClick={() => setToken(undefined)}>
          {t.signOut}
        </button>
      )}
      <Choices />
    </header>
  );
}

function Choices(): ReactNode {
  const { language, setLanguage, t } = useLanguage();
  const [theme, setTheme] = useState(chosenTheme);
  return (
    <div className="row">
      <select
        className="choice"
        aria-label={t.theme}
        value={theme}
        onChange={(event) => {
          const chosen = event.target.value as Theme;
          applyTheme(chosen);
          setTheme(chosen);
        }}
      >
        <option value="system">{t.themeSystem}</option>
        <option value="light">{t.themeLight}</option>
        <option value="dark">{t.themeDark}</option>
      </select>
      <select
        className="choice"
        aria-label={t.language}
        value={language}
        onChange={(event) => setLanguage(event.target.value as Language)}
      >
        <option value="en">English</option>
        <option value="zh">中文</option>
      </select>
    </div>
  );
}

/** How many calls wait for a human. */
export function useWaiting(): number {
  const me = useQuery(meQuery);
  const waiting = useQuery({ ...approvalsQuery, enabled: me.data !== undefined });
  return waiting.data?.length ?? 0;
}
