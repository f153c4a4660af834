import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { type AgentOptions, defineAgent } from '../../agent.ts';
import { type ScriptedReply, scriptedModel } from '../../model/providers/script-model.ts';
import { callFinal, callTool } from '../../testing/replies.ts';
import { tool } from '../../tools/tool.ts';
import { verification } from './verification.ts';

const price = tool({
  name: 'price',
  description: 'The price list.',
  input: z.object({}),
  effect: 'read',
  run: () => 'A lamp costs 129.00 euros.',
});
const claim = (quote: string) => [{ text: 'a lamp costs 129 euros', evidence: [{ observation: 'obs-1', quote }] }];
const good = callFinal('129 euros', claim('A lamp costs 129.00 euros.'));
const questions = JSON.stringify({ questions: [{ question: 'What does a lamp cost?', claim: 1 }] });
const answer = JSON.stringify({ answer: '129.00 euros' });
const pass = JSON.stringify({ verdict: 'pass', issues: [], needsMoreTools: false });
const revise = (needsMoreTools: boolean) =>
  JSON.stringify({
    verdict: 'revise',
    needsMoreTools,
    issues: [
      {
        type: 'missed_constraint',
        detail: 'the discount was not looked up',
        requiredAction: 'look it up',
        criterion: 'task',
        evidence: [{ source: 'task', quote: 'what does a lamp cost' }],
      },
    ],
  });

/** Replies by role, in order; a role that runs out is an error. */
function byRole(script: Record<string, ScriptedReply[]>, modelId = 'scripted') {
  const left = structuredClone(script);
  return scriptedModel(
    (_, { role }) => left[role]?.shift() ?? { error: { status: 400, message: `nothing left for ${role}` } },
    { modelId },
  );
}

async function verify(script: Record<string, ScriptedReply[]>, options: Partial<AgentOptions> = {}) {
  const model = byRole(script);
  const result = await defineAgent({ model, tools: [price], layers: [verification()], ...options }).run(
    'what does a lamp cost',
  );
  const prompts = (role: string) =>
    model.calls.map((call) => JSON.stringify(call.prompt)).filter((text) => text.includes(`ROLE ${role}\\n`));
  return { result, model, prompts };
}

describe('verification', () => {
  it('completes when checks and verifier pass, and the answer step never sees the draft', async () => {
    const { result, prompts } = await verify({
      actor: [callTool('price'), good],
      questions: [questions],
      answers: [answer],
      verdict: [pass],
    });
    expect(result).toMatchObject({ status: 'completed', selfChecked: false });
    expect(prompts('answers')).toHaveLength(1);
    expect(prompts('answers')[0]).toContain('A lamp costs 129.00 euros.');
    expect(prompts('answers')[0]).not.toContain('a lamp costs 129 euros');
    for (const role of ['questions', 'verdict']) expect(prompts(role)[0]).toMatch(/Today is \d{4}-\d\d-\d\d\./);
  });

  it('catches a quote that is not there before any model is asked, and goes back on the same transcript', async () => {
    const { result, prompts, model } = await verify({
      actor: [callTool('price'), callFinal('129 euros', claim('A lamp is 129 euros, tax included')), good],
      questions: [questions],
      answers: [answer],
      verdict: [pass],
    });
    expect(result).toMatchObject({ status: 'revised', attempt: { revisions: 1 } });
    expect(prompts('questions')).toHaveLength(1);
    expect(JSON.stringify(model.calls[2]?.prompt)).toContain('Not accepted');
    expect(result.attempt.reports.map((report) => [report.by, report.verdict])).toEqual([
      ['checks', 'revise'],
      ['checks', 'pass'],
      ['verifier:scripted', 'pass'],
    ]);
  });

  it('goes back to the tools when the verifier misses evidence', async () => {
    const { result } = await verify({
      actor: [callTool('price'), good, callTool('price'), good],
      questions: [questions, questions],
      answers: [answer, answer],
      verdict: [revise(true), pass],
    });
    expect(result.status).toBe('revised');
    expect(result.attempt.observations).toHaveLength(2);
  });

  it('rewrites without tools when nothing is missing, with the drafts and their issues in view', async () => {
    const { result, prompts } = await verify({
      actor: [callTool('price'), good],
      refine: [JSON.stringify({ answer: '129 euros, no discount', claims: claim('A lamp costs 129.00 euros.') })],
      questions: [questions, questions],
      answers: [answer, answer],
      verdict: [revise(false), pass],
    });
    expect(result).toMatchObject({ status: 'revised', answer: '129 euros, no discount' });
    expect(prompts('refine')[0]).toContain('the discount was not looked up');
  });

  it('keeps the best attempt when a revision is worse, and says what is open', async () => {
    const worse = callFinal('about 100', claim('nowhere'));
    const { result } = await verify({
      actor: [callTool('price'), good, worse, worse],
      questions: [questions],
      answers: [answer],
      verdict: [revise(true)],
    });
    expect(result).toMatchObject({
      status: 'needs_more_evidence',
      answer: '129 euros',
      reason: { code: 'open-issues' },
    });
  });

  it('shows the verifier the part of a long observation that the claim quotes', async () => {
    const line = 'A lamp costs 129.00 euros.';
    const filler = (count: number) => 'There is nothing to see in this line.\n'.repeat(count);
    const long = { ...price, run: async () => `${filler(700)}${line}\n${filler(700)}` };
    const { prompts } = await verify(
      {
        actor: [callTool('price'), good],
        questions: [JSON.stringify({ questions: [{ question: 'What is it?', claim: 1 }, { question: 'Is it all?' }] })],
        answers: [answer, answer],
        verdict: [revise(false), pass],
        refine: [JSON.stringify({ answer: '129 euros', claims: [] })],
      },
      { tools: [long] },
    );
    expect(prompts('answers')).toHaveLength(2);
    for (const prompt of [...prompts('answers'), ...prompts('refine')]) {
      expect(prompt).toContain(line);
      expect(prompt.length).toBeLessThan(9_000);
    }
    expect(prompts('refine')).toHaveLength(1);
  });

  it('calls an answer unchecked when the verifier cannot be asked', async () => {
    const { result } = await verify({ actor: [callTool('price'), good] });
    expect(result).toMatchObject({ status: 'needs_more_evidence', answer: '129 euros', reason: { code: 'unchecked' } });
  });

  it('sends a verdict that contradicts its issues back to the verifier', async () => {
    const contradiction = JSON.stringify({ verdict: 'pass', issues: JSON.parse(revise(false)).issues });
    const { result, prompts } = await verify({
      actor: [callTool('price'), good],
      questions: [questions],
      answers: [answer],
      verdict: [contradiction, pass],
    });
    expect(result.status).toBe('completed');
    expect(prompts('verdict')[1]).toContain('pass goes with no issues');
  });

  it('says when the model was its only judge', async () => {
    const script = { actor: [callFinal('probably 129')], questions: [questions], answers: [answer], verdict: [pass] };
    expect((await verify(script, { tools: [] })).result).toMatchObject({ status: 'completed', selfChecked: true });
    const judgedBy = (modelId: string) => {
      const [actor, verifier] = ['one', modelId].map((id) => ({ ...byRole(script, id), source: 'command' as const }));
      if (!(actor && verifier)) throw new Error('two models were made');
      return defineAgent({ model: { actor, verifier }, layers: [verification()] }).run('what does a lamp cost');
    };
    expect(await judgedBy('another')).toMatchObject({ status: 'completed', selfChecked: false });
    expect(await judgedBy('one')).toMatchObject({ status: 'completed', selfChecked: true });
    const scripts = { actor: byRole(script), verifier: byRole(script) };
    const byScript = await defineAgent({ model: scripts, layers: [verification()] }).run('what does a lamp cost');
    expect(byScript.selfChecked).toBe(false);
  });

  it('runs the checks a task names', async () => {
    const polite = {
      name: 'polite',
      run: () => [{ type: 'failed_check' as const, detail: 'no please', requiredAction: 'say please' }],
    };
    const model = byRole({ actor: [good, good, good] });
    const agent = defineAgent({ model, layers: [verification({ checks: [polite], verifier: false })] });
    const result = await agent.run({ input: 'x', checks: ['polite'] });
    expect(result.reason.detail).toContain('no please');
  });
});
