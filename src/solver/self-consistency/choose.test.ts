import { describe, expect, it } from 'vitest';
import type { Attempt, Observation } from '../../core/attempt.ts';
import { attemptWith } from '../../testing/attempt.ts';
import { choose, type Sample } from './choose.ts';

function sample(answer: string, change: Partial<Attempt> = {}): Sample {
  return { vote: answer, attempt: attemptWith({ answer, ...change }) };
}

const seen: Observation = {
  id: 'obs-1',
  path: '',
  tool: 'look',
  args: {},
  status: 'ok',
  content: 'seven boats',
  trust: 'trusted',
};

const claim = (...quotes: string[]): Attempt['claims'] => [
  { text: 'boats', evidence: quotes.map((quote) => ({ observation: 'obs-1', quote })) },
];

const winner = (...samples: Sample[]): string | undefined => choose(samples)?.winner.attempt.answer;

describe('the choice among samples', () => {
  it('counts no answer that a limit forced, unless there is no other', () => {
    expect(winner(sample('8', { degraded: true }), sample('8', { degraded: true }), sample('7'))).toBe('7');
    expect(winner(sample('8', { degraded: true }), sample('8', { degraded: true }))).toBe('8');
  });

  it('takes as support only what stands in a result', () => {
    const supported = sample('7', { observations: [seen], claims: claim('seven boats') });
    const unsupported: [string, Partial<Attempt>][] = [
      ['a quote that is not there', { observations: [seen], claims: claim('eight boats') }],
      ['one quote of two', { observations: [seen], claims: claim('seven boats', 'eight boats') }],
      ['a failed call', { observations: [{ ...seen, status: 'error' }], claims: claim('seven boats') }],
      ['no evidence', { observations: [seen], claims: claim() }],
      ['an empty quote', { observations: [seen], claims: claim('"') }],
    ];
    for (const [, change] of unsupported) expect(winner(sample('8', change), supported)).toBe('7');
  });

  it('takes the best supported of those that agree', () => {
    const supported = sample('7', { observations: [seen], claims: claim('seven boats') });
    const choice = choose([sample('7'), supported, sample('8')]);
    expect(choice).toMatchObject({ by: 'majority', winner: { attempt: { claims: supported.attempt.claims } } });
  });

  it('is none where nobody answered', () => {
    expect(choose([])).toBeUndefined();
  });
});
