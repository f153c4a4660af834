import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { meQuery, useCancelRun, useResumeRun } from '../api/queries.ts';
import type { Limits, RunView } from '../api/shapes.ts';
import { useTexts } from '../i18n/i18n.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { ProblemNote } from '../parts/problem-note.tsx';

/** What can be done with a run as it stands. */
export function RunActions({ run }: { run: RunView }): ReactNode {
  const t = useTexts();
  const me = useQuery(meQuery);
  const cancel = useCancelRun(run.id);
  const resume = useResumeRun(run.id);
  const [raising, setRaising] = useState(false);
  if (!me.data?.scopes.includes('run')) return null;
  const standsStill = run.status === 'interrupted' || run.status === 'parked';
  const canEnd = run.status === 'running' || run.status === 'awaiting_approval' || standsStill;
  return (
    <div className="row">
      {standsStill && (
        <button type="button" className="button" disabled={resume.isPending} onClick={() => resume.mutate(undefined)}>
          {t.resume}
        </button>
      )}
      {run.status === 'stopped' && (
        <button type="button" className="button" onClick={() => setRaising(true)}>
          {t.resumeMore}
        </button>
      )}
      {canEnd && (
        <button
          type="button"
          className="button danger"
          disabled={cancel.isPending}
          onClick={() => cancel.mutate(undefined)}
        >
          {t.stop}
        </button>
      )}
      {raising && <RaiseDialog run={run} onClose={() => setRaising(false)} />}
      {(cancel.error ?? resume.error) && <ProblemNote error={cancel.error ?? resume.error} />}
    </div>
  );
}

const raised = ['modelCalls', 'toolCalls', 'tokens', 'usd', 'ms'] as const satisfies readonly (keyof Limits)[];

/** Asks for higher limits, and goes on with the stopped run as a new one. */
function RaiseDialog({ run, onClose }: { run: RunView; onClose: () => void }): ReactNode {
  const t = useTexts();
  const resume = useResumeRun(run.id);
  const navigate = useNavigate();
  const [limits, setLimits] = useState<Limits>(() => doubled(run.budget));
  return (
    <Dialog title={t.resumeMore} isOpen onClose={onClose}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          resume.mutate(limits, {
            onSuccess: ({ id }) => {
              onClose();
              void navigate({ to: '/runs/$runId', params: { runId: id } });
            },
          });
        }}
      >
        {raised
          .filter((name) => limits[name] !== undefined)
          .map((name) => (
            <div key={name} className="field">
              <label htmlFor={`limit-${name}`}>{name}</label>
              <input
                id={`limit-${name}`}
                type="number"
                min={0}
                step="any"
                value={limits[name]}
                onChange={(event) => setLimits({ ...limits, [name]: Number(event.target.value) })}
              />
            </div>
          ))}
        {resume.error && <ProblemNote error={resume.error} />}
        <div className="dialog-end">
          <button type="button" className="button" onClick={onClose}>
            {t.cancel}
          </button>
          <button type="submit" className="button primary" disabled={resume.isPending}>
            {t.resume}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

function doubled(limits: Limits): Limits {
  return Object.fromEntries(raised.flatMap((name) => (limits[name] === undefined ? [] : [[name, limits[name] * 2]])));
}
