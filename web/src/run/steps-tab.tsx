import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { stepsQuery, useCanRun } from '../api/queries.ts';
import type { StepView } from '../api/shapes.ts';
import { useTexts } from '../i18n/i18n.tsx';
import { Loaded } from '../parts/problem-note.tsx';
import { When } from '../parts/when.tsx';
import { ForkDialog } from './fork-dialog.tsx';
import { useShownRun } from './run-context.ts';

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
          {steps.length === 0 && <p className="quiet">{t.noSteps}</p>}
          <div className="scroll-x">
            <table className="table">
              <thead>
                <tr>
                  <th scope="col" className="number">
                    #
                  </th>
                  <th scope="col">{t.step}</th>
                  <th scope="col">{t.observation}</th>
                  <th scope="col">{t.started}</th>
                  {canFork && <th scope="col">{t.fork}</th>}
                </tr>
              </thead>
              <tbody>
                {steps.map((step) => (
                  <tr key={step.seq}>
                    <td className="number numbers">{step.seq}</td>
                    <td>
                      <span className="mono">{[step.path, step.name].filter(Boolean).join('/')}</span>{' '}
                      <span className="quiet">{step.kind}</span>
                    </td>
                    <td className="mono">{step.observation}</td>
                    <td>
                      <When at={step.at} precise />
                    </td>
                    {canFork && (
                      <td>
                        <button type="button" className="button small" onClick={() => setForking(step)}>
                          {t.fork}
                        </button>
                      </td>
                    )}
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
          {forking && <ForkDialog run={run} from={{ seq: forking.seq }} onClose={() => setForking(undefined)} />}
        </>
      )}
    </Loaded>
  );
}
