import { describe, expect, it } from 'vitest';
import type { Attempt, Claim, Observation, Report } from '../core/attempt.ts';
import { Budget } from '../core/budget.ts';
import { noUsage } from '../core/usage.ts';
import { attemptWith } from '../testing/attempt.ts';
import { interruptedResult, resultOf } from './outcome.ts';

const seen = (id: Observation['id'], status: Observation['status'], content: string): Observation => ({
  id,
  path: '',
  tool: 'read',
  args: {},
  status,
  content,
  trust: 'untrusted',
});
const claim = (observation: string, quote: string): Claim => ({ text: quote, evidence: [{ observation, quote }] });
const report = (verdict: Report['verdict'], knows: Report['knows'], issues = 0): Report => ({
  by: knows === 'self' ? 'verifier:m' : 'checks',
  knows,
  verdict,
  issues: Array.from({ length: issues }, (_, index) => ({
    type: 'incomplete',
    detail: `fault ${index + 1}`,
    requiredAction: 'mend it',
  })),
  needsMoreTools: false,
});

function attempt(change: Partial<Attempt> = {}): Attempt {
  return attemptWith({
    answer: 'an answer',
    ...change,
  });
}

const outcome = (change: Partial<Attempt>) => resultOf('run', attempt(change), new Budget({}));

describe('what an attempt comes to', () => {
  const limit = { type: 'limit', limit: 'steps', detail: '3 turns were taken' } as const;
  const fault = { type: 'fault', fault: 'refused', detail: 'the model refused' } as const;

  it.each<[string, Partial<Attempt>, [status: string, code: string, detail: string]]>([
    ['a pass', { reports: [report('pass', 'rules')] }, ['completed', 'completed', 'passed its checks']],
    [
      'a pass after revisions',
      { reports: [report('pass', 'rules')], revisions: 2 },
      ['revised', 'revised', '2 revision'],
    ],
    ['no report', {}, ['needs_more_evidence', 'not-verified', 'no check ran']],
    [
      'an unchecked one',
      { reports: [report('unchecked', 'self', 1)] },
      ['needs_more_evidence', 'unchecked', 'fault 1'],
    ],
    ['open issues', { reports: [report('revise', 'rules', 3)] }, ['needs_more_evidence', 'open-issues', 'and 2 more']],
    [
      'a verdict without issues',
      { reports: [report('fail', 'self')] },
      ['needs_more_evidence', 'open-issues', 'named no issue'],
    ],
    ['a layer that stopped', { stopped: { layer: 'plan', why: 'no result' } }, ['stopped', 'plan', 'no result']],
    [
      'a limit with an answer',
      { ended: limit, degraded: true },
      ['stopped', 'steps', 'a last one from what was found'],
    ],
    ['a fault with an answer', { ended: fault, degraded: true }, ['stopped', 'refused', 'the model refused']],
    ['a limit without an answer', { ended: limit, answer: undefined }, ['stopped', 'steps', '3 turns were taken']],
    ['a fault without an answer', { ended: fault, answer: undefined }, ['failed', 'refused', 'the model refused']],
    ['no answer and no reason', { answer: undefined }, ['failed', 'no-answer', 'ended without an answer']],
  ])('%s', (_, change, [status, code, detail]) => {
    const result = outcome(change);
    expect(result).toMatchObject({ status, reason: { code } });
    expect(result.reason.detail).toContain(detail);
  });

  it('says that the model was its only judge, of the last verification only', () => {
    const judged = (...reports: Report[]) => outcome({ reports }).selfChecked;
    expect(judged(report('pass', 'self'))).toBe(true);
    expect(judged(report('pass', 'rules'), report('pass', 'self'))).toBe(false);
    expect(judged(report('pass', 'rules'), report('revise', 'self', 1), report('pass', 'self'))).toBe(true);
    expect(judged(report('pass', 'self'), report('revise', 'self', 1))).toBe(false);
    expect(judged(report('pass', 'another-model'))).toBe(false);
    expect(judged()).toBe(false);
  });

  it('keeps no transcript, and invents nothing for a run that left nothing', () => {
    const interrupted = interruptedResult('run', {
      status: 'cancelled',
      reason: { code: 'cancelled', detail: 'cancelled' },
      attempt: undefined,
      budget: new Budget({}),
    });
    expect(interrupted.attempt).toMatchObject({ observations: [], ended: { type: 'limit', limit: 'interrupted' } });
    expect(interrupted.answer).toBeUndefined();
    expect('state' in outcome({ state: undefined }).attempt).toBe(false);
  });
});

describe('metrics', () => {
  it('count a claim as supported when every quote stands in an observation with a result, whatever layers ran', () => {
    const observations = [
      seen('obs-1', 'ok', 'Seven boats lie here — moored.'),
      seen('obs-2', 'error', 'Nine boats lie here.'),
    ];
    const both = {
      text: 'both',
      evidence: [...claim('obs-1', 'Seven boats').evidence, ...claim('obs-1', 'gone').evidence],
    };
    const claims = [
      claim('obs-1', 'Seven boats lie here'),
      claim('obs-1', 'Eight boats'),
      claim('obs-2', 'Nine boats'),
      claim('obs-3', 'Seven boats'),
      claim('obs-1', '—'),
      { text: 'bare', evidence: [] },
      both,
    ];
    const { metrics } = outcome({ observations, claims });
    expect(metrics).toMatchObject({ claims: 7, supportedClaims: 1, toolErrors: 1 });
  });

  it('take calls and time from the ledger', () => {
    const budget = new Budget({});
    budget.settle(undefined, { ...noUsage, toolCalls: 3 }, { from: 10, to: 35 });
    const { metrics, usage } = resultOf('run', attempt({ revisions: 1 }), budget);
    expect(metrics).toMatchObject({ toolCalls: 3, activeMs: 25, revisions: 1, turns: 0 });
    expect(usage.toolCalls).toBe(3);
  });
});
