/** The sections of the HTML report about single runs: each that failed, and the timelines that were given. */
import type { EvalRecord, Evaluation } from '../evaluation.ts';
import type { FailureLabel } from '../findings.ts';
import { isSilentFailure } from '../metrics/records.ts';
import { count, plural } from './figures.ts';
import { outcomeWords } from './finding-words.ts';
import { type Html, html } from './html.ts';
import { cell, head, named, number, type Section, said, table } from './html-parts.ts';
import { failedRuns, showCommand, whyOf } from './report-facts.ts';

/** A row of a run's timeline. */
export interface TimelineRow {
  /** Empty for a row that belongs to the one above. */
  label: string;
  text: string;
}

const mostRuns = 3000;
const mostRows = 300;
const mostCharacters = 600;

export interface RunAnchors {
  /** The anchor of a run's timeline; undefined where it has none. */
  timelineOf(runId: string): string | undefined;
}

export function failureSection(
  evaluation: Evaluation,
  labels: readonly FailureLabel[],
  anchors: RunAnchors,
): Section | undefined {
  const failed = failedRuns(evaluation);
  if (failed.size === 0) return undefined;
  const labelOf = new Map(labels.map((label) => [label.runId, label]));
  let room = mostRuns;
  const groups = [...failed].map(([configuration, runs]) => {
    const listed = runs.slice(0, room);
    room -= listed.length;
    const rows = listed.map((record) =>
      failureCells(record, { label: labelOf.get(record.runId), folder: evaluation.folder, anchors }),
    );
    const left = runs.length - listed.length;
    return html`<details${configuration === evaluation.header.subject ? html` open` : ''}><summary>${named(configuration)} <span class="muted">${plural(runs.length, 'failed run')}: ${outcomeText(runs)}</span></summary>
${rows.length > 0 ? table(`Failed runs of ${configuration}`, failureColumns, rows) : ''}
${left > 0 ? html`<p class="note">${plural(left, 'more run')} not listed here.</p>` : ''}</details>`;
  });
  return { id: 'failures', title: 'Failed runs', body: html`${groups}` };
}

function outcomeText(runs: readonly EvalRecord[]): string {
  return (['failure', 'degraded', 'broken'] as const)
    .map((outcome) => ({ outcome, found: runs.filter((run) => run.outcome === outcome).length }))
    .filter(({ found }) => found > 0)
    .map(({ outcome, found }) => `${count(found)} ${outcomeWords[outcome]}`)
    .join(', ');
}

const failureColumns = [
  { label: 'Task' },
  { label: 'Repeat', number: true },
  { label: 'Outcome' },
  { label: 'Why' },
  { label: 'Layer' },
  { label: 'To see the run' },
];

interface FailureContext {
  label: FailureLabel | undefined;
  folder: string;
  anchors: RunAnchors;
}

function failureCells(record: EvalRecord, { label, folder, anchors }: FailureContext): Html[] {
  const anchor = anchors.timelineOf(record.runId);
  const silent = isSilentFailure(record) ? html` <span class="tag">silent</span>` : '';
  return [
    head(named(record.task)),
    number(String(record.repeat)),
    cell(outcomeWords[record.outcome], silent),
    html`<td class="said">${said(whyOf(record), mostCharacters)}</td>`,
    label
      ? cell(
          label.layer,
          html` <span class="muted">${said(label.rule, 60)}${label.by === 'model' ? ', by a model' : ''}</span>`,
        )
      : cell('–'),
    html`<td class="said"><code>${showCommand(record.runId, folder)}</code>${anchor ? html`<br><a href="#${anchor}">timeline</a>` : ''}</td>`,
  ];
}

/** The timelines of failed runs, at most so many, and where each stands. */
export function timelineSection(
  { records }: Evaluation,
  timelines: ReadonlyMap<string, readonly TimelineRow[]>,
  most: number,
): { section: Section | undefined; anchors: RunAnchors } {
  const byId = new Map(records.map((record) => [record.runId, record]));
  const shown = [...timelines.keys()]
    .flatMap((runId) => byId.get(runId) ?? [])
    .filter(({ outcome }) => outcome !== 'success')
    .slice(0, most);
  const places = new Map(shown.map((record, index) => [record.runId, `timeline-${index + 1}`]));
  const anchors: RunAnchors = { timelineOf: (runId) => places.get(runId) };
  if (shown.length === 0) return { section: undefined, anchors };
  const body = shown.map((record) =>
    timelineOf(record, timelines.get(record.runId) ?? [], places.get(record.runId) ?? ''),
  );
  return { section: { id: 'timelines', title: 'Timelines', body: html`${body}` }, anchors };
}

function timelineOf(record: EvalRecord, rows: readonly TimelineRow[], anchor: string): Html {
  const left = rows.length - mostRows;
  // The anchor stands inside: a browser opens what a link leads into.
  return html`<details><summary>${named(record.configuration)}, ${named(record.task)}, repeat ${record.repeat} <span class="muted">${named(record.runId)}</span></summary>
<dl class="timeline" id="${anchor}">
${rows.slice(0, mostRows).map(({ label, text }) => html`<dt>${said(label, 40)}</dt><dd>${said(text, mostCharacters)}</dd>\n`)}</dl>
${left > 0 ? html`<p class="note">${plural(left, 'more row')} not shown.</p>` : ''}</details>`;
}
