import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { Texts } from '../i18n/english.ts';
import { useTexts } from '../i18n/i18n.tsx';
import { Badge, type Tone } from '../parts/badge.tsx';
import { ScrollFrame } from '../parts/scroll-frame.tsx';
import { UntrustedText } from '../parts/untrusted-text.tsx';
import { visibleText } from '../parts/visible-text.ts';
import type { EvaluationReport, FailedRun } from './evaluation-shapes.ts';
import { layerText } from './failure-layers.tsx';

const shownAtFirst = 25;

const outcomes: Readonly<Record<FailedRun['outcome'], [Tone, keyof Texts]>> = {
  success: ['good', 'outcomeRight'],
  failure: ['bad', 'outcomeWrong'],
  degraded: ['warn', 'outcomeDegraded'],
  broken: ['bad', 'outcomeBroken'],
  'not-run': ['plain', 'outcomeNotRun'],
};

/** The runs that came out wrong; each leads to what happened in it. */
export function FailedRuns({ report: { failed, header, metrics } }: { report: EvaluationReport }): ReactNode {
  const t = useTexts();
  const [configuration, setConfiguration] = useState('');
  const [shown, setShown] = useState(shownAtFirst);
  const wanted = failed.filter((row) => configuration === '' || row.configuration === configuration);
  return (
    <section className="stack" aria-label={t.failedRuns}>
      <div className="page-head">
        <h2>
          {t.failedRuns} <span className="quiet numbers">{wanted.length}</span>
        </h2>
        <select
          className="input configuration-filter"
          aria-label={t.configuration}
          value={configuration}
          onChange={(event) => setConfiguration(event.target.value)}
        >
          <option value="">{t.anyConfiguration}</option>
          {metrics.map(({ configuration: name }) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      </div>
      {wanted.length === 0 ? (
        <p className="quiet">{t.noFailedRuns}</p>
      ) : (
        <FailedTable rows={wanted.slice(0, shown)} suite={header.suite} id={header.id} />
      )}
      {wanted.length > shown && (
        <div>
          <button type="button" className="button small" onClick={() => setShown(shown + 4 * shownAtFirst)}>
            … {t.more} ({wanted.length - shown})
          </button>
        </div>
      )}
    </section>
  );
}

function FailedTable({ rows, suite, id }: { rows: readonly FailedRun[]; suite: string; id: string }): ReactNode {
  const t = useTexts();
  return (
    <ScrollFrame label={t.failedRuns}>
      <table className="table">
        <thead>
          <tr>
            <th scope="col">{t.task}</th>
            <th scope="col">{t.configuration}</th>
            <th scope="col">{t.outcome}</th>
            <th scope="col">{t.layer}</th>
            <th scope="col">{t.why}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.runId}>
              <th scope="row">
                <Link to="/evaluations/$suite/$id/run" params={{ suite, id }} search={{ run: row.runId }}>
                  {visibleText(row.task)}
                </Link>
                {row.repeat > 1 && <span className="quiet numbers"> #{row.repeat}</span>}
              </th>
              <td>{row.configuration}</td>
              <td>
                <Badge tone={outcomes[row.outcome][0]}>{t[outcomes[row.outcome][1]]}</Badge>
              </td>
              <td className="short">{row.layer === undefined ? '–' : layerText(row.layer, t)}</td>
              <td className="why">
                <UntrustedText text={row.why} most={300} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollFrame>
  );
}
