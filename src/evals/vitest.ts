/** An evaluation as a Vitest test. `vitest` is an optional peer. */
import { expect, test } from 'vitest';
import { reportOf } from './evaluation-report.ts';
import { missedCriteria } from './metrics/criteria.ts';
import { type EvaluateOptions, evaluate } from './runner/evaluate.ts';
import type { Suite } from './suite.ts';

export interface EvaluationTestOptions extends Omit<EvaluateOptions, 'signal'> {
  /** Of the test in milliseconds. Default ten minutes. */
  timeoutMs?: number;
}

const tenMinutes = 600_000;

/**
 * A test that evaluates the suite and fails with every criterion that its subject misses, and with what broke. A suite without criteria
 * fails: there is nothing it could miss.
 */
export function testSuite(suite: Suite, options: EvaluationTestOptions = {}): void {
  const { timeoutMs = tenMinutes, ...rest } = options;
  test(`evaluation of ${suite.name}`, { timeout: timeoutMs }, async ({ signal }) => {
    const { minSuccess, maxUsdPerSuccess, maxP95Ms, maxSilentFailures } = suite.criteria ?? {};
    expect(
      [minSuccess, maxUsdPerSuccess, maxP95Ms, maxSilentFailures],
      'a suite needs criteria to be a test',
    ).not.toEqual(Array.from({ length: 4 }));
    const evaluation = await evaluate(suite, { ...rest, signal });
    const { header, records } = evaluation;
    const metrics = reportOf(evaluation).metrics.find(({ configuration }) => configuration === header.subject);
    const broken = records
      .filter(({ outcome }) => outcome === 'broken')
      .map(({ runId, detail }) => `${runId}: ${detail}`);
    expect(broken, 'runs that broke').toEqual([]);
    expect(metrics && missedCriteria(header.criteria, metrics), `criteria that ${header.subject} misses`).toEqual([]);
  });
}
