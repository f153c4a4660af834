import { describe, expect, it } from 'vitest';
import type { Attempt, Observation } from '../core/attempt.ts';
import type { Result } from '../core/result.ts';
import { noUsage } from '../core/usage.ts';
import { evidenceView } from './evidence-view.ts';

function seen(id: Observation['id'], content: string, more: Partial<Observation> = {}): Observation {
  return { id, path: 'trial-1', tool: 'readDoc', args: {}, status: 'ok', content, trust: 'untrusted', ...more };
}

function resultWith(attempt: Partial<Attempt>, answer: string | undefined = 'The answer.'): Result {
  return {
    runId: 'r1',
    status: 'completed',
    reason: { code: 'checked', detail: '' },
    answer,
    attempt: {
      answer,
      claims: [],
      observations: [],
      reports: [],
      drafts: [],
      ended: { type: 'final' },
      degraded: false,
      revisions: 0,
      ...attempt,
    },
    selfChecked: false,
    usage: noUsage,
    metrics: { turns: 1, toolCalls: 1, toolErrors: 0, supportedClaims: 0, claims: 0, revisions: 0, activeMs: 1 },
  };
}

const task = { input: 'What does the pump cost?', constraints: [], checks: [] };
const catalogue = seen('obs-1', 'Pump P-7: the price is 129 euros, delivered in 4 days.');
const sum = seen('obs-2', '37 * 129 = 4773', { tool: 'calculator', trust: 'trusted' });

async function claimsOf(claims: Attempt['claims'], more: Partial<Attempt> = {}) {
  return (await evidenceView(resultWith({ claims, observations: [catalogue, sum], ...more }), task)).claims;
}

describe('the evidence of an answer', () => {
  it('tells where a quote stands, in the attempt that saw it', async () => {
    const [claim] = await claimsOf([
      { text: 'The pump costs 129 euros.', evidence: [{ observation: 'obs-1', quote: 'price is 129 euros' }] },
    ]);
    const [cited] = claim!.evidence;
    expect(claim!.state).toBe('supported');
    expect(cited).toMatchObject({ observation: 'obs-1', path: 'trial-1' });
    expect(cited!.spans.map(({ from, to }) => catalogue.content.slice(from, to))).toEqual(['price is 129 euros']);
  });

  it('says which claims the program computed', async () => {
    const [claim] = await claimsOf([
      { text: 'It comes to 4773.', evidence: [{ observation: 'obs-2', quote: '= 4773' }] },
    ]);
    expect(claim).toMatchObject({ state: 'recomputed', issues: [] });
  });

  it.each([
    ['nothing is cited', []],
    ['the quote does not stand there', [{ observation: 'obs-1', quote: 'the price is 99 euros' }]],
    ['the observation does not exist', [{ observation: 'obs-9', quote: 'the price is 129 euros' }]],
  ])('is unsupported where %s, with the reason', async (_, cited) => {
    const [claim] = await claimsOf([{ text: 'The pump is cheap.', evidence: cited }]);
    expect(claim!.state).toBe('unsupported');
    expect(claim!.issues).not.toEqual([]);
    expect(claim!.evidence.flatMap(({ spans }) => spans)).toEqual([]);
  });

  it('takes up what the last judge said of a claim, once, and keeps apart what is of none', async () => {
    const claim = { text: 'Delivered in 4 days.', evidence: [{ observation: 'obs-1', quote: 'delivered in 4 days' }] };
    const said = { type: 'contradiction' as const, detail: 'another page says 5', requiredAction: 'look again' };
    const general = { type: 'incomplete' as const, detail: 'the tax is missing', requiredAction: 'add it' };
    const judge = { by: 'verifier:x', knows: 'self' as const, verdict: 'revise' as const, needsMoreTools: false };
    const attempt = {
      claims: [claim],
      observations: [catalogue],
      reports: [{ ...judge, issues: [{ ...said, claim: claim.text }, general] }],
    };
    const view = await evidenceView(resultWith(attempt), task);
    expect(view.claims[0]).toMatchObject({ state: 'unsupported', issues: [said] });
    expect(view.issues).toEqual([general]);
  });

  it('is empty before there is an answer', async () => {
    const { answer: _, ...open } = resultWith({ observations: [catalogue] });
    expect(await evidenceView(open, task)).toEqual({ claims: [], issues: [] });
  });
});
