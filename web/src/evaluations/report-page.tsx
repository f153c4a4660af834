import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTexts } from '../i18n/i18n.tsx';
import { usePageTitle } from '../page-title.ts';
import { Badge } from '../parts/badge.tsx';
import { Loaded } from '../parts/problem-note.tsx';
import { UntrustedText } from '../parts/untrusted-text.tsx';
import { When } from '../parts/when.tsx';
import { ConfigurationTable } from './configuration-table.tsx';
import { CostChart } from './cost-chart.tsx';
import { evaluationQuery } from './evaluation-queries.ts';
import { type EvaluationReport, standIns } from './evaluation-shapes.ts';
import { FailedRuns } from './failed-runs.tsx';
import { FailureLayers } from './failure-layers.tsx';
import { LadderTable } from './ladder-table.tsx';
import './evaluations.css';

/** The report on an evaluation. */
export function ReportPage(): ReactNode {
  const { suite, id } = useParams({ from: '/evaluations/$suite/$id' });
  usePageTitle(suite);
  return <Loaded query={useQuery(evaluationQuery(suite, id))}>{(report) => <Report report={report} />}</Loaded>;
}

function Report({ report }: { report: EvaluationReport }): ReactNode {
  return (
    <div className="report">
      <Head report={report} />
      <Criteria report={report} />
      <ConfigurationTable report={report} />
      <CostChart costs={report.costs} />
      {report.ablation && <LadderTable ablation={report.ablation} />}
      <FailureLayers layers={report.layers} />
      <FailedRuns report={report} />
    </div>
  );
}

function Head({ report }: { report: EvaluationReport }): ReactNode {
  const t = useTexts();
  const { header, planned, metrics, models } = report;
  const done = metrics.reduce((sum, { runs }) => sum + runs, 0);
  const replaced = standIns(report);
  return (
    <header className="stack">
      <p>
        <Link to="/evaluations">{t.evaluations}</Link>
      </p>
      <h1>{header.suite}</h1>
      {header.description !== undefined && (
        <p>
          <UntrustedText text={header.description} most={800} />
        </p>
      )}
      {replaced.length > 0 && (
        <p className="note warn">
          <Badge tone="warn">{t.standIns}</Badge>
          <span>
            {t.standInsHelp} {replaced.map(({ id, source }) => `${id} (${source})`).join(', ')}
          </span>
        </p>
      )}
      <dl className="facts">
        <div>
          <dt>{t.started}</dt>
          <dd>
            <When at={header.began} />
          </dd>
        </div>
        {[
          [t.tasksShort, header.tasks],
          [t.repeats, header.repeats],
          [t.runs, done === planned ? done : `${done} / ${planned}`],
          [t.models, models.map(({ id, source }) => `${id} (${source})`).join(', ')],
        ].map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {header.ended === undefined && <p className="note warn">{t.notEnded}</p>}
    </header>
  );
}

/** What was asked of the configuration under test before the first run. */
function Criteria({ report: { criteria, header } }: { report: EvaluationReport }): ReactNode {
  const t = useTexts();
  if (criteria.length === 0) return null;
  return (
    <section className="stack" aria-label={t.criteria}>
      <h2>
        {t.criteria} <span className="quiet">{header.subject}</span>
      </h2>
      <ul className="stack">
        {criteria.map(({ label, wanted, found, met }) => (
          <li key={label} className="row">
            <Badge tone={met ? 'good' : 'bad'}>{met ? t.criterionMet : t.criterionMissed}</Badge>
            <span>
              {label}: {wanted}, {t.found} {found}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
