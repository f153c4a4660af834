import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, type ReactNode, useState } from 'react';
import { meQuery, observationsQuery, useForkRun } from '../api/queries.ts';
import type { RunView, StepView } from '../api/shapes.ts';
import { useTexts } from '../i18n/i18n.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { ProblemNote } from '../parts/problem-note.tsx';

interface ForkProps {
  run: RunView;
  step: StepView;
  onClose: () => void;
}

/** Goes on from a step in a new run, perhaps with another model or from another observation. */
export function ForkDialog({ run, step, onClose }: ForkProps): ReactNode {
  const t = useTexts();
  const me = useQuery(meQuery);
  const fork = useForkRun(run.id);
  const navigate = useNavigate();
  const observed = useObserved(run.id, step);
  const [agent, setAgent] = useState('');
  const [edited, setEdited] = useState<string>();
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const changed = edited !== undefined && edited !== observed;
    fork.mutate(
      { at: step.seq, ...(agent !== '' && { agent }), ...(changed && { observation: { content: edited } }) },
      {
        onSuccess: ({ id }) => {
          onClose();
          void navigate({ to: '/runs/$runId', params: { runId: id } });
        },
      },
    );
  };
  return (
    <Dialog title={`${t.forkTitle} (${t.step} ${step.seq})`} isOpen onClose={onClose}>
      <form className="stack" onSubmit={submit}>
        <p className="quiet">{t.forkHelp}</p>
        <div className="field">
          <label htmlFor="fork-agent">{t.forkAgent}</label>
          <select id="fork-agent" value={agent} onChange={(event) => setAgent(event.target.value)}>
            <option value="">{t.forkSame}</option>
            {me.data?.agents
              .filter(({ name }) => name !== run.agent)
              .map(({ name }) => (
                <option key={name}>{name}</option>
              ))}
          </select>
        </div>
        {observed !== undefined && (
          <div className="field">
            <label htmlFor="fork-observation">
              {t.forkObservation} ({step.observation})
            </label>
            <textarea
              id="fork-observation"
              className="mono"
              rows={8}
              aria-describedby="fork-observation-help"
              value={edited ?? observed}
              onChange={(event) => setEdited(event.target.value)}
            />
            <span id="fork-observation-help" className="quiet">
              {t.forkObservationHelp}
            </span>
          </div>
        )}
        {fork.error && <ProblemNote error={fork.error} />}
        <div className="dialog-end">
          <button type="button" className="button" onClick={onClose}>
            {t.cancel}
          </button>
          <button type="submit" className="button primary" disabled={fork.isPending}>
            {t.fork}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

/** What the tool of the step returned; undefined for a step that is no tool's. */
function useObserved(runId: string, step: StepView): string | undefined {
  const query = useQuery({ ...observationsQuery(runId), enabled: step.observation !== undefined });
  return query.data?.find(({ id, path }) => id === step.observation && path === step.path)?.content;
}
