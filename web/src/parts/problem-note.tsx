import type { ReactNode } from 'react';
import { Problem } from '../api/problem.ts';
import { useTexts } from '../i18n/i18n.tsx';
import { UntrustedText } from './untrusted-text.tsx';
import { WithCode } from './with-code.tsx';

/** What went wrong and what to do, where it went wrong. */
export function ProblemNote({ error, onRetry }: { error: unknown; onRetry?: () => void }): ReactNode {
  const t = useTexts();
  return (
    <div className="note bad" role="alert">
      <Told error={error} />
      {onRetry && (
        <button type="button" className="button small" onClick={onRetry}>
          {t.retry}
        </button>
      )}
    </div>
  );
}

function Told({ error }: { error: unknown }): ReactNode {
  const t = useTexts();
  if (error instanceof Problem && error.status === 0) {
    return (
      <div>
        {t.unreachable} <WithCode text={t.unreachableRemedy} />
      </div>
    );
  }
  const remedy = error instanceof Problem ? error.remedy : '';
  return (
    <div>
      <UntrustedText text={error instanceof Error ? error.message : String(error)} />
      {remedy !== '' && (
        <div>
          <UntrustedText text={remedy} />
        </div>
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
