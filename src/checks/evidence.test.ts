import { describe, expect, it } from 'vitest';
import type { Attempt, Issue, Observation } from '../core/attempt.ts';
import { attemptWith } from '../testing/attempt.ts';
import { evidence } from './evidence.ts';
import { offlineContext } from './offline.ts';

const task = { input: 'How tall is the tower?', constraints: [], checks: [] };
const tower: Observation = {
  id: 'obs-1',
  path: '',
  tool: 'search',
  args: {},
  status: 'ok',
  content: 'The tower is 92 metres tall.',
  trust: 'untrusted',
};

async function issuesOf(attempt: Partial<Attempt>): Promise<Issue[]> {
  const whole = attemptWith({
    answer: 'It is 92 metres tall.',
    observations: [tower],
    ...attempt,
  });
  return evidence.run(whole, task, offlineContext());
}

function cites(...observations: string[]): Attempt['claims'][number] {
  return {
    text: 'The tower is 92 metres tall',
    evidence: observations.map((id) => ({ observation: id, quote: '92' })),
  };
}

describe('evidence', () => {
  it('accepts a claim that cites an observation with a result', async () => {
    expect(await issuesOf({ claims: [cites('obs-1')] })).toEqual([]);
  });

  it.each([true, false])('lets a plan say whether something has to be looked up: %s', async (needsExternalInfo) => {
    const step = {
      id: 's1',
      objective: 'find its height',
      successCondition: '',
      status: 'todo',
      needsExternalInfo,
    } as const;
    const plan = { goal: 'the height', constraints: [], givens: [], steps: [step], effects: [] };
    const issues = await issuesOf({ observations: [], plan });
    expect(issues.map(({ type }) => type)).toEqual(needsExternalInfo ? ['incomplete'] : []);
  });

  it('rejects a claim without evidence', async () => {
    expect(await issuesOf({ claims: [cites()] })).toMatchObject([
      { type: 'unsupported_claim', claim: 'The tower is 92 metres tall' },
    ]);
  });

  it.each(['obs-2', 'obs-11', 'OBS-1', '', 'https://a.example'])('rejects the invented observation %j', async (id) => {
    const [issue] = await issuesOf({ claims: [cites(id)] });
    expect(issue?.detail).toContain('the observations are obs-1');
  });

  it.each(['error', 'denied', 'timeout', 'unknown-outcome'] as const)(
    'rejects an observation that is %s',
    async (status) => {
      const [issue] = await issuesOf({ claims: [cites('obs-1')], observations: [{ ...tower, status }] });
      expect(issue?.detail).toContain(status);
    },
  );

  it('names every bad citation, also beside a good one', async () => {
    expect(await issuesOf({ claims: [cites('obs-1', 'obs-7'), cites('obs-8')] })).toHaveLength(2);
  });

  it('wants claims once a tool returned something, and not before', async () => {
    expect(await issuesOf({})).toMatchObject([{ type: 'unsupported_claim' }]);
    expect(await issuesOf({ observations: [] })).toEqual([]);
    expect(await issuesOf({ observations: [{ ...tower, status: 'error' }] })).toEqual([]);
  });

  it('calls an attempt without an answer incomplete', async () => {
    expect(await issuesOf({ answer: undefined })).toMatchObject([{ type: 'incomplete' }]);
  });
});
