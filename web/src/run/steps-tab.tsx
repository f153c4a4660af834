import { useQuery } from '@tanstack/react-query';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { stepsQuery, useCanRun } from '../api/queries.ts';
import type { StepView } from '../api/shapes.ts';
import type { Texts } from '../i18n/english.ts';
import { useTexts } from '../i18n/i18n.tsx';
import { secondsSince } from '../parts/amounts.ts';
import { Badge } from '../parts/badge.tsx';
import { Icon, type IconName } from '../parts/icons.tsx';
import { Loaded } from '../parts/problem-note.tsx';
import { UntrustedLine } from '../parts/untrusted-text.tsx';
import { useShownRun } from './run-context.ts';
import './steps.css';

const ForkDialog = lazy(() => import('./fork-dialog.tsx').then(({ ForkDialog: view }) => ({ default: view })));

/** The journal: each recorded step, from which another run can go on. */
export function StepsTab(): ReactNode {
  const t = useTexts();
  const { run } = useShownRun();
  const [forking, setForking] = useState<StepView>();
  const canFork = useCanRun();
  return (
    <Loaded query={useQuery(stepsQuery(run.id))}>
      {(steps) => (
        <>
          <p className="quiet">{steps.length === 0 ? t.noSteps : t.stepsHelp}</p>
          {steps.length > 0 && (
            <table className="table steps">
              <thead>
                <tr>
                  <th scope="col" className="number">
                    #
                  </th>
                  <th scope="col">{t.step}</th>
                  <th scope="col">{t.observation}</th>
                  <th scope="col" className="number">
                    {t.started}
                  </th>
                  {canFork && (
                    <th scope="col">
                      <span className="visually-hidden">{t.fork}</span>
                    </th>
                  )}
                </tr>
              </thead>
              <tbody>
                {steps.map((step) => (
                  <StepRow
                    key={step.seq}
                    step={step}
                    began={steps[0]?.at ?? step.at}
                    onFork={canFork ? () => setForking(step) : undefined}
                  />
                ))}
              </tbody>
            </table>
          )}
          {forking && (
            <Suspense>
              <ForkDialog run={run} from={{ seq: forking.seq }} onClose={() => setForking(undefined)} />
            </Suspense>
          )}
        </>
      )}
    </Loaded>
  );
}

const kinds: Readonly<Record<StepView['kind'], [IconName, keyof Texts]>> = {
  model: ['model', 'eventModel'],
  tool: ['tool', 'eventTool'],
  approval: ['approval', 'eventApproval'],
  other: ['other', 'eventOther'],
};

interface RowProps {
  step: StepView;
  began: number;
  onFork: (() => void) | undefined;
}

function StepRow({ step, began, onFork }: RowProps): ReactNode {
  const t = useTexts();
  const { seq, path, name, kind, observation, at, failed } = step;
  const [icon, key] = kinds[kind];
  return (
    <tr>
      <td className="number numbers quiet">{seq}</td>
      <td>
        <span className="what" title={t[key]}>
          <Icon name={icon} />
          <span className="mono">
            <UntrustedLine text={[path, name].filter(Boolean).join('/')} most={200} />
          </span>
          {failed && <Badge tone="bad">{t.statusFailed}</Badge>}
        </span>
      </td>
      <td className="mono">{observation}</td>
      <td className="number numbers quiet">{secondsSince(began, at)}</td>
      {onFork && (
        <td className="number">
          <button type="button" className="button small" aria-label={`${t.fork} #${seq}`} onClick={onFork}>
            {t.fork}
          </button>
        </td>
      )}
    </tr>
  );
}
