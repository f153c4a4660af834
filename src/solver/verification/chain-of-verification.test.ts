import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { defineAgent } from '../../agent.ts';
import { UsageError } from '../../core/errors.ts';
import type { RunEvent } from '../../core/event.ts';
import { type ScriptedReply, scriptedModel } from '../../model/providers/script-model.ts';
import { callFinal, callTool } from '../../testing/replies.ts';
import { tool } from '../../tools/tool.ts';
import type { VerifierVariant } from './chain-of-verification.ts';
import { type VerificationOptions, verification } from './verification.ts';

const log = tool({
  name: 'log',
  description: 'The log of the harbour.',
  input: z.object({}),
  effect: 'read',
  run: () => 'The ferry left at 08:15 with 40 cars.',
});
const claims = [
  { text: 'the ferry left at 08:15', evidence: [{ observation: 'obs-1', quote: 'The ferry left at 08:15' }] },
];
const drafted = [callTool('log'), callFinal('It set off at 08:15.', claims)];
const json = JSON.stringify;
const twoQuestions = json({
  questions: [{ question: 'When did it leave?', claim: 1 }, { question: 'With what load?' }],
});
const time = { answer: 'At 08:15.', evidence: [{ observation: 'obs-1', quote: 'left at 08:15' }] };
const load = { answer: 'Perhaps with cattle.', evidence: [{ observation: 'obs-1', quote: 'with cattle' }] };
const pass = json({ verdict: 'pass', issues: [] });
const consistent = json({ relation: 'consistent', why: 'both say 08:15' });
const issue = {
  type: 'incomplete',
  detail: 'the load is missing',
  requiredAction: 'name it',
  criterion: 'task',
  evidence: [{ source: 'task', quote: 'the ferry' }],
};
const rejecting = (change: object) => json({ verdict: 'revise', issues: [{ ...issue, ...change }] });

async function verify(script: Record<string, ScriptedReply[]>, options: VerificationOptions = {}) {
  const left: Record<string, ScriptedReply[]> = structuredClone({ actor: drafted, ...script });
  const model = scriptedModel(
    (_, { role }) => left[role]?.shift() ?? { error: { status: 400, message: `nothing left for ${role}` } },
  );
  const layers = [verification({ checks: [], refine: { rounds: 0 }, ...options })];
  const run = defineAgent({ model, tools: [log], layers }).run('tell of the ferry');
  const events: RunEvent[] = [];
  for await (const event of run) events.push(event);
  const asked = model.calls.map(({ prompt }) => json(prompt));
  const prompts = (role: string) => asked.filter((text) => text.includes(`ROLE ${role}\\n`));
  const warnings = events.flatMap((event) => (event.type === 'run.warning' ? [event.why] : []));
  return { result: await run, prompts, warnings, count: asked.length - drafted.length };
}

const scripts: Record<VerifierVariant, Record<string, ScriptedReply[]>> = {
  joint: { joint: [json({ questions: [{ question: 'When did it leave?', ...time }] })], verdict: [pass] },
  'two-step': {
    questions: [twoQuestions],
    answers: [
      json({
        answers: [
          { question: 2, ...load },
          { question: 1, ...time },
        ],
      }),
    ],
    verdict: [pass],
  },
  factored: { questions: [twoQuestions], answers: [json(time), json(load)], verdict: [pass] },
  'factor+revise': {
    questions: [twoQuestions],
    answers: [json(time), json(load)],
    crosscheck: [consistent],
    verdict: [pass],
  },
};

describe('chain of verification', () => {
  it.each<[VerifierVariant, calls: number]>([
    ['joint', 2],
    ['two-step', 3],
    ['factored', 4],
    ['factor+revise', 5],
  ])('passes as %s, in %i calls, and says that the model judged itself', async (variant, calls) => {
    const { result, count } = await verify(scripts[variant], { verifier: { variant } });
    expect(result).toMatchObject({ status: 'completed', selfChecked: true });
    expect(count).toBe(calls);
  });

  it('is factor+revise unless another variant is asked for', async () => {
    expect(verification().config).toMatchObject({ verifier: { variant: 'factor+revise', tools: false } });
    expect(verification({ verifier: false }).config).toMatchObject({ verifier: false });
    const { prompts } = await verify(scripts['factor+revise'], { verifier: true });
    expect(prompts('crosscheck')).toHaveLength(1);
  });

  it.each<[VerifierVariant, role: string, seen: boolean]>([
    ['joint', 'joint', true],
    ['two-step', 'answers', false],
    ['factored', 'answers', false],
    ['factor+revise', 'answers', false],
  ])('as %s answers with the sources, and with the draft: %#', async (variant, role, seen) => {
    const { prompts } = await verify(scripts[variant], { verifier: { variant } });
    for (const prompt of prompts(role)) {
      expect(prompt).toContain('with 40 cars');
      expect(prompt.includes('It set off at')).toBe(seen);
      expect(prompt).not.toContain('Perhaps with cattle');
    }
    expect(prompts(role).length).toBe(variant.startsWith('factor') ? 2 : 1);
  });

  it('answers two-step questions by their numbers, and not at all when one is missing', async () => {
    const { prompts } = await verify(scripts['two-step'], { verifier: { variant: 'two-step' } });
    expect(prompts('verdict')[0]).toMatch(/answer-1.{1,40}leave.{1,40}08:15.*answer-2.{1,40}load.{1,40}cattle/);
    const missing = { ...scripts['two-step'], answers: [json({ answers: [{ question: 1, ...time }] })] };
    const { result } = await verify(missing, { verifier: { variant: 'two-step' } });
    expect(result.reason).toMatchObject({ code: 'unchecked', detail: expect.stringContaining('question 2') });
  });

  it('holds only what rests on a source against the draft, and shows the verdict which that is', async () => {
    const { prompts } = await verify(scripts['factor+revise']);
    expect(prompts('crosscheck')).toHaveLength(1);
    expect(prompts('crosscheck')[0]).toContain('It set off at 08:15');
    expect(prompts('crosscheck')[0]).not.toContain('with 40 cars');
    expect(prompts('verdict')[0]).toMatch(/cattle.{1,20}It rests on: nothing in the sources/);
    expect(prompts('verdict')[0]).toContain('Cross-check: consistent: both say 08:15');
  });

  it('judges nothing when a cross-check could not be made', async () => {
    const { result, prompts } = await verify({ ...scripts['factor+revise'], crosscheck: [] });
    expect(result.reason.code).toBe('unchecked');
    expect(prompts('verdict')).toEqual([]);
  });

  it('does not take a pass for one that its own cross-check speaks against', async () => {
    const inconsistent = json({ relation: 'inconsistent', why: 'it left at 08:15, not 18:15' });
    const script = { ...scripts['factor+revise'], crosscheck: [inconsistent], verdict: [pass, pass] };
    const { result, prompts } = await verify(script);
    expect(prompts('verdict')[1]).toContain('inconsistent with answer-1');
    expect(result.reason).toMatchObject({ code: 'unchecked', detail: expect.stringContaining('contradicted itself') });
  });

  it.each(['INCORRECT', 'Not right.', 'PASS', '{"pass":"false"}', 'It may pass, but: FAIL', '', 'Verdict: pass/fail'])(
    'takes %j for no verdict',
    async (said) => {
      const { result } = await verify(
        { ...scripts.factored, verdict: [said, said, said] },
        { verifier: { variant: 'factored' } },
      );
      expect(result.reason.code).toBe('unchecked');
    },
  );

  it('refuses a variant that does not exist, and look-ups where there are no questions to look up', () => {
    const unknown = 'other' as VerifierVariant;
    expect(() => verification({ verifier: { variant: unknown } })).toThrow(UsageError);
    expect(() => verification({ verifier: { variant: 'joint', tools: true } })).toThrow(/another variant/);
  });
});

describe('an objection of the verifier', () => {
  const verifier = { variant: 'factored' } as const;
  const judged = (...verdict: string[]) => verify({ ...scripts.factored, verdict }, { verifier });

  it('that does not count is asked for once more with the reason, and the second verdict is taken', async () => {
    const ghost = rejecting({ evidence: [{ source: 'obs-9', quote: 'cattle' }] });
    const { result, prompts } = await judged(ghost, pass);
    expect(result.status).toBe('completed');
    expect(prompts('verdict')[1]).toMatch(/the load is missing.*cites .*obs-9.*does not exist/);
    expect((await judged(ghost, rejecting({}))).result.reason.code).toBe('open-issues');
    expect((await judged(rejecting({}))).prompts('verdict')).toHaveLength(1);
  });

  it.each([
    ['cites what does not exist', { evidence: [{ source: 'obs-9', quote: 'cattle' }] }],
    ['says itself that the draft is fine', { holds: false, detail: 'it was wrong first and was put right' }],
    ['cites what speaks for the draft', { evidence: [{ source: 'obs-1', quote: '08:15', speaks: 'for' }] }],
  ])('that %s twice leaves the answer unchecked', async (_, change) => {
    const { result, prompts } = await judged(rejecting(change), rejecting(change));
    expect(result.reason).toMatchObject({ code: 'unchecked', detail: expect.stringContaining('contradicted itself') });
    expect(prompts('verdict')).toHaveLength(2);
  });

  it('from memory or of taste fails no answer that the evidence of the run carries, and is told', async () => {
    const stale = rejecting({ type: 'contradiction', detail: 'that ferry was scrapped', evidence: [] });
    const taste = rejecting({ criterion: 'tone', evidence: [], detail: 'too dry' });
    for (const [said, words] of [
      [stale, 'scrapped'],
      [taste, 'too dry'],
    ] as const) {
      const { result, warnings } = await judged(said, said);
      expect(result.status).toBe('completed');
      expect(warnings.join()).toContain(words);
    }
  });

  it('from memory confirms no answer either that nothing in the run carries', async () => {
    const stale = rejecting({ type: 'contradiction', evidence: [] });
    const actor = [callFinal('It was late.')];
    const script = { actor, questions: [twoQuestions], answers: [json(time), json(load)], verdict: [stale, stale] };
    const { result } = await verify(script, { verifier });
    expect(result.reason).toMatchObject({ code: 'unchecked', detail: expect.stringContaining('nothing in this run') });
  });

  it('that quotes a source but names no criterion is not waved through', async () => {
    const vague = rejecting({ criterion: undefined, evidence: [{ source: 'obs-1', quote: 'with 40 cars' }] });
    expect((await judged(vague, vague)).result.reason.code).toBe('unchecked');
  });
});
