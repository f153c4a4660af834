import { describe, expect, it } from 'vitest';
import { defineAgent } from '../../agent.ts';
import { scriptedModel } from '../../model/providers/script-model.ts';
import { reflexion } from '../../solver/reflexion/reflexion.ts';
import { attemptWith } from '../../testing/attempt.ts';
import { callFinal } from '../../testing/replies.ts';
import { offlineContext } from '../offline.ts';
import { type JudgeOptions, judge } from './judge.ts';

const rubric = [
  { id: 'depth', text: 'names the depth' },
  { id: 'unit', text: 'names the unit' },
];
const answer = 'The lock is nine deep.';

interface Said {
  depth?: boolean | string;
  unit?: boolean | string;
  pass?: boolean;
  quote?: string;
  criteria?: string[];
}

function verdict({
  depth = true,
  unit = true,
  pass = depth === true && unit === true,
  quote = 'nine deep',
  criteria = ['depth', 'unit'],
}: Said): string {
  const met: Record<string, unknown> = { depth, unit };
  const verdicts = criteria.map((criterion) => ({ criterion, quote, why: `it says so`, met: met[criterion] ?? true }));
  return JSON.stringify({ verdicts, pass });
}

/** One trial; the judge says these things one after the other. */
async function judged(said: string[], options: Partial<JudgeOptions> = {}) {
  const actor = scriptedModel([callFinal(answer)], { modelId: 'actor' });
  const judging = scriptedModel(said, { modelId: 'other' });
  const evaluator = judge({ rubric, ...options });
  const agent = defineAgent({ model: { actor, judge: judging }, layers: [reflexion({ evaluator, trials: 1 })] });
  const result = await agent.run('how deep is the lock');
  return { result, report: result.attempt.reports.at(-1), calls: judging.calls };
}

describe('judge', () => {
  it('accepts by every criterion, and says who judged', async () => {
    const { result, report, calls } = await judged([verdict({})]);
    expect(result).toMatchObject({ status: 'completed', selfChecked: false });
    expect(report).toMatchObject({ by: 'evaluator:judge:other', knows: 'another-model', verdict: 'pass' });
    const prompt = JSON.stringify(calls[0]?.prompt);
    for (const text of ['depth: names the depth', 'unit: names the unit', answer, 'how deep is the lock'])
      expect(prompt).toContain(text);
  });

  it('tells which criterion is not met, on which words', async () => {
    const { report } = await judged([verdict({ unit: false })]);
    expect(report).toMatchObject({ verdict: 'fail' });
    expect(report?.issues[0]?.detail).toBe('- unit is not met: it says so ("nine deep")');
  });

  it.each([
    ['words that stand nowhere', verdict({ unit: false, quote: 'ten deep' })],
    ['no words', verdict({ unit: false, quote: '' })],
    ['a sum that its parts contradict', verdict({ unit: false, pass: true })],
    ['a rejection that no criterion carries', verdict({ pass: false })],
    ['a criterion of its own', verdict({ criteria: ['depth', 'style'], pass: false })],
    ['a criterion left out', verdict({ criteria: ['depth'] })],
    ['a criterion twice', verdict({ criteria: ['depth', 'depth'] })],
    ['a word in place of a verdict', 'CORRECT'],
    ['a word that holds another', 'INCORRECT'],
    ['nothing', ''],
  ])('sends back a verdict with %s, and takes the next', async (_what, bad) => {
    const { report, calls } = await judged([bad, verdict({ unit: false })]);
    expect(calls).toHaveLength(2);
    expect(report).toMatchObject({ verdict: 'fail' });
  });

  it('takes the word false for no pass', async () => {
    const { report } = await judged([verdict({ unit: 'false', pass: false })]);
    expect(report).toMatchObject({ verdict: 'fail' });
  });

  it('leaves the answer unjudged when no verdict counts', async () => {
    const { result, report } = await judged(['PASS', 'PASS', 'PASS']);
    expect(report).toMatchObject({ verdict: 'unchecked' });
    expect(result.status).toBe('needs_more_evidence');
  });

  it('asks a model of its own when it has one', async () => {
    const own = scriptedModel([verdict({})], { modelId: 'own' });
    const { report, calls } = await judged([], { model: own });
    expect([own.calls.length, calls.length]).toEqual([1, 0]);
    expect(report).toMatchObject({ by: 'evaluator:judge:own', verdict: 'pass' });
  });

  it('takes a vendor model of the same name for the actor itself', async () => {
    const named = (source: object) => ({ ...source, source: 'provider' as const });
    const actor = named(scriptedModel([callFinal(answer)], { modelId: 'Large-1', name: 'vendor' }));
    const other = named(scriptedModel([verdict({})], { modelId: 'large-1', name: 'router' }));
    const model = {
      actor: actor as ReturnType<typeof scriptedModel>,
      judge: other as ReturnType<typeof scriptedModel>,
    };
    const result = await defineAgent({ model, layers: [reflexion({ evaluator: judge({ rubric }) })] }).run('how deep');
    expect(result.status).toBe('failed');
    expect(result.reason.detail).toContain('allowSelfJudge');
  });

  it('does not judge outside of a run, and refuses a rubric that cannot be cited', () => {
    const outside = () =>
      judge({ rubric }).evaluate(
        attemptWith({ answer }),
        { input: 'x', constraints: [], checks: [] },
        offlineContext(),
      );
    expect(outside).toThrow(/use it in reflexion/);
    expect(() => judge({ rubric: [] })).toThrow(/at least one criterion/);
    expect(() =>
      judge({
        rubric: [
          { id: 'a', text: 'x' },
          { id: 'a', text: 'y' },
        ],
      }),
    ).toThrow(/id of its own/);
  });
});
