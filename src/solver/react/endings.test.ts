import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { defineAgent } from '../../agent.ts';
import { scriptedModel } from '../../model/providers/script-model.ts';
import { inMemoryHost } from '../../runtime/in-memory.ts';
import { callFinal, callTool } from '../../testing/replies.ts';
import { type Tool, tool } from '../../tools/tool.ts';
import type { Layer } from '../solver.ts';
import { react } from './react.ts';

const ring = (effect: Tool['effect'], rung: string[] = []): Tool =>
  tool({
    name: 'ring',
    description: 'Rings a bell.',
    input: z.object({ bell: z.string() }),
    effect,
    run: ({ bell }) => `rung ${rung.push(bell)} times`,
  });

describe('how the loop ends', () => {
  it('asks for a last answer when too many calls were refused', async () => {
    const model = scriptedModel((options, { call }) =>
      options.toolChoice?.type === 'tool' ? callFinal('what is known') : callTool(`unknown${call}`),
    );
    const solver = react({ maxFaults: 2 });
    const result = await defineAgent({ model, tools: [ring('read')], solver }).run('ring');
    expect(result).toMatchObject({
      status: 'stopped',
      answer: 'what is known',
      reason: { code: 'too-many-faults' },
      attempt: { degraded: true },
    });
    expect(model.calls).toHaveLength(3);
  });

  it('hears of conditions of ones own before each turn', async () => {
    const model = scriptedModel((options, { call }) =>
      options.toolChoice?.type === 'tool' ? callFinal('enough') : callTool('ring', { bell: `${call}` }),
    );
    const enough = react({
      stopWhen: [
        ({ observations }) =>
          observations.length >= 3
            ? { type: 'limit', limit: 'no-progress', detail: 'three bells are enough' }
            : undefined,
      ],
    });
    const result = await defineAgent({ model, tools: [ring('read')], solver: enough }).run('ring');
    expect(result.attempt.observations).toHaveLength(3);
    expect(result.reason.detail).toContain('three bells are enough');
  });

  it('shows the turn that waits for an approval', async () => {
    const model = scriptedModel([callTool('ring', { bell: 'big' })]);
    const host = inMemoryHost({ suspendAfterMs: 5 });
    const result = await defineAgent({ model, tools: [ring('write')], host }).run('ring');
    expect(result).toMatchObject({ status: 'awaiting_approval', metrics: { turns: 1 } });
  });

  it('gives every revision the faults and turns of a whole attempt', async () => {
    const again: Layer = {
      name: 'again',
      config: {},
      place: 'checking',
      wrap: (inner) => async (brief, run) => {
        const attempt = await inner(brief, run);
        const issues = [{ type: 'incomplete' as const, detail: 'once more', requiredAction: 'ring again' }];
        return inner({ ...brief, revise: { attempt, issues } }, run);
      },
    };
    const model = scriptedModel([
      callTool('unknown', {}),
      callFinal('first'),
      callTool('unknown', { other: 1 }),
      callFinal('second'),
    ]);
    const solver = react({ maxSteps: 2, maxFaults: 2 });
    const result = await defineAgent({ model, tools: [ring('read')], solver, layers: [again] }).run('ring');
    expect(result).toMatchObject({ answer: 'second', attempt: { ended: { type: 'final' } } });
    const refusal = model.calls.at(2)?.prompt.at(-1);
    expect(refusal).toMatchObject({ role: 'tool', content: [{ toolName: 'final', output: { type: 'error-text' } }] });
  });
});

describe('an effect in one of several tries that run side by side', () => {
  it('is refused without asking anybody, while reads run', async () => {
    const samples: Layer = {
      name: 'samples',
      config: {},
      place: 'sampling',
      wrap: (inner) => async (brief, run) => inner(brief, run.with({ speculative: true })),
    };
    const rung: string[] = [];
    const look = { ...ring('read'), name: 'look' };
    const model = scriptedModel([callTool('look', { bell: 'big' }), callTool('ring', { bell: 'big' }), callFinal('x')]);
    const tools = [look, ring('write', rung)];
    const result = await defineAgent({ model, tools, layers: [samples], policy: { write: 'allow' } }).run('ring');
    expect(result.answer).toBe('x');
    expect(rung).toEqual([]);
    expect(result.attempt.observations).toMatchObject([{ tool: 'look', status: 'ok' }]);
    expect(JSON.stringify(model.calls.at(-1)?.prompt)).toContain('propose it in the answer instead');
  });
});
