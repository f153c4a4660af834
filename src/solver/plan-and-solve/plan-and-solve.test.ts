import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { defineAgent } from '../../agent.ts';
import { type ScriptedReply, scriptedModel } from '../../model/providers/script-model.ts';
import { callFinal, callTool } from '../../testing/replies.ts';
import { tool } from '../../tools/tool.ts';
import { type PlanOptions, planAndSolve } from './plan-and-solve.ts';

const fact = tool({
  name: 'fact',
  description: 'A fact.',
  input: z.object({ about: z.string() }),
  effect: 'read',
  run: ({ about }) => `fact about ${about}`,
});

function planOf(...objectives: string[]): string {
  return JSON.stringify({
    goal: 'the whole',
    constraints: ['in euros'],
    givens: [{ name: 'units', value: '37' }],
    steps: objectives.map((objective, index) => ({
      id: `s${index + 1}`,
      objective,
      successCondition: `${objective} known`,
    })),
  });
}

/** Replies by role, each list in order; the last one repeats. */
function byRole(script: Record<string, ScriptedReply[]>) {
  const used: Record<string, number> = {};
  return scriptedModel((_, { role }) => {
    const list = script[role] ?? [];
    const index = used[role] ?? 0;
    used[role] = index + 1;
    return list[Math.min(index, list.length - 1)] ?? `no script for ${role}`;
  });
}

async function runPlan(script: Record<string, ScriptedReply[]>, options?: PlanOptions) {
  const model = byRole(script);
  const result = await defineAgent({ model, tools: [fact], layers: [planAndSolve(options)] }).run('what does it cost');
  const prompts = model.calls.map((call) => JSON.stringify(call.prompt));
  return { result, prompts, model };
}

describe('planAndSolve', () => {
  it('hands the plan with its conditions and givens to the loop, which ticks it off', async () => {
    const { result, prompts } = await runPlan({
      planner: [planOf('price', 'sum')],
      actor: [callTool('update_plan', { id: 's1', status: 'done', result: '129' }), callFinal('129')],
    });
    expect(prompts[1]).toContain('units = 37');
    expect(prompts[1]).toContain('in euros');
    expect(prompts[2]).toContain('s1 done');
    expect(result.attempt.plan?.steps.map((step) => step.status)).toEqual(['done', 'todo']);
  });

  it('tells the planner the date of the run', async () => {
    const { prompts } = await runPlan({ planner: [planOf('look')], actor: [callFinal('x')] });
    expect(prompts[0]).toMatch(/Today is \d{4}-\d\d-\d\d\./);
  });

  it('sends a plan that is too long back once and takes the shorter one', async () => {
    const { result, prompts } = await runPlan(
      { planner: [planOf('a', 'b', 'c'), planOf('a and b', 'c')], actor: [callFinal('x')] },
      { maxSteps: 2 },
    );
    expect(prompts[1]).toContain('Compress it');
    expect(result.attempt.plan?.steps).toHaveLength(2);
  });

  it('ends with an error when the plan is still too long', async () => {
    const { result, model } = await runPlan(
      { planner: [planOf('a', 'b', 'c')], actor: [callFinal('x')] },
      { maxSteps: 2 },
    );
    expect(result).toMatchObject({ status: 'failed', reason: { code: 'invalid-plan' } });
    expect(model.calls).toHaveLength(2);
  });

  it('goes on without a plan when the planner cannot be reached', async () => {
    const { result } = await runPlan({ planner: [{ error: { status: 400, message: 'no' } }], actor: [callFinal('x')] });
    expect(result.answer).toBe('x');
    expect(result.attempt.plan).toBeUndefined();
  });

  it('gives every step the whole plan and all results so far, and composes the answer', async () => {
    const { result, prompts } = await runPlan(
      {
        planner: [planOf('price', 'sum')],
        actor: [callTool('fact', { about: 'price' }), callFinal('the price is 129'), callFinal('the sum is 4773')],
        compose: [JSON.stringify({ answer: '4773', claims: [] })],
      },
      { mode: 'each-step' },
    );
    expect(result.answer).toBe('4773');
    expect(prompts[3]).toContain('s2 [todo] sum');
    expect(prompts[3]).toContain('s1: the price is 129');
    expect(prompts[3]).toContain('fact about price');
    expect(result.attempt.plan?.steps.map((step) => step.status)).toEqual(['done', 'done']);
    expect(result.attempt.observations).toMatchObject([{ id: 'obs-1', path: 'step-1' }]);
  });

  it('names steps apart that the planner gave one name', async () => {
    const same = JSON.stringify({ goal: 'g', steps: ['price', 'sum'].map((objective) => ({ id: 'step', objective })) });
    const { result } = await runPlan({ planner: [same], actor: [callFinal('x')] });
    expect(result.attempt.plan?.steps.map(({ id }) => id)).toEqual(['s1', 's2']);
  });

  it('takes nothing as done that the planner says is done', async () => {
    const eager = JSON.stringify({ goal: 'g', steps: [{ id: 's1', objective: 'price', status: 'done', result: '1' }] });
    const { result } = await runPlan({ planner: [eager], actor: [callFinal('x')] });
    expect(result.attempt.plan?.steps).toMatchObject([{ status: 'todo' }]);
    expect(result.attempt.plan?.steps[0]?.result).toBeUndefined();
  });

  it('takes no more new steps than a plan may have', async () => {
    const { result } = await runPlan(
      {
        planner: [planOf('price'), planOf('a', 'b', 'c')],
        actor: ['', '', '', callFinal('found')],
        compose: [JSON.stringify({ answer: 'composed', claims: [] })],
      },
      { mode: 'each-step', maxSteps: 2 },
    );
    expect(result.attempt.plan?.steps.map(({ id, status }) => [id, status])).toEqual([
      ['s1', 'skipped'],
      ['r1-1', 'done'],
      ['r1-2', 'done'],
    ]);
  });

  it('asks for the shape of the answer where the answer is made, not in its parts', async () => {
    const model = byRole({
      planner: [planOf('price')],
      actor: [callFinal('129')],
      compose: [JSON.stringify({ answer: '{"price":129}', claims: [] })],
    });
    const outputSchema = { type: 'object', properties: { price: { type: 'number' } } };
    await defineAgent({ model, layers: [planAndSolve({ mode: 'each-step' })] }).run({ input: 'price?', outputSchema });
    const [, step, compose] = model.calls.map((call) => JSON.stringify(call.prompt));
    expect(step).not.toContain('The answer is one JSON value');
    expect(compose).toContain('The answer is one JSON value');
  });

  it('composes from the kept slice when a limit is reached between the last step and the answer', async () => {
    const script = {
      planner: [planOf('price')],
      actor: [callFinal('129')],
      compose: [JSON.stringify({ answer: 'composed', claims: [] })],
    };
    const model = byRole(script);
    const layers = [planAndSolve({ mode: 'each-step' })];
    const result = await defineAgent({ model, layers, budget: { modelCalls: 3 } }).run('what does it cost');
    expect(result).toMatchObject({ status: 'stopped', answer: 'composed', reason: { code: 'modelCalls' } });
    expect(result.attempt.degraded).toBe(true);
  });

  it('shows the answer of the last step when nothing is left to compose one', async () => {
    const actor = [callTool('fact', { about: 'price' }), callFinal('the price is 129')];
    const model = byRole({ planner: [planOf('price', 'sum')], actor });
    const layers = [planAndSolve({ mode: 'each-step' })];
    const agent = defineAgent({ model, tools: [fact], layers, budget: { modelCalls: 3 } });
    const result = await agent.run('what does it cost');
    expect(result).toMatchObject({ status: 'stopped', answer: 'the price is 129', reason: { code: 'modelCalls' } });
    expect(result.attempt).toMatchObject({ degraded: true, observations: [{ id: 'obs-1' }] });
    expect(result.attempt.plan?.steps.map(({ status }) => status)).toEqual(['failed', 'todo']);
  });

  it('keeps finished steps apart from new ones that have the same name', async () => {
    const named = (id: string, ...objectives: string[]) =>
      JSON.stringify({
        goal: 'g',
        steps: objectives.map((objective, index) => ({ id: `${id}-${index + 1}`, objective })),
      });
    const { result } = await runPlan(
      {
        planner: [named('r1', 'price', 'sum'), named('x', 'another way'), named('y', 'a third way')],
        actor: [callFinal('the price is 129'), '', '', '', '', '', '', callFinal('the sum is 258')],
        compose: [JSON.stringify({ answer: 'composed', claims: [] })],
      },
      { mode: 'each-step' },
    );
    expect(result.attempt.plan?.steps.map(({ status, result }) => [status, result])).toEqual([
      ['done', 'the price is 129'],
      ['skipped', undefined],
      ['skipped', undefined],
      ['done', 'the sum is 258'],
    ]);
  });

  it('plans the rest again when a step brings nothing, a bounded number of times', async () => {
    const failing: ScriptedReply[] = ['', '', ''];
    const { result, model } = await runPlan(
      {
        planner: [planOf('price', 'sum'), planOf('another way')],
        actor: [...failing, callFinal('found it')],
        compose: [JSON.stringify({ answer: 'composed', claims: [] })],
      },
      { mode: 'each-step' },
    );
    expect(result.answer).toBe('composed');
    expect(result.attempt.plan?.steps.map((step) => [step.id, step.status])).toEqual([
      ['s1', 'skipped'],
      ['r1-1', 'done'],
    ]);
    const stuck = await runPlan(
      { planner: [planOf('price')], actor: failing, compose: [JSON.stringify({ answer: 'nothing', claims: [] })] },
      { mode: 'each-step', maxReplans: 2 },
    );
    expect(stuck.result.status).toBe('stopped');
    expect(stuck.model.calls.filter((call) => JSON.stringify(call.prompt).includes('ROLE planner'))).toHaveLength(3);
    expect(model.calls.length).toBeGreaterThan(0);
  });
});
