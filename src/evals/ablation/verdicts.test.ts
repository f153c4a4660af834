import { describe, expect, it } from 'vitest';
import type { Comparison, Estimate } from '../evaluation.ts';
import { verdictsOn } from './verdicts.ts';

const about = (value: number, width = 0.02): Estimate => ({ value, low: value - width, high: value + width });
const comparison = (changes: Partial<Comparison>): Comparison => ({
  ...{ a: 'below', b: 'above', tasks: 200, difference: about(0), onlyB: 0, onlyA: 0, pValue: 1 },
  ...{ silentDifference: about(0, 0.001), silentPValue: 1, costRatio: 2, costUnit: 'tokens', latencyRatio: 1 },
  finding: 'noise',
  ...changes,
});
const verdictOn = (added: Partial<Comparison>, leftOut?: Partial<Comparison>) =>
  verdictsOn([{ mechanism: 'plan', added: comparison(added), ...(leftOut && { leftOut: comparison(leftOut) }) }])[0]!;

describe('verdictsOn', () => {
  it('keeps what raises success beyond chance', () => {
    const { verdict, why } = verdictOn({ difference: about(0.1), onlyB: 25, onlyA: 5, pValue: 0.001 });
    expect(verdict).toBe('keep');
    expect(why).toBe('success +10.0 points (8.0 to 12.0), at 2.0 times the tokens');
  });

  it('keeps what makes wrong answers known, though it answers no better', () => {
    expect(verdictOn({ silentDifference: about(-0.3), silentPValue: 1e-9 })).toMatchObject({ verdict: 'keep' });
  });

  it('drops what lowers success, also when it makes wrong answers known', () => {
    const worse = { difference: about(-0.1), onlyA: 25, onlyB: 5, pValue: 0.001 };
    expect(verdictOn({ ...worse, silentDifference: about(-0.3), silentPValue: 1e-9 }).verdict).toBe('drop');
  });

  it('drops what could at best be worth less than two points', () => {
    const { verdict, why } = verdictOn({ difference: about(0.005, 0.01), onlyB: 3, onlyA: 2 });
    expect(verdict).toBe('drop');
    expect(why).toContain('at best +1.5 points');
  });

  it('does not judge by a difference inside the noise, and says how many tasks would do', () => {
    const verdict = verdictOn({ difference: about(0.05, 0.06), onlyB: 30, onlyA: 20, pValue: 0.2 });
    expect(verdict.verdict).toBe('not-enough-data');
    expect(verdict.tasksNeeded).toBeGreaterThan(200);
    expect(verdict.why).toMatch(/about [\d,]+ tasks would tell/);
  });

  it('keeps what the whole is worse without', () => {
    expect(
      verdictOn({ difference: about(0.01, 0.05), pValue: 0.7 }, { difference: about(0.08), pValue: 0.001 }).verdict,
    ).toBe('keep');
  });

  it('asks more of a difference that is one of many', () => {
    const one = {
      mechanism: 'plan' as const,
      added: comparison({ difference: about(0.05), onlyB: 14, onlyA: 4, pValue: 0.03 }),
    };
    expect(verdictsOn([one])[0]?.verdict).toBe('keep');
    const five = verdictsOn([one, ...Array(4).fill({ mechanism: 'refine', added: comparison({}) })]);
    expect(five[0]?.verdict).toBe('not-enough-data');
  });
});
