import type * as Plot from '@observablehq/plot';
import { type Library, literal, longestName, narrow, rateDomain } from './chart-library.ts';
import { count, money, percent, shareText } from './figures.ts';
import type { CostPoint, CostUnit } from './report-facts.ts';
import { shownLine } from './shown-text.ts';

export interface CostChart {
  points: readonly CostPoint[];
  unit: CostUnit;
  width: number;
}

/** Success over the cost of a run, both with intervals; a number names a configuration. */
export function costOptions(library: Library, { points, unit, width }: CostChart): Plot.PlotOptions {
  const shown = unit === 'usd' ? money : count;
  const scale = costScale(points);
  return {
    width,
    height: width < narrow ? 330 : 470,
    marginLeft: 44,
    marginRight: 22,
    marginBottom: 40,
    x: {
      ...scale,
      label: `${unit === 'usd' ? 'USD' : 'Tokens'} a run, mean →`,
      labelAnchor: 'right',
      ticks: costTicks(scale, width < narrow ? 4 : 8),
      tickFormat: shown,
      grid: true,
    },
    y: {
      label: '↑ Success',
      tickFormat: (rate: number) => percent(rate, 0),
      ticks: 6,
      grid: true,
      domain: rateDomain(points.map(({ success }) => success)),
    },
    marks: costMarks(library, points, shown),
  };
}

function costMarks(
  { line, ruleX, ruleY, dot, text }: Library,
  points: readonly CostPoint[],
  shown: (cost: number) => string,
): Plot.Markish[] {
  const at = { x: (point: CostPoint) => point.cost.value, y: (point: CostPoint) => point.success.rate };
  const frontier = points.filter((point) => point.frontier).sort((a, b) => a.cost.value - b.cost.value);
  const title = ({ configuration, cost, success }: CostPoint): string =>
    `${shownLine(configuration, longestName)}: ${shareText(success)} at ${shown(cost.value)} a run (${shown(cost.low)} to ${shown(cost.high)})`;
  return [
    line(frontier, {
      ...at,
      curve: 'step-after',
      stroke: 'var(--accent)',
      strokeDasharray: '5 4',
      strokeOpacity: 0.7,
    }),
    ruleX(points, {
      x: at.x,
      y1: ({ success }) => success.low,
      y2: ({ success }) => success.high,
      stroke: 'var(--interval)',
      strokeWidth: 1.5,
    }),
    ruleY(points, {
      y: at.y,
      x1: ({ cost }) => cost.low,
      x2: ({ cost }) => cost.high,
      stroke: 'var(--interval)',
      strokeWidth: 1.5,
    }),
    dot(points, {
      ...at,
      r: 9,
      fill: literal((point: CostPoint) => (point.frontier ? 'var(--accent)' : 'var(--surface)')),
      stroke: 'var(--accent)',
      strokeWidth: 1.5,
      title,
    }),
    text(points, {
      ...at,
      text: (point: CostPoint) => String(point.number),
      fill: literal((point: CostPoint) => (point.frontier ? 'var(--on-accent)' : 'var(--text)')),
      fontSize: 10.5,
      fontWeight: 700,
      pointerEvents: 'none',
    }),
  ];
}

interface CostScale {
  type: 'log' | 'linear';
  domain: [low: number, high: number];
}

/** Logarithmic where costs differ so much that the small ones would lie on one another. */
function costScale(points: readonly CostPoint[]): CostScale {
  const low = Math.min(...points.map(({ cost }) => cost.low));
  const high = Math.max(...points.map(({ cost }) => cost.high));
  if (low > 0 && high > 6 * low) return { type: 'log', domain: [low * 0.85, high * 1.18] };
  return { type: 'linear', domain: [0, high * 1.06 || 1] };
}

/** Round costs in the range, so few that their labels do not touch. */
function costTicks({ type, domain: [low, high] }: CostScale, most: number): number[] | number {
  if (type === 'linear') return Math.ceil(most / 2);
  for (const digits of [[1, 2, 5], [1, 3], [1]]) {
    const ticks: number[] = [];
    for (let power = Math.floor(Math.log10(low)); power <= Math.log10(high); power += 1)
      ticks.push(...digits.map((digit) => digit * 10 ** power).filter((tick) => tick >= low && tick <= high));
    if (ticks.length <= most && ticks.length > 1) return ticks;
  }
  return [low, high];
}
