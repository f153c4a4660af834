import { describe, expect, it } from 'vitest';
import { materialFor, trialsOf } from '../../bench/faults/bench.ts';
import { tallyOf } from '../../bench/faults/tally.ts';
import { codeCheckable, missedByClean, missedTargets } from '../../bench/faults/targets.ts';
import type { Trial } from '../../bench/faults/trial.ts';
import { type FaultName, faultNames } from '../../src/testing/faulty-model.ts';

const material = materialFor(8, 5);

const held: readonly FaultName[] = [...codeCheckable].filter((fault) => fault !== 'forged-test-log');

describe('faults of a simulated actor', () => {
  it.each(held)('%s is caught by code every time, and ends repaired or reported', async (fault) => {
    const tally = tallyOf(await trialsOf(fault, 'full', material));
    expect(tally.trials).toBe(8);
    expect(missedTargets(fault, tally)).toEqual([]);
    expect(tally.outcomes.right).toBeGreaterThan(0);
  });

  it('a forged test log is caught by running the tests', async () => {
    const tally = tallyOf(await trialsOf('forged-test-log', 'full', materialFor(2, 5)));
    expect(missedTargets('forged-test-log', tally)).toEqual([]);
  });

  it.each(faultNames.filter((fault) => !held.includes(fault) && fault !== 'forged-test-log'))(
    '%s, where it is caught at all, ends repaired or reported',
    async (fault) => {
      const tally = tallyOf(await trialsOf(fault, 'full', material));
      expect(tally.trials).toBe(8);
      expect(tally.letThrough).toBe(0);
    },
  );

  it('reach the user of the bare loop: what catches them above is the checks', async () => {
    for (const fault of ['fabricated-observation', 'arithmetic-slip', 'unit-slip'] as const) {
      const tally = tallyOf(await trialsOf(fault, 'react', material));
      expect(tally).toMatchObject({ trials: 8, byCode: 0, outcomes: { 'unverified-wrong': 8 } });
    }
  });

  it('are not seen where there are none', async () => {
    const tally = tallyOf(await trialsOf(undefined, 'full', materialFor(4, 5)));
    expect(tally.trials).toBe(24);
    expect(missedByClean(tally)).toEqual([]);
  });
});

describe('targets', () => {
  const trial: Trial = {
    task: material.tasks[0]!,
    committed: 1,
    caughtBy: 'code',
    outcome: 'right',
    said: 'x',
    flaws: [],
    status: 'revised (revised)',
  };
  const many = (changed: Partial<Trial>, count: number): Trial[] =>
    Array.from({ length: 100 }, (_, index) => (index < count ? { ...trial, ...changed } : trial));

  it('are missed by two of a hundred that code did not catch, and not by one', () => {
    const uncaught = { caughtBy: 'verifier' } as const;
    expect(missedTargets('contradiction', tallyOf(many(uncaught, 1)))).toEqual([]);
    expect(missedTargets('contradiction', tallyOf(many(uncaught, 2)))).toHaveLength(1);
    expect(missedTargets('stale-value', tallyOf(many(uncaught, 2)))).toEqual([]);
  });

  it('are missed by one that was caught and handed over as good', () => {
    expect(missedTargets('stale-value', tallyOf(many({ outcome: 'missed' }, 1)))).toHaveLength(1);
    expect(missedTargets('stale-value', tallyOf(many({ outcome: 'missed', caughtBy: undefined }, 1)))).toEqual([]);
  });

  it('are missed by more than one false alarm in a hundred, and by a clean run that comes out wrong', () => {
    const clean = many({ committed: 0, caughtBy: undefined }, 100);
    const alarm = { ...trial, caughtBy: 'code' as const };
    expect(missedByClean(tallyOf([...clean.slice(1), alarm]))).toEqual([]);
    expect(missedByClean(tallyOf([...clean.slice(2), alarm, alarm]))).toHaveLength(1);
    expect(missedByClean(tallyOf([...clean, { ...trial, caughtBy: undefined, outcome: 'missed' }]))).toHaveLength(1);
  });
});
