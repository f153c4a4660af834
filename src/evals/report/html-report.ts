import { createHash } from 'node:crypto';
import type { EvaluationReport } from '../findings.ts';
import { loadCharts } from './charts.ts';
import { html, trusted } from './html.ts';
import { costSection, layerSection, mechanismSection } from './html-mechanisms.ts';
import { masthead, resultSection } from './html-overview.ts';
import { failureSection, type TimelineRow, timelineSection } from './html-runs.ts';
import { styleSheet } from './html-style.ts';
import { configurationSection, heavySection } from './html-tables.ts';

export interface HtmlReportOptions {
  /** Timelines by run id, the most interesting first; only those of runs that did not succeed are shown. */
  timelines?: ReadonlyMap<string, readonly TimelineRow[]>;
  /** How many timelines are shown at most. Default 50. */
  mostTimelines?: number;
}

/**
 * The report as one HTML file that needs nothing else: no network, no script, no font; its content security policy forbids them.
 * Every text of a model, a tool or a data set is escaped, its hidden characters are shown as `\u{…}`, and long ones are cut.
 */
export async function htmlReport(report: EvaluationReport, options: HtmlReportOptions = {}): Promise<string> {
  const { evaluation, failures = [], metrics } = report;
  const charts = await loadCharts();
  const { section: timelines, anchors } = timelineSection(
    evaluation,
    options.timelines ?? new Map(),
    options.mostTimelines ?? 50,
  );
  const names = metrics.map(({ configuration }) => configuration);
  const sections = [
    resultSection(report),
    costSection(report, charts),
    mechanismSection(report, charts),
    configurationSection(report),
    layerSection(failures, names, charts),
    heavySection(report, anchors.timelineOf),
    failureSection(evaluation, failures, anchors),
    timelines,
  ].filter((section) => section !== undefined);
  const digest = createHash('sha256').update(styleSheet).digest('base64');
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-${digest}'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${evaluation.header.suite}: evaluation</title>
<style>${trusted(styleSheet)}</style>
</head>
<body>
<main>
${masthead(report, sections)}
${sections.map(({ id, title, body }) => html`<section id="${id}" aria-labelledby="${id}-title">\n<h2 id="${id}-title">${title}</h2>\n${body}\n</section>\n`)}
</main>
</body>
</html>
`.markup;
}
