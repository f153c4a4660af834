/**
 * The charts of a report, drawn by Observable Plot into SVG.
 *
 * 1. Colours are the report's CSS variables, so that a chart is readable in light and dark.
 * 2. Colour never tells alone: a number, a symbol or a word does too.
 * 3. No style stands in a chart: the report's content security policy allows its own style sheet only.
 */
import type { PlotOptions } from '@observablehq/plot';
import type { Library } from './chart-library.ts';
import { costOptions } from './cost-chart.ts';
import type { CostPoint, CostUnit, LayerRow } from './report-facts.ts';
import { ladderOptions, layerOptions, type Rung } from './row-charts.ts';

/** Each chart at a width in pixels, as markup. */
export interface Charts {
  costAgainstSuccess(points: readonly CostPoint[], unit: CostUnit, width: number): string;
  ladder(rungs: readonly Rung[], width: number): string;
  failureLayers(rows: readonly LayerRow[], configurations: readonly string[], width: number): string;
}

/** What is used of an element; this program is compiled without the declarations of a browser. */
interface DrawnElement {
  readonly outerHTML: string;
  querySelectorAll(selector: string): Iterable<DrawnElement>;
  setAttribute(name: string, value: string): void;
  removeAttribute(name: string): void;
  remove(): void;
}

/** Loads the libraries, which takes longer than all else of a report. */
export async function loadCharts(): Promise<Charts> {
  // Named one by one: a bundler leaves the rest of the library out.
  const { plot, line, ruleX, ruleY, dot, text, barX, stackX } = await import('@observablehq/plot');
  const { parseHTML } = await import('linkedom');
  const { document } = parseHTML('<!doctype html><html><body></body></html>');
  const library: Library = { line, ruleX, ruleY, dot, text, barX, stackX };
  const draw = (label: string, options: PlotOptions): string =>
    markupOf(plot({ document, className: 'chart', ...options }), label);
  return {
    costAgainstSuccess: (points, unit, width) =>
      draw('Cost of a run against success', costOptions(library, { points, unit, width })),
    ladder: (rungs, width) =>
      draw('Success by rung of the ladder, with 95 % intervals', ladderOptions(library, rungs, width)),
    failureLayers: (rows, configurations, width) =>
      draw('Failures by layer and configuration', layerOptions(library, { rows, configurations, width })),
  };
}

/** The drawing without its own style and without labels of its parts: it is one image, and a table beside it has the numbers. */
function markupOf(svg: DrawnElement, label: string): string {
  for (const style of svg.querySelectorAll('style')) style.remove();
  for (const part of svg.querySelectorAll('[aria-label]')) part.removeAttribute('aria-label');
  svg.setAttribute('role', 'img');
  svg.setAttribute('aria-label', `${label}; the table beside it has the numbers`);
  return svg.outerHTML;
}
