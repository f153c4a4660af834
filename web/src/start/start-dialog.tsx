import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, type ReactNode, useRef, useState } from 'react';
import { meQuery, type StartOptions, useStartRun } from '../api/queries.ts';
import type { Me } from '../api/shapes.ts';
import { useTexts } from '../i18n/i18n.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { ProblemNote } from '../parts/problem-note.tsx';
import { UntrustedLine } from '../parts/untrusted-text.tsx';

interface Draft {
  task: string;
  constraints: string;
  agent: string;
  tokens: string;
  usd: string;
}

const empty: Draft = { task: '', constraints: '', agent: '', tokens: '', usd: '' };

/** Starts a run and goes to it. */
export function StartDialog({ onClose }: { onClose: () => void }): ReactNode {
  const t = useTexts();
  const me = useQuery(meQuery);
  const start = useStartRun();
  const navigate = useNavigate();
  const [draft, setDraft] = useState(empty);
  const end = useRef<HTMLButtonElement>(null);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    start.mutate(optionsOf(draft), {
      onSuccess: ({ id }) => {
        onClose();
        void navigate({ to: '/runs/$runId', params: { runId: id } });
      },
    });
  };
  return (
    <Dialog title={t.newRun} isOpen onClose={onClose}>
      <form className="stack" onSubmit={submit}>
        {me.data && (
          <Samples
            me={me.data}
            onChoose={(chosen) => {
              setDraft({ ...draft, ...chosen });
              // With a task there is nothing left but to start; the button can be reached after the next drawing.
              requestAnimationFrame(() => end.current?.focus());
            }}
          />
        )}
        <Fields draft={draft} me={me.data} onChange={(changed) => setDraft({ ...draft, ...changed })} />
        {start.error && <ProblemNote error={start.error} />}
        <div className="dialog-end">
          <button type="button" className="button" onClick={onClose}>
            {t.cancel}
          </button>
          <button
            ref={end}
            type="submit"
            className="button primary"
            disabled={draft.task.trim() === '' || start.isPending}
          >
            {t.start}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

function Samples({ me, onChoose }: { me: Me; onChoose: (chosen: Partial<Draft>) => void }): ReactNode {
  const t = useTexts();
  if (me.samples.length === 0) return null;
  return (
    <div className="field">
      <span className="label">{t.samples}</span>
      <div className="row">
        {me.samples.map(({ title, task, agent = '' }) => (
          <button key={title} type="button" className="button small" onClick={() => onChoose({ task, agent })}>
            {title}
          </button>
        ))}
      </div>
    </div>
  );
}

interface FieldsProps {
  draft: Draft;
  me: Me | undefined;
  onChange: (changed: Partial<Draft>) => void;
}

function Fields({ draft, me, onChange }: FieldsProps): ReactNode {
  const t = useTexts();
  return (
    <>
      <div className="field">
        <label htmlFor="task">{t.task}</label>
        <textarea
          id="task"
          // biome-ignore lint/a11y/noAutofocus: the dialog was opened to write here
          autoFocus
          rows={3}
          required
          aria-describedby="task-help"
          value={draft.task}
          onChange={(event) => onChange({ task: event.target.value })}
        />
        <span id="task-help" className="quiet">
          {t.taskHelp}
        </span>
      </div>
      <div className="field">
        <label htmlFor="constraints">{t.constraints}</label>
        <textarea
          id="constraints"
          rows={2}
          aria-describedby="constraints-help"
          value={draft.constraints}
          onChange={(event) => onChange({ constraints: event.target.value })}
        />
        <span id="constraints-help" className="quiet">
          {t.constraintsHelp}
        </span>
      </div>
      {me && me.agents.length > 1 && (
        <div className="field">
          <label htmlFor="agent">{t.agent}</label>
          <select
            id="agent"
            value={draft.agent || me.agents[0]?.name}
            onChange={(event) => onChange({ agent: event.target.value })}
          >
            {me.agents.map(({ name }) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </div>
      )}
      <Models me={me} agent={draft.agent} />
      <Limits draft={draft} onChange={onChange} />
    </>
  );
}

/** Who would answer: a stand-in for a model is called one. */
function Models({ me, agent }: { me: Me | undefined; agent: string }): ReactNode {
  const t = useTexts();
  const chosen = me?.agents.find(({ name }) => name === agent) ?? me?.agents[0];
  const names = new Set(chosen?.models.map(({ id, source }) => `${id} (${source})`));
  if (names.size === 0) return null;
  return (
    <p className="quiet">
      {t.eventModel}: <UntrustedLine text={[...names].join(', ')} most={400} />
    </p>
  );
}

function Limits({ draft, onChange }: Omit<FieldsProps, 'me'>): ReactNode {
  const t = useTexts();
  return (
    <div className="pair">
      <div className="field">
        <label htmlFor="tokens">{t.budgetTokens}</label>
        <input
          id="tokens"
          type="number"
          min={1}
          value={draft.tokens}
          onChange={(event) => onChange({ tokens: event.target.value })}
        />
      </div>
      <div className="field">
        <label htmlFor="usd">{t.budgetUsd}</label>
        <input
          id="usd"
          type="number"
          min={0}
          step="any"
          value={draft.usd}
          onChange={(event) => onChange({ usd: event.target.value })}
        />
      </div>
    </div>
  );
}

function optionsOf({ task, constraints, agent, tokens, usd }: Draft): StartOptions {
  const conditions = constraints
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const budget = { ...(tokens !== '' && { tokens: Number(tokens) }), ...(usd !== '' && { usd: Number(usd) }) };
  return {
    task: { input: task.trim(), ...(conditions.length > 0 && { constraints: conditions }) },
    ...(agent !== '' && { agent }),
    ...(Object.keys(budget).length > 0 && { budget }),
  };
}
