import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cut, pad, widthOf, wrap } from '../../cli/width.ts';
import { reportFixture } from './report-fixture.ts';
import { terminalReport } from './terminal-report.ts';

const layout = { cut, pad, widthOf, wrap };
const report = reportFixture({ tasks: 60 });

describe('terminalReport', () => {
  const rows = terminalReport(report, { columns: 100, layout });
  const text = rows.join('\n');

  it('sets the figures of the configurations below one another', () => {
    const head = rows.find((row) => row.startsWith('configuration')) ?? '';
    expect(head.split(/\s{2,}/)).toEqual(['configuration', 'success', 'USD/success', 'p95', 'silent']);
    const direct = rows.find((row) => row.startsWith('direct (baseline)')) ?? '';
    expect(direct).toMatch(/\d+ % \(\d+–\d+\) +\$0\.\d+ +\d+(\.\d+)? m?s +\d+ % \(\d+–\d+\)$/);
    expect(direct.length).toBe(head.length);
    expect(text).toMatch(/^full \* /m);
  });

  it('says what is simulated, each verdict, what is recommended, and which criteria are missed', () => {
    expect(text).toMatch(/^SIMULATED\./m);
    for (const { mechanism } of report.ablation?.verdicts ?? [])
      expect(text).toMatch(new RegExp(`^[✓✗?] ${mechanism}: `, 'm'));
    expect(text).toContain('recommended: react, verification, refine');
    expect(text).toMatch(/^✗ Cost per success \$0\.0\d+, at most \$0\.02: missed$/m);
  });

  it('is never wider than the terminal, and keeps each figure whole where there is any room', () => {
    const wide = reportFixture({
      tasks: 8,
      configurations: ['direct', '全部机制与很长的名字全部机制与很长的名字', 'full'],
    });
    fc.assert(
      fc.property(fc.integer({ min: 20, max: 160 }), fc.constantFrom(report, wide), (columns, found) => {
        const shown = terminalReport(found, { columns, layout });
        for (const row of shown) expect(widthOf(row)).toBeLessThanOrEqual(columns);
        const success = found.metrics.at(-1)?.success.rate ?? 0;
        expect(shown.join('\n')).toContain(`${Math.round(success * 100)} %`);
        expect(shown.join('\n')).toContain(found === report ? 'equal-budg' : '全部机制');
      }),
    );
  });

  it('counts tokens where a price is not known', () => {
    const records = report.evaluation.records.map((one) => ({ ...one, usage: { ...one.usage, unpricedCalls: 1 } }));
    const unpriced = { ...report, evaluation: { ...report.evaluation, records } };
    expect(terminalReport(unpriced, { columns: 100, layout }).join('\n')).toContain('tokens/success');
  });
});
