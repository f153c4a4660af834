import { type FormEvent, type ReactNode, useId, useState } from 'react';
import type { ApprovalView } from '../api/shapes.ts';
import { useDecide } from '../api/view-queries.ts';
import { useTexts } from '../i18n/i18n.tsx';
import { ProblemNote } from '../parts/problem-note.tsx';
import { say } from '../parts/toast.tsx';
import { UntrustedText } from '../parts/untrusted-text.tsx';
import { parseArguments } from './tainted-arguments.ts';

type Open = 'nothing' | 'deny' | 'edit';
type Decide = ReturnType<typeof useDecide>;

/** Approve, deny with a reason, or run another call in its place; and what happens then. */
export function DecisionForm({ approval }: { approval: ApprovalView }): ReactNode {
  const t = useTexts();
  const decide = useDecide(approval);
  const [open, setOpen] = useState<Open>('nothing');
  const toggle = (what: Open): void => setOpen(open === what ? 'nothing' : what);
  return (
    <div className="stack">
      <p className="quiet">{t.whatHappensNext}</p>
      <div className="row">
        <button
          type="button"
          className="button primary"
          disabled={decide.isPending}
          onClick={() => decide.mutate({ word: 'approve' }, { onSuccess: () => say(t.wasApproved) })}
        >
          {t.approve}
        </button>
        <button type="button" className="button danger" aria-expanded={open === 'deny'} onClick={() => toggle('deny')}>
          {t.deny} …
        </button>
        <button type="button" className="button" aria-expanded={open === 'edit'} onClick={() => toggle('edit')}>
          {t.editCall} …
        </button>
      </div>
      {open === 'deny' && <DenyForm decide={decide} />}
      {open === 'edit' && <EditForm decide={decide} approval={approval} />}
      {decide.error && <ProblemNote error={decide.error} />}
    </div>
  );
}

function DenyForm({ decide }: { decide: Decide }): ReactNode {
  const t = useTexts();
  const id = useId();
  const [reason, setReason] = useState('');
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const given = reason.trim();
    decide.mutate({ word: 'deny', ...(given !== '' && { reason: given }) }, { onSuccess: () => say(t.wasDenied) });
  };
  return (
    <form className="stack" onSubmit={submit}>
      <div className="field">
        <label htmlFor={id}>{t.reason}</label>
        <textarea
          id={id}
          rows={2}
          maxLength={2_000}
          aria-describedby={`${id}-help`}
          value={reason}
          onChange={(event) => setReason(event.target.value)}
        />
        <span id={`${id}-help`} className="quiet">
          {t.reasonHelp}
        </span>
      </div>
      <div className="row">
        <button type="submit" className="button danger" disabled={decide.isPending}>
          {t.denyCall}
        </button>
      </div>
    </form>
  );
}

function EditForm({ decide, approval }: { decide: Decide; approval: ApprovalView }): ReactNode {
  const t = useTexts();
  const id = useId();
  const [typed, setTyped] = useState(() => JSON.stringify(approval.args ?? {}, undefined, 2));
  const parsed = parseArguments(typed);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (parsed.ok) decide.mutate({ word: 'approve', args: parsed.args }, { onSuccess: () => say(t.wasApproved) });
  };
  return (
    <form className="stack" onSubmit={submit}>
      <div className="field">
        <label htmlFor={id}>{t.editedArguments}</label>
        <textarea
          id={id}
          className="mono"
          rows={Math.min(18, typed.split('\n').length + 1)}
          spellCheck={false}
          aria-invalid={!parsed.ok}
          aria-describedby={`${id}-help`}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
        <span id={`${id}-help`} className={parsed.ok ? 'quiet' : 'note bad'}>
          {parsed.ok ? t.editHelp : <UntrustedText text={`${t.noJsonObject} ${parsed.why}`} most={300} />}
        </span>
      </div>
      <div className="row">
        <button type="submit" className="button primary" disabled={!parsed.ok || decide.isPending}>
          {t.approveEdited}
        </button>
      </div>
    </form>
  );
}
