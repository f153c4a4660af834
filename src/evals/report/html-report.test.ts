import { createHash } from 'node:crypto';
import { parseHTML } from 'linkedom';
import { describe, expect, it } from 'vitest';
import { reportOf } from '../evaluation-report.ts';
import { htmlReport } from './html-report.ts';
import { nastyTexts, reportFixture } from './report-fixture.ts';
import { shownText } from './shown-text.ts';

const report = reportFixture({ tasks: 60 });
const page = await htmlReport(report);
const { document } = parseHTML(page);

const textOf = (selector: string): string => document.querySelector(selector)?.textContent ?? '';

describe('htmlReport', () => {
  it('is one file that loads nothing, runs nothing, and allows its own style sheet only', () => {
    const policy = document.querySelector('meta[http-equiv="Content-Security-Policy"]')?.getAttribute('content');
    const style = /<style>(.*)<\/style>/s.exec(page)?.[1] ?? '';
    const digest = createHash('sha256').update(style).digest('base64');
    expect(policy).toBe(`default-src 'none'; style-src 'sha256-${digest}'; base-uri 'none'; form-action 'none'`);
    expect(document.querySelectorAll('script, link, img, iframe, object, [style], [src], [onerror]')).toHaveLength(0);
    expect([...document.querySelectorAll('[href]')].filter((a) => !a.getAttribute('href')?.startsWith('#'))).toEqual(
      [],
    );
    expect(document.querySelectorAll('style')).toHaveLength(1);
    expect(style).not.toMatch(/@import|url\(/);
  });

  it('keeps what models and tools wrote texts, hidden characters shown, long ones cut', async () => {
    const { records } = report.evaluation;
    const nasty = records.map((record, index) => ({
      ...record,
      outcome: 'failure' as const,
      grade: { ...record.grade, why: nastyTexts[index % nastyTexts.length] ?? '' },
    }));
    const nastyPage = await htmlReport(reportOf({ ...report.evaluation, records: nasty }));
    const parsed = parseHTML(nastyPage).document;
    const said = [...parsed.querySelectorAll('td.said bdi')].map(({ textContent }) => textContent);
    for (const text of nastyTexts.slice(0, 6)) expect(said).toContain(shownText(text).replace(/\s+/g, ' '));
    expect(Math.max(...said.map((text) => text?.length ?? 0))).toBe(600);
    expect(parsed.querySelectorAll('script, img')).toHaveLength(0);
    expect(nastyPage).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u202a-\u202e\u200b\uffff]/);
    expect(nastyPage.isWellFormed()).toBe(true);
  });

  it('says SIMULATED when a model is a stand-in, and only then', async () => {
    expect(textOf('.banner')).toMatch(/^SIMULATED\..*faulty-actor \(scripted\)/);
    const real = await htmlReport(reportFixture({ tasks: 6, configurations: ['direct', 'react'], source: 'provider' }));
    expect(real).not.toMatch(/SIMULATED/);
  });

  it('says when runs are missing', async () => {
    const { records } = report.evaluation;
    const half = await htmlReport(reportOf({ ...report.evaluation, records: records.slice(0, records.length / 2) }));
    expect(half).toMatch(/INCOMPLETE/);
  });

  it('tells what was fixed before the run and which criteria are met', () => {
    expect(textOf('.masthead')).toContain(report.evaluation.header.tasksHash);
    expect(textOf('.masthead')).toContain("right answer (knows rules); tone (another model's opinion)");
    const cost = [...document.querySelectorAll('#result tbody tr')].find((row) =>
      /Cost per success/.test(row.textContent ?? ''),
    );
    expect(cost?.textContent).toMatch(/at most \$0\.02.*✗ missed/s);
  });

  it('shows every configuration with every group of metrics, degraded and self-checked ones apart', () => {
    const captions = [...document.querySelectorAll('#configurations caption')].map(({ textContent }) => textContent);
    expect(captions).toEqual(
      expect.arrayContaining([
        'Results',
        'Told apart: degraded, broken and self-checked runs',
        'Cost and time',
        'Evidence',
        'Work',
        'Repair and memory',
      ]),
    );
    const rows = document.querySelectorAll('#configurations table')[0]?.querySelectorAll('tbody tr') ?? [];
    expect(rows).toHaveLength(report.metrics.length);
    expect(rows[0]?.textContent).toMatch(/^\s*directbaseline|^\s*direct baseline/);
    expect(rows[0]?.textContent).toMatch(/\d+ % \(\d+–\d+\)/);
  });

  it('gives each verdict with its numbers and calls noise noise', () => {
    const rows = [...document.querySelectorAll('#mechanisms tbody tr')];
    expect(rows).toHaveLength(report.ablation?.verdicts.length ?? 0);
    report.ablation?.verdicts.forEach(({ mechanism, added }, index) => {
      const text = rows[index]?.textContent ?? '';
      expect(text).toContain(mechanism);
      expect(/within noise/.test(text)).toBe(added.finding === 'noise');
      expect(text).toMatch(/[+−0]\d*\.?\d* \(.* to .*\)/);
    });
    expect(textOf('#mechanisms')).toContain('Recommended: react, verification, refine');
  });

  it('draws each chart at two widths beside a table with its numbers', () => {
    for (const id of ['cost', 'mechanisms', 'layers']) {
      expect(document.querySelectorAll(`#${id} .wide svg[role="img"]`)).toHaveLength(1);
      expect(document.querySelectorAll(`#${id} .narrow svg[role="img"]`)).toHaveLength(1);
      expect(document.querySelectorAll(`#${id} table`).length).toBeGreaterThan(0);
    }
  });

  it('lists each failed run with why and the command that shows it', () => {
    const { records } = report.evaluation;
    const failed = records.filter(({ outcome }) => outcome !== 'success' && outcome !== 'not-run');
    expect(document.querySelectorAll('#failures tbody tr')).toHaveLength(failed.length);
    expect(textOf('#failures')).toContain(
      `assay show ${failed[0]?.runId} --home '/home/someone/my project/.assay/evals/price-desk'`,
    );
  });

  it('puts in at most so many timelines, only of failed runs, and links to them', async () => {
    const { records } = report.evaluation;
    const row = { label: 'tool', text: '</dl><script>1</script>' };
    const timelines = new Map(records.map(({ runId }) => [runId, Array.from({ length: 400 }, () => row)]));
    const parsed = parseHTML(await htmlReport(report, { timelines, mostTimelines: 3 })).document;
    const shown = parsed.querySelectorAll('#timelines details');
    expect(shown).toHaveLength(3);
    expect(shown[0]?.querySelectorAll('dd')).toHaveLength(300);
    expect(shown[0]?.textContent).toContain('100 more rows not shown');
    expect(parsed.querySelector('script')).toBeNull();
    const links = [...parsed.querySelectorAll('#failures a')].map((link) => link.getAttribute('href'));
    expect(links).toEqual(['#timeline-1', '#timeline-2', '#timeline-3']);
    for (const link of links) expect(parsed.querySelector(link ?? '')).not.toBeNull();
    const ids = [...parsed.querySelectorAll('[id]')].map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('reads the same from a file, where NaN became null', async () => {
    expect(await htmlReport(JSON.parse(JSON.stringify(report)))).toBe(page);
  });

  it('is a page also when nothing was run', async () => {
    const empty = await htmlReport(reportOf({ ...report.evaluation, records: [] }));
    expect(empty).not.toMatch(/NaN|undefined|Infinity/);
    expect(empty).toContain('INCOMPLETE');
  });
});
