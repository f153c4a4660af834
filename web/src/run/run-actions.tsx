import { lazy, type ReactNode, Suspense, useState } from 'react';
import { useCancelRun, useCanRun, useResumeRun } from '../api/queries.ts';
import type { RunView } from '../api/shapes.ts';
import { useTexts } from '../i18n/i18n.tsx';
import { ProblemNote } from '../parts/problem-note.tsx';
import { say } from '../parts/toast.tsx';

const ForkDialog = lazy(() => import('./fork-dialog.tsx').then(({ ForkDialog: view }) => ({ default: view })));
const RaiseDialog = lazy(() => import('./raise-dialog.tsx').then(({ RaiseDialog: view }) => ({ default: view })));

/** What can be done with a run as it stands. */
export function RunActions({ run }: { run: RunView }): ReactNode {
  const t = useTexts();
  const cancel = useCancelRun(run.id);
  const resume = useResumeRun(run.id);
  const [asking, setAsking] = useState<'limits' | 'fork'>();
  if (!useCanRun()) return null;
  const standsStill = run.status === 'interrupted' || run.status === 'parked';
  const canEnd = run.status === 'running' || run.status === 'awaiting_approval' || standsStill;
  const error = cancel.error ?? resume.error;
  const close = (): void => setAsking(undefined);
  return (
    <div className="row">
      {standsStill && (
        <button
          type="button"
          className="button"
          disabled={resume.isPending}
          onClick={() => resume.mutate(undefined, { onSuccess: () => say(t.resumed) })}
        >
          {t.resume}
        </button>
      )}
      {run.status === 'stopped' && (
        <button type="button" className="button" onClick={() => setAsking('limits')}>
          {t.resumeMore}
        </button>
      )}
      <button type="button" className="button" onClick={() => setAsking('fork')}>
        {t.fork}
      </button>
      {canEnd && (
        <button
          type="button"
          className="button danger"
          disabled={cancel.isPending}
          onClick={() => cancel.mutate(undefined, { onSuccess: () => say(t.cancelAsked) })}
        >
          {t.stop}
        </button>
      )}
      <Suspense>
        {asking === 'limits' && <RaiseDialog run={run} onClose={close} />}
        {asking === 'fork' && <ForkDialog run={run} onClose={close} />}
      </Suspense>
      {error && <ProblemNote error={error} />}
    </div>
  );
}
