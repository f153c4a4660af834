import fc from 'fast-check';
import { DOMParser } from 'linkedom';
import { describe, expect, it } from 'vitest';
import type { EvalRecord } from '../evaluation.ts';
import { reportOf } from '../evaluation-report.ts';
import { junitReport } from './junit-report.ts';
import { nastyTexts, reportFixture } from './report-fixture.ts';

const report = reportFixture({ tasks: 20, repeats: 2, configurations: ['direct', 'react'] });
const [first] = report.evaluation.records;

/** The report of these records alone, as it is written and as it is read. */
function written(...changes: Partial<EvalRecord>[]) {
  const records = changes.map((change) => ({ ...first!, ...change }));
  const xml = junitReport(reportOf({ ...report.evaluation, records }));
  return { xml, document: new DOMParser().parseFromString(xml, 'text/xml') };
}

/** Whether only what XML 1.0 allows stands there: its characters (2.2), known references, and no stray bracket in a tag or a text. */
function isSound(xml: string): boolean {
  const characters = /^[\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]*$/u.test(xml);
  const references = [...xml.matchAll(/&/g)].every(({ index }) => /^&(amp|lt|gt|quot|#39);/.test(xml.slice(index)));
  const tags = /^(<[?/]?[\w-]+( [\w-]+="[^"<>]*")*[?/]?>|[^<>])*$/.test(xml);
  const open: string[] = [];
  for (const [, slash, name = '', closed] of xml.matchAll(/<(\/?)([\w-]+)[^>]*?(\/?)>/g)) {
    if (slash && open.pop() !== name) return false;
    if (!slash && !closed) open.push(name);
  }
  return characters && references && tags && open.length === 0;
}

describe('junitReport', () => {
  it('has a suite for each configuration and a case for each task and repeat, counted', () => {
    const xml = junitReport(report);
    expect(isSound(xml)).toBe(true);
    expect(xml.match(/<testsuite /g)).toHaveLength(2);
    expect(xml.match(/<testcase /g)).toHaveLength(80);
    expect(xml).toContain('classname="price-desk.direct" name="task-001 #2"');
    const of = (outcome: string) => report.evaluation.records.filter((record) => record.outcome === outcome).length;
    const counts = `tests="80" failures="${of('failure') + of('degraded')}" errors="${of('broken')}" skipped="${of('not-run')}"`;
    expect(xml).toContain(`<testsuites name="price-desk" ${counts}`);
  });

  it('tells a wrong answer from a broken run and from one that was not run', () => {
    const why = 'total 1, not 2';
    const { xml, document } = written(
      { outcome: 'success' },
      { outcome: 'failure', grade: { pass: false, score: 0, why }, answer: '1' },
      { outcome: 'degraded', grade: { pass: false, score: 0, why } },
      { outcome: 'broken', detail: 'the model was away' },
      { outcome: 'not-run', detail: 'the budget is used up' },
    );
    expect(xml).toMatch(/<testsuites [^>]*tests="5" failures="2" errors="1" skipped="1"/);
    const cases = [...document.querySelectorAll('testcase')];
    expect(cases.map((found) => found.firstElementChild?.tagName.toLowerCase())).toEqual([
      undefined,
      'failure',
      'failure',
      'error',
      'skipped',
    ]);
    const messages = cases.slice(1).map((found) => found.firstElementChild?.getAttribute('message'));
    expect(messages).toEqual([why, why, 'the model was away', 'the budget is used up']);
    expect(cases[1]?.textContent).toContain(`answer: 1\nended: checked\nassay show ${first?.runId} --home`);
  });

  it('escapes once', () => {
    const grade = { pass: false, score: 0, why: 'a < "b" & c\u0001' };
    const { xml } = written({ outcome: 'failure', grade });
    expect(xml).toContain('message="a &lt; &quot;b&quot; &amp; c\\u{1}"');
  });

  it('writes metrics as properties and leaves out what is not known', () => {
    const xml = junitReport(report);
    expect(xml).toContain(`<property name="success" value="${report.metrics[0]?.success.rate}"/>`);
    expect(xml).toContain('name="pass-hat-2"');
    expect(xml).toMatch(/name="model" value="faulty-actor, scripted: SIMULATED/);
    expect(xml).not.toMatch(/value="(NaN|null)"/);
  });

  it('is sound XML whatever models wrote', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom(...nastyTexts)), (text) => {
        const grade = { pass: false, score: 0, why: text };
        expect(isSound(written({ outcome: 'failure', grade, answer: text, task: text }).xml)).toBe(true);
      }),
    );
  });
});
