/** The charts with a row for each configuration. */
import type * as Plot from '@observablehq/plot';
import type { Share } from '../evaluation.ts';
import type { MechanismVerdict } from '../findings.ts';
import { type Library, literal, longestName, narrow, rateDomain } from './chart-library.ts';
import { count, percent, shareText } from './figures.ts';
import { verdictWords } from './finding-words.ts';
import type { LayerRow } from './report-facts.ts';
import { shownLine } from './shown-text.ts';

const characterWidth = 6.8;
/** Characters that are as wide as they are high. */
const wide = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60]/g;

/** A rung of the ladder. */
export interface Rung {
  configuration: string;
  success: Share;
  /** What a success costs, in words. */
  cost: string;
  /** What was found about the mechanism it adds; undefined for the lowest. */
  verdict?: MechanismVerdict['verdict'] | undefined;
}

/** What stands on a bar, beside its colour. */
export const layerCodes: Record<LayerRow['layer'], string> = {
  decompose: 'De',
  search: 'Se',
  act: 'Ac',
  verify: 'Ve',
  memory: 'Me',
  model: 'Mo',
  environment: 'En',
};

/** The success of each rung, with what it costs and what was found. */
export function ladderOptions(library: Library, rungs: readonly Rung[], width: number): Plot.PlotOptions {
  const { line, ruleY, dot, text } = library;
  const names = rungs.map(({ configuration }) => configuration);
  const at = { x: (rung: Rung) => rung.success.rate, y: (rung: Rung) => rung.configuration };
  const isNarrow = width < narrow;
  const said = ({ success, cost, verdict }: Rung): string =>
    [...(isNarrow ? [] : [shareText(success)]), cost, verdict ? verdictWords[verdict] : 'start'].join('  ·  ');
  return {
    ...rowLayout(names, { width, marginRight: isNarrow ? 14 : pixelsOf(rungs.map(said)) + 20, padding: 0.5 }),
    x: {
      domain: rateDomain(rungs.map(({ success }) => success)),
      label: 'Success →',
      labelAnchor: 'center',
      tickFormat: (rate: number) => percent(rate, 0),
      grid: true,
      ticks: isNarrow ? 4 : 6,
    },
    symbol: { domain: ['start', 'keep', 'drop', 'not-enough-data'], range: ['square', 'triangle', 'times', 'circle'] },
    marks: [
      ...nameMarks(library, names, isNarrow),
      line(rungs, { ...at, stroke: 'var(--interval)', strokeDasharray: '2 3' }),
      ruleY(rungs, {
        y: at.y,
        x1: ({ success }) => success.low,
        x2: ({ success }) => success.high,
        stroke: 'var(--accent)',
        strokeWidth: 3,
        strokeOpacity: 0.45,
      }),
      dot(rungs, {
        ...at,
        r: 5.5,
        symbol: (rung: Rung) => rung.verdict ?? 'start',
        fill: literal((rung: Rung) => (rung.verdict === 'not-enough-data' ? 'var(--surface)' : 'var(--accent)')),
        stroke: 'var(--accent)',
        strokeWidth: 2,
        title: ({ configuration, success }) => `${shownLine(configuration, longestName)}: ${shareText(success)}`,
      }),
      text(rungs, {
        y: at.y,
        text: said,
        frameAnchor: 'right',
        textAnchor: isNarrow ? 'end' : 'start',
        dx: isNarrow ? 0 : 14,
        dy: isNarrow ? -15 : 0,
        fill: 'var(--text)',
        stroke: 'var(--surface)',
        strokeWidth: 4,
      }),
    ],
  };
}

export interface LayerChart {
  rows: readonly LayerRow[];
  configurations: readonly string[];
  width: number;
}

/** Failures stacked by layer. */
export function layerOptions(library: Library, { rows, configurations, width }: LayerChart): Plot.PlotOptions {
  const { barX, text, stackX } = library;
  const bars = rows.flatMap(({ layer, byConfiguration }) =>
    [...byConfiguration].map(([configuration, failures]) => ({ layer, configuration, failures })),
  );
  const totals = Map.groupBy(bars, ({ configuration }) => configuration);
  const most = Math.max(...[...totals.values()].map((parts) => parts.reduce((sum, { failures }) => sum + failures, 0)));
  const layers = rows.map(({ layer }) => layer);
  const isNarrow = width < narrow;
  const layout = rowLayout(configurations, { width, marginRight: 16, padding: isNarrow ? 0 : 0.2 });
  const room = (width - layout.marginLeft - layout.marginRight) / most;
  const label = ({ layer, failures }: (typeof bars)[number]): string => {
    if (failures * room > 40) return `${layerCodes[layer]} ${count(failures)}`;
    return failures * room > 19 ? layerCodes[layer] : '';
  };
  const at = { x: 'failures', y: 'configuration', z: 'layer', order: layers } as const;
  return {
    ...layout,
    x: {
      label: 'Failed runs →',
      grid: true,
      ticks: isNarrow ? 4 : 8,
      tickFormat: (value: number) => (Number.isInteger(value) ? count(value) : ''),
    },
    color: { type: 'ordinal', domain: layers, range: layers.map((layer) => `var(--${layer})`) },
    marks: [
      ...nameMarks(library, configurations, isNarrow),
      barX(bars, {
        ...at,
        fill: 'layer',
        stroke: 'var(--surface)',
        insetTop: isNarrow ? 20 : 0,
        insetBottom: isNarrow ? 6 : 0,
        title: ({ layer, configuration, failures }) =>
          `${shownLine(configuration, longestName)}, ${layer}: ${count(failures)}`,
      }),
      text(
        bars,
        stackX({
          ...at,
          text: label,
          fill: literal(({ layer }) => `var(--on-${layer})`),
          dy: isNarrow ? 7 : 0,
          fontWeight: 600,
          pointerEvents: 'none',
        }),
      ),
    ],
  };
}

/** About how many pixels the longest of the texts takes. */
function pixelsOf(texts: readonly string[]): number {
  const characters = texts.map((text) => text.length + 0.8 * (text.match(wide)?.length ?? 0));
  return Math.ceil(Math.max(...characters) * characterWidth);
}

/** Where rows with names are drawn: one below the other in the given order. */
function rowLayout(names: readonly string[], rows: { width: number; marginRight: number; padding: number }) {
  const { width, marginRight, padding } = rows;
  const isNarrow = width < narrow;
  return {
    width,
    height: names.length * (isNarrow ? 46 : 30) + 60,
    marginLeft: isNarrow ? 14 : pixelsOf(names.map((name) => shownLine(name, longestName))) + 18,
    marginRight,
    marginTop: isNarrow ? 16 : 8,
    marginBottom: 38,
    y: { domain: names, axis: null, padding },
  } as const;
}

function nameMarks({ text }: Library, names: readonly string[], isNarrow: boolean): Plot.Markish[] {
  const shown = {
    y: (name: string) => name,
    text: (name: string) => shownLine(name, longestName),
    frameAnchor: 'left',
  } as const;
  return [
    isNarrow
      ? text(names, { ...shown, textAnchor: 'start', dy: -15, fontWeight: 600 })
      : text(names, { ...shown, textAnchor: 'end', dx: -12 }),
  ];
}
