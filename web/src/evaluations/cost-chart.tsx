import { type ReactNode, useMemo } from 'react';
import { useTexts } from '../i18n/i18n.tsx';
import { percent } from '../parts/amounts.ts';
import { Badge } from '../parts/badge.tsx';
import { ScrollFrame } from '../parts/scroll-frame.tsx';
import { useWidth } from '../parts/use-width.ts';
import type { CostPoint, Costs } from './evaluation-shapes.ts';
import { amountText, shareText } from './figures.ts';
import { costScale, linearScale, type Scale } from './scale.ts';

const height = 380;
const margin = { top: 14, right: 16, bottom: 42, left: 48 };

/** What success costs: a picture, and the same as a table. */
export function CostChart({ costs }: { costs: Costs }): ReactNode {
  const t = useTexts();
  const [frame, width] = useWidth<HTMLDivElement>(600);
  if (costs.points.length === 0) return null;
  return (
    <section className="stack" aria-label={t.costAgainstSuccess}>
      <h2>{t.costAgainstSuccess}</h2>
      <p className="quiet">{t.frontierHelp}</p>
      <div className="cost-columns">
        <div ref={frame}>
          <Plot costs={costs} width={width} />
        </div>
        <CostTable costs={costs} />
      </div>
    </section>
  );
}

function Plot({ costs: { unit, points }, width }: { costs: Costs; width: number }): ReactNode {
  const t = useTexts();
  const x = useMemo(
    () =>
      costScale(
        points.flatMap(({ cost }) => [cost.value, cost.low, cost.high].filter((value) => value !== null)),
        [margin.left, Math.max(margin.left + 60, width - margin.right)],
      ),
    [points, width],
  );
  const y = linearScale({ domain: [lowestOf(points), 1], range: [height - margin.bottom, margin.top] });
  const frontier = points
    .filter((point) => point.frontier)
    .sort((a, b) => (a.cost.value ?? 0) - (b.cost.value ?? 0))
    .map(({ cost, success }) => `${x.at(cost.value ?? 0)},${y.at(success.rate ?? 0)}`);
  return (
    <svg className="plot" width={width} height={height} role="img" aria-label={t.costChartLabel}>
      <Axes x={x} y={y} width={width} unit={unit} />
      <polyline className="frontier" points={frontier.join(' ')} />
      {points.map((point) => (
        <PointMark key={point.configuration} point={point} x={x} y={y} />
      ))}
    </svg>
  );
}

/** The axis begins at the fifth below what is shown: the points need the room, and nothing is a bar here. */
function lowestOf(points: readonly CostPoint[]): number {
  const lowest = Math.min(1, ...points.flatMap(({ success: { low, rate } }) => low ?? rate ?? []));
  return Math.floor(lowest * 5) / 5;
}

function Axes({ x, y, width, unit }: { x: Scale; y: Scale; width: number; unit: Costs['unit'] }): ReactNode {
  const t = useTexts();
  const bottom = height - margin.bottom;
  return (
    <g>
      {y.ticks.map((tick) => (
        <g key={tick}>
          <line className="grid" x1={margin.left} x2={width - margin.right} y1={y.at(tick)} y2={y.at(tick)} />
          <text x={margin.left - 6} y={y.at(tick) + 4} textAnchor="end">
            {percent(tick).replace('.0', '')}
          </text>
        </g>
      ))}
      {x.ticks.map((tick) => (
        <g key={tick}>
          <line className="grid" x1={x.at(tick)} x2={x.at(tick)} y1={margin.top} y2={bottom} />
          <text x={x.at(tick)} y={bottom + 16} textAnchor="middle">
            {amountText(tick, unit)}
          </text>
        </g>
      ))}
      <text className="label" x={(margin.left + width - margin.right) / 2} y={height - 6} textAnchor="middle">
        {unit === 'usd' ? t.costPerRun : t.tokensPerRun} →
      </text>
    </g>
  );
}

function PointMark({ point, x, y }: { point: CostPoint; x: Scale; y: Scale }): ReactNode {
  const { cost, success, frontier, number } = point;
  if (cost.value === null || success.rate === null) return null;
  const [left, top] = [x.at(cost.value), y.at(success.rate)];
  return (
    <g className={frontier ? 'point best' : 'point'}>
      {success.low !== null && success.high !== null && (
        <line className="error" x1={left} x2={left} y1={y.at(success.low)} y2={y.at(success.high)} />
      )}
      {cost.low !== null && cost.high !== null && (
        <line className="error" x1={x.at(cost.low)} x2={x.at(cost.high)} y1={top} y2={top} />
      )}
      {frontier ? (
        <circle className="shape" cx={left} cy={top} r="9" />
      ) : (
        <rect className="shape" x={left - 8} y={top - 8} width="16" height="16" />
      )}
      <text x={left} y={top + 4} textAnchor="middle">
        {number}
      </text>
    </g>
  );
}

function CostTable({ costs: { unit, points } }: { costs: Costs }): ReactNode {
  const t = useTexts();
  return (
    <ScrollFrame label={t.costAgainstSuccess}>
      <table className="table">
        <thead>
          <tr>
            <th scope="col" className="number">
              #
            </th>
            <th scope="col">{t.configuration}</th>
            <th scope="col" className="number">
              {unit === 'usd' ? t.costPerRun : t.tokensPerRun}
            </th>
            <th scope="col" className="number">
              {t.success}
            </th>
          </tr>
        </thead>
        <tbody>
          {points.map(({ number, configuration, cost, success, frontier }) => (
            <tr key={configuration}>
              <td className="number numbers">{number}</td>
              <th scope="row">
                <span className="name">{configuration}</span> {frontier && <Badge tone="good">{t.frontier}</Badge>}
              </th>
              <td className="number numbers">{amountText(cost.value, unit)}</td>
              <td className="number numbers">{shareText(success)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollFrame>
  );
}
