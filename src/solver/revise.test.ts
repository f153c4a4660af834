import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { type AgentOptions, defineAgent } from '../agent.ts';
import type { Check } from '../checks/check.ts';
import type { Attempt } from '../core/attempt.ts';
import { inMemoryLessons } from '../memory/in-memory-lessons.ts';
import type { LessonStore } from '../memory/memory.ts';
import { type ScriptedReply, scriptedModel } from '../model/providers/script-model.ts';
import { callFinal, callTool } from '../testing/replies.ts';
import { tool } from '../tools/tool.ts';
import { direct } from './direct.ts';
import { lessons } from './lessons/lessons.ts';
import { planAndSolve } from './plan-and-solve/plan-and-solve.ts';
import { verification } from './verification/verification.ts';

const tide = tool({
  name: 'tide',
  description: 'The tide table.',
  input: z.object({ day: z.string() }),
  effect: 'read',
  run: ({ day }) => `High water on ${day} is at noon.`,
});

/** Refuses answers until one of them is `good`. */
const good: Check = {
  name: 'good',
  run: ({ answer }: Attempt) =>
    answer === 'good' ? [] : [{ type: 'incomplete', detail: 'the hour is missing', requiredAction: 'name the hour' }],
};

const plan = JSON.stringify({ goal: 'tides', steps: [{ id: 's1', objective: 'look up monday' }] });
const draft = JSON.stringify({ answer: 'composed draft', claims: [] });

function byRole(script: Record<string, ScriptedReply[]>) {
  const left = structuredClone(script);
  return scriptedModel(
    (_, { role }) => left[role]?.shift() ?? { error: { status: 400, message: `nothing left for ${role}` } },
  );
}

async function revise(script: Record<string, ScriptedReply[]>, options: Partial<AgentOptions>) {
  const model = byRole(script);
  const result = await defineAgent({ model, tools: [tide], ...options }).run('when is high water');
  return { result, model, last: JSON.stringify(model.calls.at(-1)?.prompt) };
}

describe('a revision', () => {
  const checked = verification({ checks: [good], verifier: false });
  const eachStep = planAndSolve({ mode: 'each-step' });

  it('of an answer composed from steps goes on with their evidence, their plan and the draft', async () => {
    const { result, last } = await revise(
      {
        planner: [plan],
        actor: [
          callTool('tide', { day: 'monday' }),
          callFinal('noon'),
          callTool('tide', { day: 'tuesday' }),
          callFinal('good'),
        ],
        compose: [draft],
      },
      { layers: [checked, eachStep] },
    );
    expect(result).toMatchObject({ status: 'revised', answer: 'good' });
    expect(last).toContain('Your draft: composed draft');
    expect(last).toContain('the hour is missing');
    expect(last).toContain('look up monday');
    expect(last).toContain('High water on monday');
    expect(result.attempt.observations.map(({ id, path }) => [id, path])).toEqual([
      ['obs-1', 'step-1'],
      ['obs-2', ''],
    ]);
    expect(result.attempt.plan?.steps).toHaveLength(1);
  });

  it('keeps the evidence also for a solver that calls no tools', async () => {
    const { result, last } = await revise(
      {
        planner: [plan],
        direct: [JSON.stringify({ answer: 'part', claims: [] }), JSON.stringify({ answer: 'good', claims: [] })],
        compose: [draft],
      },
      { layers: [checked, eachStep], solver: direct() },
    );
    expect(result).toMatchObject({ status: 'revised', answer: 'good' });
    expect(last).toContain('Your draft: composed draft');
    expect(result.attempt.plan?.steps).toHaveLength(1);
  });

  it('of a transcript goes on with that transcript and repeats no draft', async () => {
    const { result, model } = await revise({ actor: [callFinal('bad'), callFinal('good')] }, { layers: [checked] });
    expect(result.answer).toBe('good');
    const [first, second] = model.calls.map((call) => JSON.stringify(call.prompt));
    expect(second?.startsWith(first?.slice(0, -1) ?? '?')).toBe(true);
    expect(second).not.toContain('Your draft');
  });

  it('that is interrupted leaves the answer under revision and what was found since', async () => {
    const model = scriptedModel((_, { call }) =>
      call === 1
        ? callFinal('draft')
        : call === 2
          ? callTool('tide', { day: 'monday' })
          : { delayMs: 5_000, text: 'too late' },
    );
    const run = defineAgent({ model, tools: [tide], layers: [checked] }).run('when is high water');
    for await (const event of run) if (event.type === 'model.start' && model.calls.length === 3) await run.cancel();
    const result = await run;
    expect(result).toMatchObject({ status: 'cancelled', answer: 'draft' });
    expect(result.attempt.observations).toHaveLength(1);
    expect(result.attempt.reports).toHaveLength(1);
  });

  it('that drops the faulty claim and leaves nothing to check is better than the fault, and is not called checked', async () => {
    const invented = [{ text: 'high water at noon', evidence: [{ observation: 'obs-9', quote: 'at noon' }] }];
    const { result } = await revise(
      { actor: [callFinal('invented', invented), callFinal('I do not know')] },
      { layers: [verification({ verifier: false })] },
    );
    expect(result).toMatchObject({
      status: 'needs_more_evidence',
      answer: 'I do not know',
      reason: { code: 'unchecked' },
    });
  });

  it('of a part of the task is judged by that part', async () => {
    const { model } = await revise(
      { planner: [plan], actor: [callTool('tide', { day: 'monday' }), callFinal('noon')], compose: [draft] },
      { layers: [eachStep, verification({ checks: [] })] },
    );
    const questions = model.calls
      .map((call) => JSON.stringify(call.prompt))
      .find((text) => text.includes('ROLE questions'));
    expect(questions).toContain('Only this part of the task is answered now: s1: look up monday');
  });

  it.each([['whole'], ['each-step']] as const)('makes no new plan and recalls no lessons anew: %s', async (mode) => {
    const recalls: string[] = [];
    const recall: LessonStore['recall'] = async ({ text }) => {
      recalls.push(text);
      return [];
    };
    const store = { ...inMemoryLessons(), recall };
    const { result, model } = await revise(
      { planner: [plan], actor: [callFinal('bad'), callFinal('good'), callFinal('good')], compose: [draft] },
      { layers: [checked, lessons({ store }), planAndSolve({ mode })] },
    );
    expect(result).toMatchObject({ status: 'revised', answer: 'good' });
    expect(model.calls.filter((call) => JSON.stringify(call.prompt).includes('ROLE planner'))).toHaveLength(1);
    expect(recalls).toHaveLength(1);
  });

  it('counts the turns of the whole transcript', async () => {
    const { result } = await revise(
      { actor: [callTool('tide', { day: 'monday' }), callFinal('bad'), callFinal('good')] },
      { layers: [checked] },
    );
    expect(result.metrics.turns).toBe(3);
  });

  it('without tools is told the shape of the answer', async () => {
    const outputSchema = { type: 'object' };
    const model = byRole({ actor: [callFinal('{}')], refine: [JSON.stringify({ answer: 'good', claims: [] })] });
    await defineAgent({ model, layers: [checked] }).run({ input: 'when is high water', outputSchema });
    expect(JSON.stringify(model.calls.at(-1)?.prompt)).toContain('The answer is one JSON value');
  });
});
