import { type ReactNode, useMemo } from 'react';
import type { RunEvent } from '../api/shapes.ts';
import type { Texts } from '../i18n/english.ts';
import { useTexts } from '../i18n/i18n.tsx';
import { Badge, type Tone } from '../parts/badge.tsx';
import { UntrustedText } from '../parts/untrusted-text.tsx';
import { planOf } from './plan-state.ts';

type StepStatus = NonNullable<ReturnType<typeof planOf>>['steps'][number]['status'];

const states: Readonly<Record<StepStatus, [Tone, keyof Texts]>> = {
  todo: ['plain', 'stepPending'],
  doing: ['active', 'stepActive'],
  done: ['good', 'stepDone'],
  failed: ['bad', 'stepFailed'],
  skipped: ['plain', 'stepSkipped'],
};

/** The plan with the state of each step. */
export function PlanView({ events }: { events: readonly RunEvent[] }): ReactNode {
  const t = useTexts();
  const plan = useMemo(() => planOf(events), [events]);
  if (!plan) return null;
  return (
    <section className="panel stack" aria-label={t.plan}>
      <h2>{t.plan}</h2>
      <p>
        <UntrustedText text={plan.goal} most={500} />
      </p>
      {plan.givens.length > 0 && (
        <dl className="facts">
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
            <Badge tone={states[status][0]}>{t[states[status][1]]}</Badge>
            <div>
              <UntrustedText text={objective} most={400} />
              {(result ?? successCondition) !== '' && (
                <div className="quiet">
                  <UntrustedText text={result ?? `${t.doneWhen}: ${successCondition}`} most={400} />
                </div>
              )}
            </div>
          </li>
        ))}
      </ol>
    </section>
  );
}
