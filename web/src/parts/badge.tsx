import type { ReactNode } from 'react';
import type { RunStatus, Verdict } from '../api/shapes.ts';
import type { Texts } from '../i18n/english.ts';
import { useTexts } from '../i18n/i18n.tsx';

export type Tone = 'good' | 'bad' | 'warn' | 'active' | 'plain';

/** A shape for each tone, so that nothing is told by colour alone. */
const shapes: Readonly<Record<Tone, ReactNode>> = {
  good: <path d="M2 6.5 5 9.5 10 3" fill="none" stroke="currentColor" strokeWidth="2" />,
  bad: <path d="m2.5 2.5 7 7m0-7-7 7" fill="none" stroke="currentColor" strokeWidth="2" />,
  warn: <path d="M6 1.2 11.4 10.8H.6Z" fill="currentColor" />,
  active: <circle cx="6" cy="6" r="4.5" fill="none" stroke="currentColor" strokeWidth="2.4" strokeDasharray="7 3" />,
  plain: <path d="M2 6h8" stroke="currentColor" strokeWidth="2" />,
};

/** A word with a shape and a colour; as a `pill` it stands out from what is around it. */
export function Badge({
  tone,
  pill = false,
  children,
}: {
  tone: Tone;
  pill?: boolean;
  children: ReactNode;
}): ReactNode {
  return (
    <span className={`badge ${tone}${pill ? ' pill' : ''}`}>
      <svg viewBox="0 0 12 12" aria-hidden="true">
        {shapes[tone]}
      </svg>
      {children}
    </span>
  );
}

const statuses: Readonly<Record<RunStatus, [Tone, keyof Texts]>> = {
  completed: ['good', 'statusCompleted'],
  revised: ['good', 'statusRevised'],
  needs_more_evidence: ['warn', 'statusNeedsEvidence'],
  awaiting_approval: ['warn', 'statusAwaiting'],
  stopped: ['warn', 'statusStopped'],
  failed: ['bad', 'statusFailed'],
  cancelled: ['plain', 'statusCancelled'],
  running: ['active', 'statusRunning'],
  interrupted: ['warn', 'statusInterrupted'],
  parked: ['warn', 'statusParked'],
};

export const allStatuses: readonly RunStatus[] = Object.keys(statuses) as RunStatus[];

export function statusTone(status: RunStatus): Tone {
  return statuses[status][0];
}

export function statusText(status: RunStatus, t: Texts): string {
  return t[statuses[status][1]];
}

export function StatusBadge({ status, pill = false }: { status: RunStatus; pill?: boolean }): ReactNode {
  const t = useTexts();
  return (
    <Badge tone={statusTone(status)} pill={pill}>
      {statusText(status, t)}
    </Badge>
  );
}

export const verdictBadges: Readonly<Record<Verdict, [Tone, keyof Texts]>> = {
  pass: ['good', 'verdictPass'],
  revise: ['warn', 'verdictRevise'],
  fail: ['bad', 'verdictFail'],
  unchecked: ['plain', 'verdictUnchecked'],
};

export function VerdictBadge({ verdict }: { verdict: Verdict }): ReactNode {
  const t = useTexts();
  const [tone, key] = verdictBadges[verdict];
  return <Badge tone={tone}>{t[key]}</Badge>;
}
