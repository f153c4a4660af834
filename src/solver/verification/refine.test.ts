import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { type AgentOptions, defineAgent } from '../../agent.ts';
import type { Check } from '../../checks/check.ts';
import type { Issue } from '../../core/attempt.ts';
import type { RunEvent } from '../../core/event.ts';
import { type ScriptedReply, scriptedModel } from '../../model/providers/script-model.ts';
import { attemptWith } from '../../testing/attempt.ts';
import { callFinal, callTool } from '../../testing/replies.ts';
import { tool } from '../../tools/tool.ts';
import type { RefinedAttempt } from './changes.ts';
import { nextWay, type Version, type Way } from './refine.ts';
import { type VerificationOptions, verification } from './verification.ts';

const shelf = tool({
  name: 'shelf',
  description: 'Reads a shelf.',
  input: z.object({}),
  effect: 'read',
  run: () => 'The shelf holds jam.',
});
const json = JSON.stringify;
const rewritten = (answer: string) => json({ answer, claims: [] });
const issue = (detail: string, change: Partial<Issue> = {}): Issue => ({
  type: 'incomplete',
  detail,
  requiredAction: `mend ${detail}`,
  ...change,
});

/** Finds as many faults as the answer's number says, each time in other words where `detail` differs. */
const counting = (detail: (answer: string, index: number) => string): Check => ({
  name: 'counting',
  run: ({ answer = '' }) =>
    Array.from({ length: Number(/\d+/.exec(answer)?.[0] ?? 0) }, (_, index) => issue(detail(answer, index))),
});

async function refine(
  script: { actor: ScriptedReply[]; refine?: ScriptedReply[] },
  options: VerificationOptions,
  agent: Partial<AgentOptions> = {},
) {
  const left: Record<string, ScriptedReply[]> = structuredClone(script);
  const model = scriptedModel(
    (_, { role }) => left[role]?.shift() ?? { error: { status: 400, message: `nothing left for ${role}` } },
  );
  const layers = [verification({ verifier: false, ...options })];
  const run = defineAgent({ model, tools: [shelf], layers, ...agent }).run('what is there');
  const events: RunEvent[] = [];
  for await (const event of run) events.push(event);
  const ways = events.flatMap((event) => (event.type === 'refine.made' ? [event.withTools ? 'tools' : 'rewrite'] : []));
  const warnings = events.flatMap((event) => (event.type === 'run.warning' ? [event.why] : []));
  return { result: await run, ways, warnings };
}

describe('refinement', () => {
  it('returns the best-scored version, with the verdict that is its own', async () => {
    const { result } = await refine(
      { actor: [callFinal('3 faults'), callFinal('1 fault'), callFinal('2 faults')] },
      { checks: [counting((answer, index) => `${answer} ${index}`)] },
    );
    expect(result).toMatchObject({ status: 'needs_more_evidence', answer: '1 fault', attempt: { revisions: 1 } });
    expect(result.attempt.reports.map(({ issues }) => issues.length)).toEqual([3, 1]);
  });

  it('keeps the earlier of two that are as good', async () => {
    const { result } = await refine(
      { actor: [callFinal('1 fault'), callFinal('1 other'), callFinal('1 more')] },
      { checks: [counting((answer) => answer)] },
    );
    expect(result).toMatchObject({ answer: '1 fault', attempt: { revisions: 0 } });
  });

  it('changes its way when the same issue comes back, and then stops, with what is left of the budget', async () => {
    const { result, ways, warnings } = await refine(
      { actor: [callFinal('1 a'), callFinal('1 b')], refine: [rewritten('1 c'), rewritten('1 d')] },
      { checks: [counting(() => 'the label')], refine: { rounds: 9 } },
      { budget: { modelCalls: 40 } },
    );
    expect(ways).toEqual(['tools', 'rewrite']);
    expect(result.reason.code).toBe('open-issues');
    expect(warnings).toEqual([expect.stringMatching(/came back.*model calls left: 37/)]);
  });

  it('ends after its rounds when a judge finds something else each time', async () => {
    const { ways, warnings } = await refine(
      { actor: ['1 a', '1 b', '1 c', '1 d', '1 e'].map((answer) => callFinal(answer)) },
      { checks: [counting((answer) => `not ${answer}`)], refine: { rounds: 3 } },
    );
    expect(ways).toEqual(['tools', 'tools', 'tools']);
    expect(warnings).toEqual([]);
  });

  it('does not begin a revision that the budget could not have judged', async () => {
    const script = { actor: [callFinal('1 a'), callFinal('1 b')] };
    const options = { checks: [counting(() => 'the label')], refine: { rounds: 1 } };
    const tight = await refine(script, { ...options, verifier: true }, { budget: { modelCalls: 5 } });
    expect(tight).toMatchObject({
      ways: [],
      warnings: [expect.stringContaining('the limit modelCalls leaves no room')],
    });
    const enough = await refine(script, options, { budget: { modelCalls: 5 } });
    expect(enough).toMatchObject({ ways: ['tools'], warnings: [] });
  });

  it('goes on from there when the run is extended under other limits', async () => {
    const left: ScriptedReply[] = [callFinal('1 a'), callFinal('good')];
    const model = scriptedModel(() => left.shift() ?? '');
    const layers = [verification({ checks: [counting(() => 'the label')], verifier: false })];
    const agent = defineAgent({ model, tools: [shelf], layers, budget: { modelCalls: 2 } });
    expect((await agent.run('what is there', { runId: 'short' })).reason.code).toBe('open-issues');
    const extended = await agent.extend('short', { budget: { modelCalls: 20 } });
    expect(extended).toMatchObject({ status: 'revised', answer: 'good' });
  });

  it('has code catch what a revision invents', async () => {
    const first: Check = { name: 'first', run: ({ answer }) => (answer === 'wood' ? [issue('the label')] : []) };
    const revised = async (answer: string) =>
      (
        await refine(
          { actor: [callTool('shelf'), callFinal('wood'), callFinal(answer)] },
          { checks: [first], refine: { rounds: 1 } },
        )
      ).result;
    const invented = await revised('jam, 250 jars of it');
    expect(invented).toMatchObject({ status: 'needs_more_evidence', answer: 'wood' });
    expect(await revised('jam')).toMatchObject({ status: 'revised', answer: 'jam' });
  });
});

describe('a reference', () => {
  const script = { actor: ['2 good', '1 bad', '1 good'].map((answer) => callFinal(answer)) };
  const checks = [counting((answer, index) => `${answer} ${index}`)];
  const isGood: VerificationOptions['reference'] = ({ answer = '' }) => answer.includes('good');

  it('counts what revising did to the answer', async () => {
    const { result } = await refine(script, { checks, reference: isGood });
    const attempt: RefinedAttempt = result.attempt;
    expect(attempt).toMatchObject({
      answer: '1 bad',
      changes: { versions: 3, rightToWrong: 1, wrongToRight: 1, firstRight: true, returnedRight: false },
    });
  });

  it('changes nothing else, whatever it says', async () => {
    const without = (await refine(script, { checks })).result;
    for (const reference of [isGood, () => true, () => false]) {
      const { result } = await refine(script, { checks, reference });
      const { changes, ...attempt }: RefinedAttempt = result.attempt;
      expect(changes).toBeDefined();
      expect(attempt).toEqual(without.attempt);
    }
    expect(without.attempt).not.toHaveProperty('changes');
  });

  it('that throws costs the count, not the answer', async () => {
    const reference = () => {
      throw new Error('no such key');
    };
    const { result, warnings } = await refine(script, { checks, reference });
    expect(result.answer).toBe('1 bad');
    expect(result.attempt).not.toHaveProperty('changes');
    expect(warnings).toEqual([expect.stringContaining('no such key')]);
  });
});

describe('the way of the next round', () => {
  const version = (way: Way | undefined, ...issues: Issue[]): Version => ({
    attempt: attemptWith(),
    report: { by: 'v', knows: 'self', verdict: 'revise', issues, needsMoreTools: way !== 'rewrite' },
    way,
  });
  const next = (versions: Version[], needsMoreTools: boolean, hasTools = true) => {
    const last = versions.at(-1)?.report;
    return last && nextWay({ ...last, needsMoreTools }, versions, hasTools);
  };
  const a = issue('a');
  const b = issue('b');

  it.each<[string, Way | undefined, Version[], boolean]>([
    ['is what the first report asks for', 'tools', [version(undefined, a)], true],
    ['is what the first report asks for', 'rewrite', [version(undefined, a)], false],
    ['is kept while an issue goes away', 'tools', [version('tools', a, b), version(undefined, a)], true],
    ['is kept while other issues come', 'tools', [version('tools', a), version(undefined, b)], true],
    ['is the other one when the issues stay', 'rewrite', [version('tools', a), version(undefined, a, b)], true],
    ['is the other one when they stay', 'tools', [version('rewrite', a), version(undefined, a)], false],
    [
      'ends when both have failed',
      undefined,
      [version('tools', a), version('rewrite', a), version(undefined, a)],
      true,
    ],
    [
      'is free again after other issues',
      'tools',
      [version('tools', a), version('rewrite', b), version(undefined, a)],
      true,
    ],
    [
      'sees through other words',
      'rewrite',
      [version('tools', issue('x', { claim: 'c' })), version(undefined, issue('y', { claim: 'c' }))],
      true,
    ],
  ])('%s: %s', (_, way, versions, needsMoreTools) => {
    expect(next(versions, needsMoreTools)).toBe(way);
  });

  it('leads to no tools where there are none', () => {
    expect(next([version('rewrite', a), version(undefined, a)], false, false)).toBeUndefined();
  });
});
