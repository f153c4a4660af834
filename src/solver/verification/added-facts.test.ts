import { describe, expect, it } from 'vitest';
import type { Issue, Observation } from '../../core/attempt.ts';
import { attemptWith } from '../../testing/attempt.ts';
import { addedFacts } from './added-facts.ts';

const observation: Observation = {
  id: 'obs-1',
  path: '',
  tool: 'open',
  args: { url: 'https://quay.example/fees' },
  status: 'ok',
  content: 'Berths cost 320 euros. The pier is closed on feast days.',
  trust: 'untrusted',
};
const draft = attemptWith({ answer: 'A berth for 45 days.', claims: [{ text: 'valid since 1997', evidence: [] }] });
const context = {
  task: { input: 'What do 14 berths cost?', constraints: ['below 9000'], checks: [] },
  date: '2031-05-17',
};
const demand = (type: Issue['type'], detail: string) => ({
  by: 'checks',
  knows: 'rules' as const,
  verdict: 'revise' as const,
  issues: [{ type, detail, requiredAction: 'mend it' }],
  needsMoreTools: false,
});
const added = (answer: string, reports = [demand('wrong_computation', '14 * 320 is 4480, not 4400')]) =>
  addedFacts(attemptWith({ answer, observations: [observation], reports }), draft, context).map(({ detail }) => detail);

describe('a revision', () => {
  it.each([
    ['a number', 'A berth for 45 days, 77 euros.', '77'],
    ['a URL', 'See https://quay.example/rules.', 'https://quay.example/rules'],
    ['a quoted text', 'It says "the pier is always open" there.', '"the pier is always open"'],
  ])('adds %s that stands nowhere', (_, answer, fact) => {
    expect(added(answer)).toEqual([`the revision added ${fact}, which stands in no source`]);
  });

  it.each([
    ['the draft and its claims', '45 days, since 1997'],
    ['the task and its conditions', '14 berths, below 9000'],
    ['the observations and their arguments', '320 euros, see https://quay.example/fees'],
    ['what code demanded', '4,480 euros'],
    ['a computation that it states', 'In all 14 * 45 = 630, so 630 euros'],
    ['the day', 'On 17 May 2031'],
    ['counting', 'There are 3 rules'],
    ['quoted words of a source', 'It says “the pier is closed on feast days”'],
  ])('may say what stands in %s', (_, answer) => {
    expect(added(answer)).toEqual([]);
  });

  it('is not quoting where its answer is JSON', () => {
    const task = { ...context.task, outputSchema: { type: 'object' } };
    const revision = attemptWith({ answer: '{"state":"open to the public"}', observations: [observation] });
    expect(addedFacts(revision, draft, { ...context, task })).toEqual([]);
  });

  it('does not get a fact by having it refused', () => {
    expect(added('It is 77 euros.', [demand('unsupported_claim', 'the revision added 77')])).toHaveLength(1);
  });
});
