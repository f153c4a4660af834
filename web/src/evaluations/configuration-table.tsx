import type { ReactNode } from 'react';
import type { Texts } from '../i18n/english.ts';
import { useTexts } from '../i18n/i18n.tsx';
import { percent } from '../parts/amounts.ts';
import { Badge, type Tone } from '../parts/badge.tsx';
import { ScrollFrame } from '../parts/scroll-frame.tsx';
import type { Comparison, ConfigurationMetrics, EvaluationReport } from './evaluation-shapes.ts';
import { amountText, intervalText, pointsText, ratioText, timeText } from './figures.ts';
import { IntervalAxis, IntervalMark } from './interval-mark.tsx';

const findings: Readonly<Record<Comparison['finding'], [Tone, keyof Texts]>> = {
  better: ['good', 'findingBetter'],
  worse: ['bad', 'findingWorse'],
  noise: ['plain', 'findingNoise'],
};

/** Every configuration with the interval of its success; the picture stands in the table. */
export function ConfigurationTable({ report }: { report: EvaluationReport }): ReactNode {
  const t = useTexts();
  const { metrics, comparisons, header, costs } = report;
  return (
    <section className="stack" aria-label={t.configurations}>
      <h2>{t.configurations}</h2>
      <p className="quiet">{t.intervalHelp}</p>
      <ScrollFrame label={t.configurations}>
        <table className="table">
          <thead>
            <tr>
              <th scope="col">{t.configuration}</th>
              <th scope="col" className="interval-cell">
                <span className="visually-hidden">{t.interval}</span>
                <IntervalAxis />
              </th>
              <th scope="col" className="number">
                {t.success}
              </th>
              <th scope="col">{t.againstBaseline}</th>
              <th scope="col" className="number">
                {t.silentFailures}
              </th>
              <th scope="col" className="number">
                {costs.unit === 'usd' ? t.costPerSuccess : t.tokensPerSuccess}
              </th>
              <th scope="col" className="number">
                {t.p95Time}
              </th>
            </tr>
          </thead>
          <tbody>
            {metrics.map((row) => (
              <Row
                key={row.configuration}
                row={row}
                unit={costs.unit}
                comparison={comparisons.find(({ b }) => b === row.configuration)}
                isSubject={row.configuration === header.subject}
                isBaseline={row.configuration === header.baseline}
              />
            ))}
          </tbody>
        </table>
      </ScrollFrame>
    </section>
  );
}

interface RowProps {
  row: ConfigurationMetrics;
  unit: 'usd' | 'tokens';
  comparison: Comparison | undefined;
  isSubject: boolean;
  isBaseline: boolean;
}

function Row({ row, unit, comparison, isSubject, isBaseline }: RowProps): ReactNode {
  const t = useTexts();
  const { configuration, success, silentFailures, usdPerSuccess, tokensPerSuccess, p95LatencyMs } = row;
  return (
    <tr>
      <th scope="row">
        <span className="name">{configuration}</span> {isSubject && <span className="chip">{t.subject}</span>}
        {isBaseline && <span className="chip">{t.baseline}</span>}
      </th>
      <td className="interval-cell">
        <IntervalMark share={success} isSubject={isSubject} />
      </td>
      <td className="number numbers">
        <strong>{percent(success.rate)}</strong>
        <div className="quiet">{intervalText(success)}</div>
        <div className="quiet">
          {success.count} / {success.of}
        </div>
      </td>
      <td>{comparison ? <Difference comparison={comparison} /> : '–'}</td>
      <td className="number numbers">{percent(silentFailures.rate)}</td>
      <td className="number numbers">{amountText(unit === 'usd' ? usdPerSuccess : tokensPerSuccess, unit)}</td>
      <td className="number numbers">{timeText(p95LatencyMs)}</td>
    </tr>
  );
}

/** What a configuration did against another, and what it took. */
export function Difference({ comparison }: { comparison: Comparison }): ReactNode {
  const t = useTexts();
  const [tone, key] = findings[comparison.finding];
  return (
    <>
      <Badge tone={tone}>{t[key]}</Badge>
      <div className="numbers">
        {pointsText(comparison.difference)} {t.points}
      </div>
      <div className="quiet numbers">
        {ratioText(comparison.costRatio)} {comparison.costUnit === 'usd' ? t.ratioCost : t.ratioTokens} ·{' '}
        {ratioText(comparison.latencyRatio)} {t.ratioTime}
      </div>
    </>
  );
}
