import { describe, expect, it } from 'vitest';
import { noUsage } from '../../core/usage.ts';
import { type EvalRecord, noFacts } from '../evaluation.ts';
import { Progress } from './progress.ts';

const record = (configuration: string, outcome: EvalRecord['outcome'] = 'success'): EvalRecord => ({
  ...{ configuration, task: 't', repeat: 1, runId: 'r', outcome, status: 'completed', reason: '', detail: '' },
  ...{ grade: { pass: true, score: 1, why: '' }, degraded: false, selfChecked: false, flagged: false, versions: [] },
  ...{ usage: noUsage, bought: { ...noUsage, usd: 0.5 }, latencyMs: 1, facts: noFacts },
});

describe('Progress', () => {
  it('reckons what is left by what runs of each configuration took, shared by the lanes', () => {
    const progress = new Progress(2);
    progress.plan('cheap', 11);
    progress.plan('dear', 11);
    progress.add(record('cheap'), 100);
    const { etaMs } = progress.add(record('dear'), 1_000);
    expect(etaMs).toBe((10 * 100 + 10 * 1_000) / 2);
  });

  it('counts what an earlier part did and paid', () => {
    const progress = new Progress(1);
    progress.recall(record('one', 'broken'));
    progress.plan('one', 1);
    expect(progress.add(record('one'), 10)).toMatchObject({
      done: 2,
      total: 2,
      successes: 1,
      broken: 1,
      spent: { usd: 1 },
    });
  });
});
