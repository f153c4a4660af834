import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTexts } from '../i18n/i18n.tsx';
import { usePageTitle } from '../page-title.ts';
import { percent } from '../parts/amounts.ts';
import { Loaded } from '../parts/problem-note.tsx';
import { ScrollFrame } from '../parts/scroll-frame.tsx';
import { When } from '../parts/when.tsx';
import { evaluationsQuery } from './evaluation-queries.ts';
import type { EvaluationSummary } from './evaluation-shapes.ts';
import { intervalText } from './figures.ts';
import { IntervalMark } from './interval-mark.tsx';
import './evaluations.css';

/** The evaluations, newest first. */
export function EvaluationsPage(): ReactNode {
  const t = useTexts();
  usePageTitle(t.evaluations);
  return (
    <>
      <div className="page-head">
        <h1>{t.evaluations}</h1>
      </div>
      <Loaded query={useQuery(evaluationsQuery)}>
        {(evaluations) =>
          evaluations.length === 0 ? (
            <p className="quiet">{t.noEvaluations}</p>
          ) : (
            <EvaluationTable evaluations={evaluations} />
          )
        }
      </Loaded>
    </>
  );
}

function EvaluationTable({ evaluations }: { evaluations: readonly EvaluationSummary[] }): ReactNode {
  const t = useTexts();
  return (
    <ScrollFrame label={t.evaluations}>
      <table className="table">
        <thead>
          <tr>
            <th scope="col">{t.suite}</th>
            <th scope="col">{t.underTest}</th>
            <th scope="col" className="number">
              {t.success}
            </th>
            <th scope="col" className="interval-cell">
              <span className="visually-hidden">{t.interval}</span>
            </th>
            <th scope="col" className="number">
              {t.tasksShort}
            </th>
            <th scope="col" className="number">
              {t.repeats}
            </th>
            <th scope="col" className="number">
              {t.configurations}
            </th>
            <th scope="col">{t.started}</th>
          </tr>
        </thead>
        <tbody>
          {evaluations.map((evaluation) => (
            <Row key={`${evaluation.suite} ${evaluation.id}`} evaluation={evaluation} />
          ))}
        </tbody>
      </table>
    </ScrollFrame>
  );
}

function Row({ evaluation }: { evaluation: EvaluationSummary }): ReactNode {
  const t = useTexts();
  const { suite, id, subject, success, tasks, repeats, configurations, began, ended } = evaluation;
  return (
    <tr>
      <th scope="row">
        <Link to="/evaluations/$suite/$id" params={{ suite, id }}>
          {suite}
        </Link>
        {ended === undefined && <div className="quiet">{t.notEndedShort}</div>}
      </th>
      <td>{subject}</td>
      <td className="number numbers">
        {success ? (
          <>
            {percent(success.rate)}
            <div className="quiet">{intervalText(success)}</div>
          </>
        ) : (
          '–'
        )}
      </td>
      <td className="interval-cell">{success && <IntervalMark share={success} isSubject={false} />}</td>
      <td className="number numbers">{tasks}</td>
      <td className="number numbers">{repeats}</td>
      <td className="number numbers">{configurations}</td>
      <td>
        <When at={began} />
      </td>
    </tr>
  );
}
