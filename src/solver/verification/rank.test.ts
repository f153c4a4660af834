import { describe, expect, it } from 'vitest';
import type { Attempt, Issue, Report } from '../../core/attempt.ts';
import { attemptWith } from '../../testing/attempt.ts';
import { best, scoreOf } from './rank.ts';

function attempt(
  answer: string | undefined,
  verdict?: Report['verdict'],
  more: { issues?: number; degraded?: boolean } = {},
): Attempt {
  const issue: Issue = { type: 'incomplete', detail: 'a fault', requiredAction: 'mend it' };
  const issues = Array.from({ length: more.issues ?? 0 }, () => issue);
  return attemptWith({
    answer,
    reports: verdict ? [{ by: 'checks', knows: 'rules', verdict, issues, needsMoreTools: false }] : [],
    degraded: more.degraded ?? false,
  });
}

describe('the best of several attempts', () => {
  it.each<[string, Attempt[]]>([
    ['passed before it was not checked', [attempt('best', 'pass'), attempt('other', 'unchecked')]],
    ['was not checked before it is faulty', [attempt('best', 'unchecked'), attempt('other', 'revise', { issues: 1 })]],
    [
      'can be mended before it is useless',
      [attempt('best', 'revise', { issues: 9 }), attempt('other', 'fail', { issues: 1 })],
    ],
    ['has fewer faults', [attempt('best', 'revise', { issues: 1 }), attempt('other', 'revise', { issues: 2 })]],
    ['is no last answer', [attempt('best', 'pass'), attempt('other', 'pass', { degraded: true })]],
    ['has an answer', [attempt('best', 'fail', { issues: 9 }), attempt(undefined, 'pass')]],
    ['has no report but is whole', [attempt('best'), attempt('other', 'revise', { issues: 1 })]],
  ])('%s, in whatever order they were made', (_, tried) => {
    expect(best(tried).answer).toBe('best');
    expect(best(tried.toReversed()).answer).toBe('best');
  });

  it('is the earlier of two that are as good', () => {
    expect(best([attempt('first', 'revise', { issues: 1 }), attempt('second', 'revise', { issues: 1 })]).answer).toBe(
      'first',
    );
  });

  it('is scored from 0 to 1, and no number of faults makes a better verdict the worse one', () => {
    expect(scoreOf(attempt('a', 'pass'))).toBe(1);
    expect(scoreOf(attempt(undefined, 'pass'))).toBe(0);
    const scores = [
      attempt('a', 'unchecked', { issues: 1 }),
      attempt('a', 'pass', { degraded: true }),
      attempt('a', 'revise', { issues: 1 }),
      attempt('a', 'revise', { issues: 99 }),
      attempt('a', 'revise', { issues: 1, degraded: true }),
      attempt('a', 'fail', { issues: 1 }),
      attempt('a', 'fail', { issues: 99, degraded: true }),
    ].map(scoreOf);
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
    expect(new Set(scores).size).toBe(scores.length);
    expect(scores.every((score) => score > 0 && score < 1)).toBe(true);
  });
});
