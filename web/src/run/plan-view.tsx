import { type ReactNode, useMemo } from 'react';
import type { RunEvent } from '../api/shapes.ts';
import { useTexts } from '../i18n/i18n.tsx';
import { Badge } from '../parts/badge.tsx';
import { UntrustedText } from '../parts/untrusted-text.tsx';
import { planOf, stepStates } from './plan-state.ts';

const narrow = matchMedia('(max-width: 980px)');

/** The plan with the state of each step. Where there is little room it is closed at first. */
export function PlanView({ events }: { events: readonly RunEvent[] }): ReactNode {
  const t = useTexts();
  const plan = useMemo(() => planOf(events), [events]);
  if (!plan) return null;
  const done = plan.steps.filter(({ status }) => status === 'done' || status === 'skipped').length;
  return (
    <details className="panel plan" open={!narrow.matches}>
      <summary>
        <h2>{t.plan}</h2>
        <span className="quiet numbers">
          {done} / {plan.steps.length}
        </span>
      </summary>
      <p>
        <UntrustedText text={plan.goal} most={500} />
      </p>
      {plan.givens.length > 0 && (
        <dl className="facts" aria-label={t.givens}>
          {plan.givens.map(({ name, value }) => (
            <div key={name}>
              <dt>
                <UntrustedText text={name} most={100} />
              </dt>
              <dd>
                <UntrustedText text={value} most={100} />
              </dd>
            </div>
          ))}
        </dl>
      )}
      <ol className="plan-steps">
        {plan.steps.map(({ id, objective, successCondition, status, result }) => (
          <li key={id}>
            <div>
              <UntrustedText text={objective} most={400} />
            </div>
            <Badge tone={stepStates[status][0]}>{t[stepStates[status][1]]}</Badge>
            {(result ?? successCondition) !== '' && (
              <div className="quiet">
                <UntrustedText text={result ?? `${t.doneWhen}: ${successCondition}`} most={400} />
              </div>
            )}
          </li>
        ))}
      </ol>
    </details>
  );
}
