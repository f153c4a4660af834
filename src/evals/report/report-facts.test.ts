import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import type { EvalRecord } from '../evaluation.ts';
import { reportOf } from '../evaluation-report.ts';
import {
  costPoints,
  criterionRows,
  failedRuns,
  heaviestTasks,
  layerRows,
  showCommand,
  standIns,
} from './report-facts.ts';
import { nastyTexts, reportFixture } from './report-fixture.ts';

const report = reportFixture({ tasks: 40, configurations: ['direct', 'react', 'full'] });
const { evaluation } = report;

/** The evaluation with its records changed. */
function changed(change: (record: EvalRecord) => Partial<EvalRecord>) {
  return reportOf({ ...evaluation, records: evaluation.records.map((record) => ({ ...record, ...change(record) })) });
}

describe('the facts of a report', () => {
  it('name every stand-in once and no real model', () => {
    expect(standIns(evaluation)).toEqual([{ role: 'actor', id: 'faulty-actor', source: 'scripted' }]);
    expect(standIns(reportFixture({ tasks: 2, configurations: ['direct'], source: 'provider' }).evaluation)).toEqual(
      [],
    );
  });

  it('put a configuration on the line unless another is cheaper and no worse, or better and no dearer', () => {
    const success = { direct: 0.5, react: 0.25, full: 0.9 } as Record<string, number>;
    const cost = { direct: 0.001, react: 0.002, full: 0.004 } as Record<string, number>;
    const { points, unit } = costPoints(
      changed(({ configuration, task, usage }) => ({
        outcome: Number(task.slice(-2)) <= 40 * (success[configuration] ?? 0) ? 'success' : 'failure',
        usage: { ...usage, usd: cost[configuration] ?? 0 },
      })),
    );
    expect(unit).toBe('usd');
    expect(points.map(({ configuration, frontier }) => [configuration, frontier])).toEqual([
      ['direct', true],
      ['react', false],
      ['full', true],
    ]);
    expect(points[2]?.cost).toEqual({
      value: expect.closeTo(0.004, 9),
      low: expect.closeTo(0.004, 9),
      high: expect.closeTo(0.004, 9),
    });
  });

  it('measure in tokens where nothing was paid', () => {
    expect(costPoints(changed(({ usage }) => ({ usage: { ...usage, usd: 0 } }))).unit).toBe('tokens');
  });

  it('measure in tokens as soon as one call has no known price', () => {
    const { points, unit } = costPoints(
      changed(({ usage, task }) => ({ usage: { ...usage, unpricedCalls: task === 'task-003' ? 1 : 0 } })),
    );
    expect(unit).toBe('tokens');
    expect(points[0]?.cost.value).toBeGreaterThan(100);
  });

  it('hold each criterion against what was found; what is not known misses', () => {
    const rows = criterionRows(changed(() => ({ outcome: 'failure', latencyMs: 10_000 })));
    expect(rows.map(({ label, wanted, met }) => [label, wanted, met])).toEqual([
      ['Success', 'at least 80 %', false],
      ['Cost per success', 'at most $0.02', false],
      ['p95 time', 'at most 20 s', true],
      ['Silent failures', 'at most 2 %', expect.any(Boolean)],
    ]);
  });

  it('rank tasks by their mean and show the heaviest run', () => {
    const slow = changed(({ task, configuration }) => ({
      latencyMs: task === 'task-007' ? (configuration === 'react' ? 9000 : 3000) : 1000,
      outcome: 'success',
    }));
    const [first, second] = heaviestTasks(slow.evaluation.records, ({ latencyMs }) => latencyMs);
    expect(first).toMatchObject({ task: 'task-007', runs: 3, mean: 5000, worst: { configuration: 'react' } });
    expect(second?.mean).toBe(1000);
  });

  it('list failed runs by configuration in the order of the header, without those that were not run', () => {
    const failed = failedRuns(
      changed(({ configuration, task }) => ({
        outcome:
          configuration === 'react' || task !== 'task-001'
            ? 'success'
            : configuration === 'full'
              ? 'not-run'
              : 'broken',
      })).evaluation,
    );
    expect([...failed].map(([name, runs]) => [name, runs.length])).toEqual([['direct', 1]]);
  });

  it('count labels by layer and put the most frequent remedy first', () => {
    const label = (remedy: string) => ({
      ...(report.failures?.[0] ?? fail()),
      layer: 'act' as const,
      by: 'model' as const,
      remedy,
    });
    const rows = layerRows([label('tools'), label('tests'), label('tests')]);
    expect(rows).toMatchObject([{ layer: 'act', count: 3, byModel: 3, remedies: ['tests', 'tools'] }]);
  });

  it('give a command that a shell reads as it was meant', () => {
    for (const text of ["it's; rm -rf $HOME `x`", '/a b/ü', ...nastyTexts.slice(0, 3)]) {
      const words = showCommand('run-1', text).replace('assay show run-1 --home ', '');
      expect(execFileSync('sh', ['-c', `printf %s ${words}`], { encoding: 'utf8' })).toBe(text);
    }
    expect(showCommand('run-1', '/home/me/.assay')).toBe('assay show run-1 --home /home/me/.assay');
  });
});

function fail(): never {
  throw new Error('the fixture has no label');
}
