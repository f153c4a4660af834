import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense, useMemo } from 'react';
import { runQuery } from '../api/queries.ts';
import type { RunView } from '../api/shapes.ts';
import { useTexts } from '../i18n/i18n.tsx';
import { usePageTitle } from '../page-title.ts';
import { StatusBadge, VerdictBadge } from '../parts/badge.tsx';
import { Loaded } from '../parts/problem-note.tsx';
import { ScrollFrame } from '../parts/scroll-frame.tsx';
import { UntrustedText } from '../parts/untrusted-text.tsx';
import { CallTable } from './call-table.tsx';
import { ClaimTable } from './claim-table.tsx';
import type { ComparedRuns } from './compared-runs.ts';
import { comparedFigures } from './figures.ts';
import { PlanTable } from './plan-table.tsx';
import { RunPicker } from './run-picker.tsx';
import './compare.css';

const TextDiff = lazy(() => import('../evidence/text-diff.tsx').then(({ TextDiff: view }) => ({ default: view })));

/** Two runs side by side. */
export function ComparePage(): ReactNode {
  const t = useTexts();
  const { a, b } = useSearch({ from: '/compare' });
  const navigate = useNavigate({ from: '/compare' });
  usePageTitle(t.compare);
  return (
    <>
      <div className="page-head">
        <h1>{t.compareTitle}</h1>
        {a !== undefined && b !== undefined && (
          <div className="row">
            <Link to="/compare" search={{ a }} className="button">
              {t.otherRun}
            </Link>
            <Link to="/compare" search={{ a: b, b: a }} className="button">
              {t.swap}
            </Link>
          </div>
        )}
      </div>
      {a === undefined && (
        <RunPicker
          title={t.firstRun}
          without={b}
          onChoose={(id) => void navigate({ search: { a: id, ...(b && { b }) } })}
        />
      )}
      {a !== undefined && b === undefined && (
        <RunPicker title={t.secondRun} without={a} onChoose={(id) => void navigate({ search: { a, b: id } })} />
      )}
      {a !== undefined && b !== undefined && <Pair key={`${a} ${b}`} a={a} b={b} />}
    </>
  );
}

function Pair({ a, b }: { a: string; b: string }): ReactNode {
  const [left, right] = [useQuery(runQuery(a)), useQuery(runQuery(b))];
  return (
    <Loaded query={left}>
      {(one) => <Loaded query={right}>{(other) => <Compared left={one} right={other} />}</Loaded>}
    </Loaded>
  );
}

function Compared({ left, right }: ComparedRuns): ReactNode {
  return (
    <div className="compared">
      <FigureTable left={left} right={right} />
      <Answers left={left} right={right} />
      <ClaimTable left={left} right={right} />
      <PlanTable left={left} right={right} />
      <CallTable left={left} right={right} />
    </div>
  );
}

function FigureTable({ left, right }: ComparedRuns): ReactNode {
  const t = useTexts();
  const figures = useMemo(() => comparedFigures(left, right, t), [left, right, t]);
  return (
    <ScrollFrame label={t.figures}>
      <table className="table side-by-side">
        <thead>
          <tr>
            <td />
            <HeadCell run={left} name="A" />
            <HeadCell run={right} name="B" />
            <th scope="col" className="number">
              B / A
            </th>
          </tr>
        </thead>
        <tbody>
          <tr>
            <th scope="row">{t.configuration}</th>
            <td>{left.configuration ?? left.agent}</td>
            <td>{right.configuration ?? right.agent}</td>
            <td />
          </tr>
          <tr>
            <th scope="row">{t.verdict}</th>
            <td>
              <LastVerdict run={left} />
            </td>
            <td>
              <LastVerdict run={right} />
            </td>
            <td />
          </tr>
          {figures.map(({ name, left: one, right: other, ratio }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td className="numbers">{one}</td>
              <td className="numbers">{other}</td>
              <td className="number numbers">{ratio}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollFrame>
  );
}

function HeadCell({ run, name }: { run: RunView; name: string }): ReactNode {
  return (
    <th scope="col" className="run-cell">
      <div className="row">
        {name} <StatusBadge status={run.status} />
        <Link to="/runs/$runId" params={{ runId: run.id }} className="mono">
          {run.id.slice(0, 8)}
        </Link>
      </div>
      <div>
        <UntrustedText text={run.task.input} most={240} />
      </div>
    </th>
  );
}

function LastVerdict({ run }: { run: RunView }): ReactNode {
  const report = run.result?.attempt.reports.at(-1);
  return report ? <VerdictBadge verdict={report.verdict} /> : '–';
}

function Answers({ left, right }: ComparedRuns): ReactNode {
  const t = useTexts();
  const [before, after] = [left.answer ?? '', right.answer ?? ''];
  return (
    <section className="stack" aria-label={t.answer}>
      <h2>{t.answer}</h2>
      {before === after ? (
        <>
          <p className="quiet">{t.sameAnswer}</p>
          <p>
            <UntrustedText text={before} />
          </p>
        </>
      ) : (
        <>
          <p className="quiet">{t.differenceHelp}</p>
          <div className="panel">
            <Suspense fallback={<p className="quiet">{t.loading}</p>}>
              <TextDiff before={before} after={after} label={t.answer} />
            </Suspense>
          </div>
        </>
      )}
    </section>
  );
}
