import type { ReactNode } from 'react';
import { Problem } from '../api/problem.ts';
import { useTexts } from '../i18n/i18n.tsx';
import { UntrustedText } from './untrusted-text.tsx';

/** What went wrong and what to do, where it went wrong. */
export function ProblemNote({ error, onRetry }: { error: unknown; onRetry?: () => void }): ReactNode {
  const t = useTexts();
  const text = error instanceof Error ? error.message : String(error);
  return (
    <div className="note bad" role="alert">
      <div>
        <UntrustedText text={text} />
        {error instanceof Problem && error.remedy !== '' && (
          <div>
            <UntrustedText text={error.remedy} />
          </div>
        )}
      </div>
      {onRetry && (
        <button type="button" className="button small" onClick={onRetry}>
          {t.retry}
        </button>
      )}
    </div>
  );
}

/** What is asked for, when it is there: what is not yet there is said, and what went wrong, also with a later look. */
export function Loaded<T>({
  query,
  children,
}: {
  query: { data: T | undefined; error: Error | null; refetch(): unknown };
  children: (data: T) => ReactNode;
}): ReactNode {
  const t = useTexts();
  const problem = query.error !== null && <ProblemNote error={query.error} onRetry={() => void query.refetch()} />;
  if (query.data === undefined) return problem || <p className="quiet">{t.loading}</p>;
  return (
    <>
      {problem}
      {children(query.data)}
    </>
  );
}
