import { describe, expect, it } from 'vitest';
import type { EvalRecord } from '../evaluation.ts';
import { wilson } from '../statistics/share.ts';
import { missedCriteria } from './criteria.ts';
import { metricsOf } from './metrics.ts';
import { recordsOf, recordWith } from './record-fixture.ts';

const metrics = (...records: EvalRecord[]) => metricsOf('react', records);
const wrong = { grade: { pass: false, score: 0.5, why: '' } };

describe('metricsOf', () => {
  it('counts successes of its own runs that took place, broken and degraded ones as failures', () => {
    const { runs, success, degraded, broken } = metrics(
      recordWith('success', { task: 'a' }),
      recordWith('failure', { task: 'b' }),
      recordWith('degraded', { task: 'c', grade: { pass: true, score: 1, why: '' } }),
      recordWith('broken', { task: 'd' }),
      recordWith('not-run', { task: 'e' }),
      recordWith('success', { task: 'f', configuration: 'direct' }),
    );
    expect(runs).toBe(4);
    expect(success).toEqual(wilson(1, 4));
    expect(degraded).toMatchObject({ count: 1, of: 4 });
    expect(broken).toMatchObject({ count: 1, of: 4 });
  });

  it('gives pass^k and pass@k by task', () => {
    const { passHatK, passAtK, success } = metricsOf(
      'react',
      recordsOf('react', [
        [true, true],
        [true, false],
        [false, false],
      ]),
    );
    expect(passHatK).toEqual([0.5, 1 / 3]);
    expect(passAtK).toEqual([0.5, 2 / 3]);
    // Repeats that agree tell less than as many tasks.
    expect(success.high - success.low).toBeGreaterThan(wilson(3, 6).high - wilson(3, 6).low);
  });

  it('calls silent what is wrong and unflagged, of all runs, and a false alarm what is right and flagged, of successes', () => {
    const { silentFailures, falseAlarms } = metrics(
      recordWith('success', { task: 'a' }),
      recordWith('success', { task: 'b', flagged: true }),
      recordWith('failure', { task: 'c' }),
      recordWith('failure', { task: 'd', flagged: true }),
      recordWith('broken', { task: 'e' }),
      recordWith('degraded', { task: 'f', grade: { pass: true, score: 1, why: '' } }),
      recordWith('degraded', { task: 'g', ...wrong }),
    );
    expect(silentFailures).toMatchObject({ count: 2, of: 7 });
    expect(falseAlarms).toMatchObject({ count: 1, of: 2 });
  });

  it('sums calls, claims and citations over runs', () => {
    const facts = { toolCalls: 6, toolErrors: 2, invalidCalls: 1, duplicateCalls: 3, blockedCalls: 2, deniedCalls: 1 };
    const evidence = { claims: 4, supportedClaims: 3, citations: 5, brokenCitations: 1 };
    const all = metrics(
      recordWith('success', { task: 'a', facts: { ...facts, ...evidence, turns: 3 }, usage: { modelCalls: 5 } }),
      recordWith('success', { task: 'b', facts: { toolCalls: 2, turns: 1 }, usage: { modelCalls: 2 } }),
    );
    expect(all.toolSuccess).toMatchObject({ count: 6, of: 8 });
    expect(all.invalidCalls).toMatchObject({ count: 1, of: 12 });
    expect(all.duplicateCalls).toMatchObject({ count: 3, of: 12 });
    expect(all.evidenceCoverage).toMatchObject({ count: 3, of: 4 });
    expect(all.evidenceErrors).toMatchObject({ count: 1, of: 5 });
    expect(all).toMatchObject({ meanSteps: 2, meanModelCalls: 3.5 });
  });

  it('says what verification, stumbling and revising came to', () => {
    const all = metrics(
      recordWith('success', {
        task: 'a',
        facts: { verdicts: 2, revisions: 1, stumbled: true },
        versions: [
          [false, true],
          [true, false, true],
        ],
      }),
      recordWith('failure', { task: 'b', facts: { verdicts: 1, stumbled: true }, versions: [[true, true]] }),
      recordWith('failure', { task: 'c', facts: { revisions: 1 } }),
    );
    expect(all.revised).toMatchObject({ count: 1, of: 2 });
    expect(all.recovered).toMatchObject({ count: 1, of: 2 });
    expect(all.wrongToRight).toMatchObject({ count: 2, of: 4 });
    expect(all.rightToWrong).toMatchObject({ count: 1, of: 4 });
  });

  it('compares runs that recalled a lesson with those that did not', () => {
    const helped = { facts: { lessonsRecalled: 2 } };
    const [one, two, three] = [recordWith('success', helped), recordWith('failure', helped), recordWith('failure')];
    expect(metrics(one, two, three).lessonDifference).toBe(0.5);
    expect(metrics(one, two).lessonDifference).toBeNaN();
  });

  it('shares the cost of all runs among the successes', () => {
    const usage = { usd: 0.03, tokens: 900, inputTokens: 800, outputTokens: 100, cachedTokens: 500 };
    const all = metrics(
      recordWith('success', { usage }),
      recordWith('failure', { usage }),
      recordWith('success', { usage }),
    );
    expect(all.usd).toBeCloseTo(0.09, 12);
    expect(all.usdPerSuccess).toBeCloseTo(0.045, 12);
    expect(all).toMatchObject({ tokensPerSuccess: 1_350, inputTokens: 2_400, outputTokens: 300, cachedTokens: 1_500 });
  });

  it('knows no cost where a price is missing, and none per success without one', () => {
    const unpriced = metrics(recordWith('success', { usage: { usd: 1, tokens: 10, unpricedCalls: 1 } }));
    expect(unpriced).toMatchObject({ usd: Number.NaN, usdPerSuccess: Number.NaN, tokensPerSuccess: 10 });
    const failed = metrics(recordWith('failure', { usage: { usd: 1, tokens: 10 } }));
    expect(failed).toMatchObject({ usd: 1, usdPerSuccess: Number.NaN, tokensPerSuccess: Number.NaN });
  });

  it('gives mean and 95th percentile of the latency', () => {
    const records = Array.from({ length: 21 }, (_, index) =>
      recordWith('success', { task: `t${index}`, latencyMs: index * 10 }),
    );
    expect(metricsOf('react', records)).toMatchObject({ meanLatencyMs: 100, p95LatencyMs: 190 });
  });

  it('groups success by kind', () => {
    const { byKind } = metrics(
      recordWith('success', { task: 'a', kind: 'refund' }),
      recordWith('failure', { task: 'b', kind: 'refund' }),
      recordWith('failure', { task: 'c', kind: 'numeric' }),
      recordWith('success', { task: 'd' }),
    );
    expect(byKind).toEqual({ refund: wilson(1, 2), numeric: wilson(0, 1) });
  });

  it('has no figures without runs', () => {
    const none = metricsOf('react', []);
    expect(none).toMatchObject({ runs: 0, passHatK: [], meanScore: Number.NaN, p95LatencyMs: Number.NaN });
    expect(none.success.rate).toBeNaN();
  });
});

describe('missedCriteria', () => {
  const good = recordWith('success', { task: 'a', latencyMs: 900, usage: { usd: 0.02 } });
  const silent = recordWith('failure', { task: 'b', latencyMs: 900, usage: { usd: 0.02 } });
  const all = { minSuccess: 0.5, maxUsdPerSuccess: 0.04, maxP95Ms: 900, maxSilentFailures: 0.5 };

  it('is met at the very limit', () => {
    expect(missedCriteria(all, metrics(good, silent))).toEqual([]);
    expect(missedCriteria({}, metricsOf('react', []))).toEqual([]);
  });

  it('names each that is missed, with the figure and the limit', () => {
    const strict = { minSuccess: 0.51, maxUsdPerSuccess: 0.0399, maxP95Ms: 899, maxSilentFailures: 0.499 };
    expect(missedCriteria(strict, metrics(good, silent))).toEqual([
      'success 50 %, at least 51 % is asked',
      'cost of a success 0.04 USD, at most 0.0399 USD is allowed',
      '95th percentile of the latency 900 ms, at most 899 ms is allowed',
      'silent failures 50 %, at most 49.9 % is allowed',
    ]);
  });

  it('is missed by a figure that is not known', () => {
    const missed = missedCriteria({ ...all, minSuccess: 0, maxSilentFailures: 1 }, metricsOf('react', []));
    expect(missed).toHaveLength(4);
    expect(missed[0]).toBe('success unknown, at least 0 % is asked');
  });
});
