import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { defineAgent } from '../../agent.ts';
import { type ScriptedReply, scriptedModel } from '../../model/providers/script-model.ts';
import { callFinal, callTool, callTools } from '../../testing/replies.ts';
import { type Tool, tool } from '../../tools/tool.ts';
import { planAndSolve } from '../plan-and-solve/plan-and-solve.ts';

const page: Tool = tool({
  name: 'page',
  description: 'A page.',
  input: z.object({}),
  effect: 'read',
  run: () => 'ten letters',
});

const plan = JSON.stringify({ goal: 'read', steps: [{ id: 's1', objective: 'open' }] });

async function act(replies: ScriptedReply[], planned = false) {
  const model = scriptedModel(planned ? [plan, ...replies] : replies);
  const layers = planned ? [planAndSolve()] : [];
  const result = await defineAgent({ model, tools: [page], layers }).run('read the page');
  const answers = (model.calls.at(-1)?.prompt ?? []).flatMap((message) =>
    message.role === 'tool'
      ? message.content.flatMap((part) => (part.type === 'tool-result' ? [part.output] : []))
      : [],
  );
  return { result, answers, model };
}

describe('readObservation', () => {
  it.each([
    [
      'an observation that is not there',
      { id: 'obs-2', from: 0 },
      "There is no observation 'obs-2'. Observations: obs-1.",
    ],
    ['the place behind the end', { id: 'obs-1', from: 11 }, 'obs-1 has 11 characters; nothing is at 11.'],
    ['a place before the beginning', { id: 'obs-1', from: -1 }, 'from'],
  ])('refuses %s and says what there is', async (_, input, text) => {
    const { answers } = await act([callTool('page'), callTool('readObservation', input), callFinal('x')]);
    expect(answers[1]).toMatchObject({ type: 'error-text', value: expect.stringContaining(text) });
  });

  it('gives the last character', async () => {
    const { answers, result } = await act([
      callTool('page'),
      callTool('readObservation', { id: 'obs-1', from: 10 }),
      callFinal('x'),
    ]);
    expect(answers[1]).toMatchObject({ type: 'text', value: expect.stringContaining('characters 10 to 11 of 11') });
    expect(result.attempt.observations).toHaveLength(1);
  });
});

describe('update_plan', () => {
  it('is offered where there is a plan, and is an unknown tool elsewhere', async () => {
    const offered = ({ model }: Awaited<ReturnType<typeof act>>) => model.calls.at(-1)?.tools?.map(({ name }) => name);
    expect(offered(await act([callFinal('x')], true))).toEqual(['page', 'update_plan', 'readObservation', 'final']);
    expect(offered(await act([callFinal('x')]))).toEqual(['page', 'readObservation', 'final']);
    const unplanned = await act([callTool('update_plan', { id: 's1', status: 'done' }), callFinal('x')]);
    expect(unplanned.answers[0]).toMatchObject({ type: 'error-text' });
  });

  it('refuses a step that the plan has not, and a status that is none', async () => {
    const { answers, result } = await act(
      [
        callTools(['update_plan', { id: 's9', status: 'done' }], ['update_plan', { id: 's1', status: 'finished' }]),
        callFinal('x'),
      ],
      true,
    );
    expect(answers[0]).toMatchObject({ type: 'error-text', value: "No step is named 's9'. Steps: s1." });
    expect(answers[1]).toMatchObject({ type: 'error-text', value: expect.stringContaining('status') });
    expect(result.attempt.plan?.steps).toMatchObject([{ id: 's1', status: 'todo' }]);
  });

  it('acts on what an earlier call of the same turn changed', async () => {
    const { result } = await act(
      [
        callTools(
          ['update_plan', { id: 's1', status: 'doing' }],
          ['page', {}],
          ['update_plan', { id: 's1', status: 'done', result: 'read' }],
        ),
        callFinal('x'),
      ],
      true,
    );
    expect(result.attempt.plan?.steps).toMatchObject([{ id: 's1', status: 'done', result: 'read' }]);
  });
});
