import { expect, test } from 'vitest';
import type { Attempt } from '../core/attempt.ts';
import type { Result } from '../core/result.ts';
import { noUsage } from '../core/usage.ts';
import { attemptWith } from '../testing/attempt.ts';
import { resultJson, resultText } from './result-text.ts';
import { styleFor } from './style.ts';
import { widthOf } from './width.ts';

const paper = { outColumns: 60, outStyle: styleFor(false) };

function result(change: Partial<Result> = {}, attempt: Partial<Attempt> = {}): Result {
  return {
    runId: '0a1b2c3d-0000-4000-8000-000000000000',
    status: 'completed',
    reason: { code: 'completed', detail: 'the answer passed its checks' },
    answer: 'Seven ropes cost 294 euros.',
    selfChecked: false,
    usage: {
      ...{ ...noUsage, modelCalls: 2, toolCalls: 1, usd: 0.0123 },
      ...{ inputTokens: 3_900, outputTokens: 310, tokens: 4_210, cachedTokens: 2_418 },
    },
    metrics: { turns: 2, toolCalls: 1, toolErrors: 0, supportedClaims: 1, claims: 1, revisions: 0, activeMs: 2_400 },
    attempt: attemptWith({
      answer: 'Seven ropes cost 294 euros.',
      claims: [{ text: 'One costs 42.', evidence: [{ observation: 'obs-1', quote: 'Mooring rope | 42.00' }] }],
      ...attempt,
    }),
    ...change,
  };
}

test('the answer comes first, with the words that carry it, the status and the price', () => {
  const text = resultText(result(), paper);
  expect(text).toMatch(/^Seven ropes cost 294 euros\./);
  expect(text).toContain('obs-1: "Mooring rope | 42.00"');
  expect(text).toContain('completed: the answer passed its checks');
  expect(text.replace(/\n/g, ' ')).toContain(
    '2 model calls · 1 tool call · 3,900 tokens in (62% from cache), 310 out · $0.0123 · 2.4 s',
  );
});

test('what was estimated and what has no price is marked, and nothing of it is called free', () => {
  const { usage } = result();
  const facts = (change: Partial<typeof usage>): string =>
    resultText(result({ usage: { ...usage, cachedTokens: 0, ...change } }), { ...paper, outColumns: undefined });
  expect(facts({ estimatedCalls: 1 })).toContain('about 3,900 tokens in, 310 out · $0.0123 (estimated)');
  expect(facts({ unpricedCalls: 2 })).toContain('3,900 tokens in, 310 out · $0.0123 (2 calls unpriced)');
  expect(facts({ estimatedCalls: 1, unpricedCalls: 1 })).toContain('$0.0123 (estimated, 1 call unpriced)');
  expect(facts({ usd: 0, unpricedCalls: 2 })).toContain('310 out · price unknown');
  expect(facts({ usd: 0 })).toContain('310 out · no cost');
});

test('a claim that nothing carries says so', () => {
  expect(resultText(result({}, { claims: [{ text: 'It floats.', evidence: [] }] }), paper)).toContain(
    'no observation carries this',
  );
});

test('an answer that only its author judged carries a warning', () => {
  expect(resultText(result({ selfChecked: true }), paper)).toContain('only the model that wrote the answer');
});

test('a forced last answer is told as such, with the option that gives more', () => {
  const stopped = { status: 'stopped', reason: { code: 'steps', detail: 'the limit of 3 steps' } } as const;
  const text = resultText(result(stopped, { degraded: true }), paper);
  expect(text).toContain('last answer');
  expect(text).toContain('resume 0a1b2c3d --max-steps N');
});

test('open issues stand with what would mend them', () => {
  const issue = { type: 'incomplete', detail: 'shipping is missing', requiredAction: 'look it up' } as const;
  const report = { by: 'checks', knows: 'rules', verdict: 'revise', issues: [issue], needsMoreTools: true } as const;
  const open = {
    status: 'needs_more_evidence',
    reason: { code: 'open-issues', detail: 'shipping is missing' },
  } as const;
  const text = resultText(result(open, { reports: [{ ...report, issues: [issue] }] }), paper);
  expect(text).toContain('needs more evidence: 1 open issue');
  expect(text).toContain('incomplete: shipping is missing');
  expect(text).toContain('to do: look it up');
});

test('a terminal gets wrapped lines, a file the answer as it is', () => {
  const long = result({ answer: '灯绳商行 '.repeat(30).trim() });
  for (const line of resultText(long, paper).split('\n')) expect(widthOf(line)).toBeLessThanOrEqual(60);
  expect(resultText(long, { ...paper, outColumns: undefined }).split('\n')[0]).toBe(long.answer);
});

test('for a program the working state of the loop is left out', () => {
  expect(resultJson(result())).not.toHaveProperty('attempt.state');
  expect(resultJson(result())).toHaveProperty('attempt.claims');
});
