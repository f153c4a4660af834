import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { reportOf } from '../evaluation-report.ts';
import { code, markdownTable, words } from './markdown.ts';
import { markdownReport } from './markdown-report.ts';
import { nastyTexts, reportFixture } from './report-fixture.ts';

const report = reportFixture({ tasks: 60 });
const text = markdownReport(report);

describe('markdownReport', () => {
  it('has the banner, the criteria, the configurations and the verdicts', () => {
    expect(text).toMatch(/^# price-desk: evaluation\n/);
    expect(text).toContain('> **SIMULATED.**');
    expect(text).toMatch(/\| Cost per success \| at most \$0\.02 \| \$0\.0\d+ \| ✗ \*\*missed\*\* \|/);
    expect(text).toMatch(/^\| `full` \| \d+ % \(\d+–\d+\)/m);
    expect(text).toContain('Recommended mechanisms: **react, verification, refine**.');
    for (const { mechanism, added } of report.ablation?.verdicts ?? []) {
      const row = text.split('\n').find((line) => line.startsWith(`| ${mechanism} |`));
      expect(row?.includes('within noise')).toBe(added.finding === 'noise');
    }
  });

  it('has tables whose rows all have the cells of their head, whatever models wrote', () => {
    const records = report.evaluation.records.map((record, index) => ({
      ...record,
      outcome: 'failure' as const,
      grade: { ...record.grade, why: nastyTexts[index % nastyTexts.length] ?? '' },
    }));
    const nasty = markdownReport(reportOf({ ...report.evaluation, records }));
    for (const table of nasty.split('\n\n').filter((block) => block.startsWith('| '))) {
      const cells = table.split('\n').map((line) => line.split(/(?<!\\)\|/).length);
      expect(new Set(cells).size).toBe(1);
    }
    expect(nasty).toContain('`<script>document.title = "broken"</script>`');
    expect(nasty).toContain('10 more failed runs not listed here.');
  });
});

describe('code', () => {
  it('is one code span that ends where the text ends', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('`', 'a', ' ', '|', '\\', '<', '@') }), (inner) => {
        const span = code(inner);
        const fence = /^`*/.exec(span)?.[0] ?? '';
        expect(span.endsWith(fence)).toBe(true);
        const runs = span.slice(fence.length, span.length - fence.length).match(/`+/g) ?? [];
        expect(runs).not.toContain(fence);
        if (fence === '') expect(inner.trim()).toBe('');
      }),
    );
  });
});

describe('words and tables', () => {
  it('leave no markup, link or mention of a text', () => {
    expect(words('[a](b) <i> @me #1 *x* a|b')).toBe('\\[a\\](b) &lt;i&gt; &#64;me \\#1 \\*x\\* a&#124;b');
  });

  it('set figures right and words left', () => {
    expect(
      markdownTable(
        ['a', 'b'],
        [
          ['x', '$1'],
          ['y|z', '–'],
        ],
      ),
    ).toBe('| a | b |\n| --- | --: |\n| x | $1 |\n| y\\|z | – |');
  });
});
