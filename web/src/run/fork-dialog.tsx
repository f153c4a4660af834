import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, type ReactNode, useState } from 'react';
import { meQuery, observationsQuery, stepsQuery, useForkRun } from '../api/queries.ts';
import type { RunView, StepView } from '../api/shapes.ts';
import { useTexts } from '../i18n/i18n.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Loaded, ProblemNote } from '../parts/problem-note.tsx';
import { visibleText } from '../parts/visible-text.ts';

/** The step to begin with: a journal entry, or the one that made an observation. */
export type ForkFrom = { seq: number } | { observation: string; path: string };

interface ForkProps {
  run: RunView;
  /** Default: the last step. */
  from?: ForkFrom | undefined;
  onClose: () => void;
}

/** Goes on from a step in a new run, perhaps with another model or from another observation. */
export function ForkDialog({ run, from, onClose }: ForkProps): ReactNode {
  const t = useTexts();
  return (
    <Dialog title={t.forkTitle} isOpen onClose={onClose}>
      <p className="quiet">{t.forkHelp}</p>
      <Loaded query={useQuery(stepsQuery(run.id))}>
        {(steps) => {
          const first = stepOf(steps, from);
          return first ? (
            <ForkForm run={run} steps={steps} first={first} onClose={onClose} />
          ) : (
            <p className="quiet">{t.noSteps}</p>
          );
        }}
      </Loaded>
    </Dialog>
  );
}

function stepOf(steps: readonly StepView[], from: ForkFrom | undefined): StepView | undefined {
  if (from === undefined) return steps.at(-1);
  if ('seq' in from) return steps.find(({ seq }) => seq === from.seq);
  return steps.find(({ observation, path }) => observation === from.observation && path === from.path) ?? steps.at(-1);
}

function stepText({ seq, path, name, kind }: StepView): string {
  return visibleText(`${seq} · ${[path, name].filter(Boolean).join('/')} (${kind})`);
}

interface FormProps {
  run: RunView;
  steps: readonly StepView[];
  first: StepView;
  onClose: () => void;
}

function ForkForm({ run, steps, first, onClose }: FormProps): ReactNode {
  const t = useTexts();
  const me = useQuery(meQuery);
  const fork = useForkRun(run.id);
  const navigate = useNavigate();
  const [step, setStep] = useState(first);
  const [agent, setAgent] = useState('');
  const [edited, setEdited] = useState<string>();
  const observed = useObserved(run.id, step);
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
    <form className="stack" onSubmit={submit}>
      <div className="field">
        <label htmlFor="fork-step">{t.forkStep}</label>
        <select
          id="fork-step"
          value={step.seq}
          onChange={(event) => {
            setStep(steps.find(({ seq }) => seq === Number(event.target.value)) ?? first);
            setEdited(undefined);
          }}
        >
          {steps.map((one) => (
            <option key={one.seq} value={one.seq}>
              {stepText(one)}
            </option>
          ))}
        </select>
      </div>
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
  );
}

/** What the tool of the step returned; undefined for a step that is no tool's. */
function useObserved(runId: string, step: StepView): string | undefined {
  const query = useQuery({ ...observationsQuery(runId), enabled: step.observation !== undefined });
  const seen = query.data?.find(({ id, path }) => id === step.observation && path === step.path);
  // Of a very long one only the beginning is here, and the rest of it must not be lost by a change.
  return seen?.truncated ? undefined : seen?.content;
}
