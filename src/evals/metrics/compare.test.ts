import { describe, expect, it } from 'vitest';
import type { EvalRecord } from '../evaluation.ts';
import { mcnemar } from '../statistics/paired-tests.ts';
import { compare } from './compare.ts';
import { recordsOf, recordWith } from './record-fixture.ts';

const times = (count: number, ...repeats: boolean[]): boolean[][] => Array.from({ length: count }, () => repeats);
const [yes, no] = [true, false];

describe('compare', () => {
  it('is McNemar on the tasks that both ran once', () => {
    const a = recordsOf('direct', [...times(2, yes), ...times(12, no), ...times(26, yes)]);
    const b = recordsOf('react', [...times(2, no), ...times(12, yes), ...times(26, yes)]);
    const found = compare(a, b);
    expect(found).toMatchObject({ a: 'direct', b: 'react', tasks: 40, onlyA: 2, onlyB: 12, finding: 'better' });
    expect(found.pValue).toBeCloseTo(mcnemar(2, 12), 12);
    expect(found.difference.value).toBeCloseTo(0.25, 12);
    expect(found.difference.low).toBeGreaterThan(0);
    expect(compare(b, a)).toMatchObject({ onlyA: 12, onlyB: 2, finding: 'worse' });
  });

  it('calls noise what chance gives', () => {
    const a = recordsOf('direct', [...times(5, no), ...times(15, yes)]);
    const b = recordsOf('react', times(20, yes));
    // The interval leaves out 0 and the exact test does not: 5 to 0 is 0.0625.
    expect(compare(a, b)).toMatchObject({ pValue: 0.0625, finding: 'noise', difference: { low: expect.any(Number) } });
    expect(compare(a, b).difference.low).toBeGreaterThan(0);
    expect(compare(a, a)).toMatchObject({ pValue: 1, finding: 'noise', difference: { value: 0, low: 0, high: 0 } });
  });

  it('leaves out tasks that only one ran, and runs that did not take place', () => {
    const a = recordsOf('direct', [[yes], [no], [no]]);
    const b = [
      ...recordsOf('react', [[yes], [yes]]),
      recordWith('not-run', { task: 't3' }),
      recordWith('success', { task: 't9' }),
    ];
    expect(compare(a, b)).toMatchObject({ tasks: 2, onlyA: 0, onlyB: 1, difference: { value: 0.5 } });
    expect(compare(a, [])).toMatchObject({ tasks: 0, pValue: 1, finding: 'noise', difference: { value: Number.NaN } });
  });

  it('weighs a task by its share of successful repeats, whatever their number', () => {
    const a = recordsOf('direct', [[no, no, no, no], [yes, no], [yes]]);
    const b = recordsOf('react', [
      [yes, no, no, no],
      [yes, yes, no, no],
      [no, no, no],
    ]);
    const found = compare(a, b);
    expect(found).toMatchObject({ onlyA: 1, onlyB: 1 });
    expect(found.difference.value).toBeCloseTo((0.25 + 0 - 1) / 3, 12);
    // Signs of 1/4 and 1: each of the four sums is as far from 0, or further, half of the time.
    expect(found.pValue).toBe(1);
  });

  // scipy 1.10.1, stats.permutation_test(permutation_type='samples', n_resamples=inf).
  it('tests the differences of shares, not their signs', () => {
    const quarters = [1, 2, -1, 3, 0, 1, 2, -2, 4, 1];
    const share = (successes: number): boolean[] => [0, 1, 2, 3].map((index) => index < successes);
    const a = recordsOf(
      'direct',
      quarters.map((difference) => share(Math.max(0, -difference))),
    );
    const b = recordsOf(
      'react',
      quarters.map((difference) => share(Math.max(0, difference))),
    );
    expect(compare(a, b).pValue).toBeCloseTo(0.12109375, 12);
  });

  it('sees a clear gain on some tasks through the noise of the repeats of others', () => {
    const noisy = Array.from({ length: 20 }, (_, task) => [task % 2 === 0, yes, no, no]);
    const mirrored = Array.from({ length: 20 }, (_, task) => [task % 2 === 1, yes, no, no]);
    const a = recordsOf('direct', [...noisy, ...times(7, no, no, no, no)]);
    const b = recordsOf('react', [...mirrored, ...times(7, yes, yes, yes, yes)]);
    const found = compare(a, b);
    expect(mcnemar(found.onlyA, found.onlyB)).toBeGreaterThan(0.05);
    expect(found.finding).toBe('better');
  });

  it('compares silent failures on their own', () => {
    const flagged = (record: EvalRecord): EvalRecord => ({ ...record, flagged: true });
    const a = recordsOf('direct', times(10, no));
    const found = compare(a, recordsOf('verification', times(10, no)).map(flagged));
    expect(found).toMatchObject({ pValue: 1, finding: 'noise', silentDifference: { value: -1 } });
    expect(found.silentPValue).toBeCloseTo(mcnemar(10, 0), 12);
  });

  it('relates cost and latency per run, in USD where all is priced', () => {
    const cheap = { usage: { usd: 0.01, tokens: 100 }, latencyMs: 200 };
    const dear = { usage: { usd: 0.05, tokens: 300 }, latencyMs: 300 };
    const a = recordsOf('direct', [[yes], [yes]], cheap);
    const b = recordsOf(
      'react',
      [
        [yes, yes],
        [yes, yes],
      ],
      dear,
    );
    const priced = compare(a, b);
    expect(priced.costUnit).toBe('usd');
    expect(priced.costRatio).toBeCloseTo(5, 12);
    expect(priced.latencyRatio).toBeCloseTo(1.5, 12);
    const unpriced = recordsOf('react', [[yes], [yes]], { usage: { tokens: 300, unpricedCalls: 1 } });
    expect(compare(a, unpriced)).toMatchObject({ costRatio: 3, costUnit: 'tokens' });
    const free = { usage: { tokens: 200 } };
    expect(compare(recordsOf('direct', [[yes]], free), recordsOf('react', [[yes]], free))).toMatchObject({
      costRatio: 1,
      costUnit: 'tokens',
    });
  });
});
