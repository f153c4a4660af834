import { parseHTML } from 'linkedom';
import { describe, expect, it } from 'vitest';
import { loadCharts } from './charts.ts';
import { costPoints, layerRows } from './report-facts.ts';
import { reportFixture } from './report-fixture.ts';
import type { Rung } from './row-charts.ts';

const charts = await loadCharts();
const report = reportFixture({ tasks: 40 });
const { points } = costPoints(report);
const names = report.metrics.map(({ configuration }) => configuration);

function parsed(markup: string) {
  return parseHTML(`<html><body>${markup}</body></html>`).document;
}

const rung = (configuration: string, rate: number, verdict?: Rung['verdict']): Rung => ({
  configuration,
  success: { count: 10, of: 20, rate, low: rate - 0.1, high: rate + 0.1 },
  cost: '$0.002',
  verdict,
});

describe('charts', () => {
  const drawn = {
    cost: charts.costAgainstSuccess(points, 'usd', 580),
    ladder: charts.ladder([rung('direct', 0.4), rung('react', 0.6, 'keep')], 1080),
    layers: charts.failureLayers(layerRows(report.failures ?? []), names, 1080),
  };

  it.each(Object.entries(drawn))('%s is one named image without styles and numbers that are none', (_name, markup) => {
    const svg = parsed(markup).querySelector('svg');
    expect(svg?.getAttribute('role')).toBe('img');
    expect(svg?.getAttribute('aria-label')).toMatch(/table beside it/);
    expect(markup).not.toMatch(/<style|\sstyle=|NaN|undefined|Infinity/);
    expect(markup).toMatch(/var\(--/);
  });

  it('plot every configuration with its number and both intervals', () => {
    const document = parsed(drawn.cost);
    const texts = [...document.querySelectorAll('text')].map((text) => text.textContent);
    for (const { number } of points) expect(texts).toContain(String(number));
    const titles = [...document.querySelectorAll('title')].map((title) => title.textContent);
    expect(titles).toHaveLength(points.length);
    expect(titles[0]).toMatch(/^direct: \d+ % \(\d+–\d+\) at \$0\.0\d+ a run \(\$0\.0\d+ to \$0\.0\d+\)$/);
    const intervals = [...document.querySelectorAll('g[stroke="var(--interval)"] line')];
    expect(intervals.length).toBe(2 * points.length);
  });

  it('say the verdict of a rung in a word and a symbol of its own', () => {
    const texts = [...parsed(drawn.ladder).querySelectorAll('text')].map((text) => text.textContent).join('\n');
    expect(texts).toContain('60 % (50–70)  ·  $0.002  ·  keep');
    const shapes = (verdict: Rung['verdict']) =>
      parsed(charts.ladder([rung('direct', 0.4), rung('react', 0.6, verdict)], 1080))
        .querySelectorAll('path[transform] title')[1]
        ?.parentNode?.getAttribute('d');
    const found = (['keep', 'drop', 'not-enough-data'] as const).map(shapes);
    expect(found).not.toContain(undefined);
    expect(new Set(found).size).toBe(3);
  });

  it('write the code of a layer and its number on a bar that has room', () => {
    const document = parsed(drawn.layers);
    const texts = [...document.querySelectorAll('text')].map((text) => text.textContent);
    const direct = layerRows(report.failures ?? [])
      .find(({ layer }) => layer === 'decompose')
      ?.byConfiguration.get('direct');
    expect(texts).toContain(`De ${direct}`);
    expect(document.querySelectorAll('rect').length).toBe(
      layerRows(report.failures ?? []).reduce((sum, { byConfiguration }) => sum + byConfiguration.size, 0),
    );
  });

  it('keep names texts, also nasty ones, at both widths', () => {
    const name = '<script>alert(1)</script>\u202e';
    for (const width of [360, 1080]) {
      const markup = charts.ladder([rung(name, 0.4), rung('b', 0.5, 'drop')], width);
      expect(parsed(markup).querySelector('script')).toBeNull();
      expect(markup).not.toContain('\u202e');
      expect(markup).toContain('&lt;script&gt;');
    }
  });

  it('draw a single configuration, and one that costs nothing', () => {
    const [point] = points;
    const free = { ...point!, cost: { value: 0, low: 0, high: 0 } };
    for (const some of [[point!], [free], [free, point!]])
      expect(charts.costAgainstSuccess(some, 'usd', 360)).not.toMatch(/NaN|undefined|Infinity/);
  });
});
