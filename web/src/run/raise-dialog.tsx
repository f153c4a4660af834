import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useResumeRun } from '../api/queries.ts';
import type { Limits, RunView } from '../api/shapes.ts';
import type { Texts } from '../i18n/english.ts';
import { useTexts } from '../i18n/i18n.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { ProblemNote } from '../parts/problem-note.tsx';

const limitTexts = {
  modelCalls: 'limitModelCalls',
  toolCalls: 'limitToolCalls',
  tokens: 'budgetTokens',
  usd: 'budgetUsd',
  ms: 'limitMs',
} as const satisfies { [name in keyof Limits]-?: keyof Texts };

const names = Object.keys(limitTexts) as readonly (keyof Limits)[];

/** Asks for higher limits, and goes on with a stopped run as a new one. */
export function RaiseDialog({ run, onClose }: { run: RunView; onClose: () => void }): ReactNode {
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
        {names
          .filter((name) => limits[name] !== undefined)
          .map((name) => (
            <div key={name} className="field">
              <label htmlFor={`limit-${name}`}>{t[limitTexts[name]]}</label>
              <input
                id={`limit-${name}`}
                type="number"
                min={0}
                step="any"
                required
                value={limits[name]}
                onChange={(event) => setLimits({ ...limits, [name]: event.target.valueAsNumber })}
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
  return Object.fromEntries(names.flatMap((name) => (limits[name] === undefined ? [] : [[name, limits[name] * 2]])));
}
