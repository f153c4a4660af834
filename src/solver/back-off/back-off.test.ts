import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { defineAgent } from '../../agent.ts';
import { type ScriptFunction, scriptedModel } from '../../model/providers/script-model.ts';
import { attemptWith } from '../../testing/attempt.ts';
import { callFinal, callTool } from '../../testing/replies.ts';
import { tool } from '../../tools/tool.ts';
import { react } from '../react/react.ts';
import { chainOfThought } from '../self-consistency/chain-of-thought.ts';
import { numericAnswer } from '../self-consistency/numeric-answer.ts';
import { selfConsistency } from '../self-consistency/self-consistency.ts';
import type { NamedSolver, Solver } from '../solver.ts';
import { backOff } from './back-off.ts';
import { reactThenSelfConsistency, selfConsistencyThenReact } from './react-and-self-consistency.ts';
import { belowHalf, unanswered } from './rules.ts';

const look = tool({
  name: 'look',
  description: 'Looks.',
  input: z.object({ at: z.number() }),
  effect: 'read',
  run: ({ at }) => `nothing at ${at}`,
});

const thought = (answer: string): string => JSON.stringify({ working: ['count'], answer, claims: [] });

/** A chain of thought says what its sample's place tells; the loop says `inLoop`. */
function speaker(votes: readonly string[], inLoop: ScriptFunction) {
  return scriptedModel((options, info) => {
    if (options.tools) return inLoop(options, info);
    const [, wave, index = '0'] = /samples(?:#(\d))?\/(\d)/.exec(options.headers?.['idempotency-key'] ?? '') ?? [];
    return thought(votes[wave === undefined ? Number(index) : votes.length - 1] ?? '');
  });
}

const solve = (solver: NamedSolver, model: ReturnType<typeof scriptedModel>, budget = {}) =>
  defineAgent({ model, solver, tools: [look], budget }).run('how many');

const sampling = { selfConsistency: { samples: 3, normalise: numericAnswer } };

describe('self-consistency, then react', () => {
  it('goes into the loop when fewer than half of the samples agree', async () => {
    const model = speaker(['7', '8', '9'], () => callFinal('12'));
    expect(await solve(selfConsistencyThenReact(sampling), model)).toMatchObject({ answer: '12' });
  });

  it('keeps the majority when half of them agree', async () => {
    const model = speaker(['7', '8', '7'], () => callFinal('12'));
    expect(await solve(selfConsistencyThenReact(sampling), model)).toMatchObject({ answer: '7' });
    expect(model.calls.filter(({ tools }) => tools)).toHaveLength(0);
  });

  it('keeps what it had when the loop brings nothing better', async () => {
    const model = speaker(['7', '8', '9'], () => ({ refusal: 'no' }));
    expect(await solve(selfConsistencyThenReact(sampling), model)).toMatchObject({ answer: '7' });
  });

  it('is what an adaptive layer does', async () => {
    const model = speaker(['7', '8', '9'], () => callFinal('12'));
    const layers = [selfConsistency({ samples: 3, normalise: numericAnswer, adaptive: react() })];
    const result = await defineAgent({ model, tools: [look], solver: chainOfThought(), layers }).run('how many');
    expect(result.answer).toBe('12');
  });
});

describe('react, then self-consistency', () => {
  const astray: ScriptFunction = ({ prompt }) => callTool('look', { at: prompt.length });

  it('samples thoughts when the loop has no answer after its steps, with what it saw in view', async () => {
    const model = speaker(['7', '7', '8'], astray);
    const result = await solve(reactThenSelfConsistency({ ...sampling, react: { maxSteps: 2 } }), model);
    expect(result).toMatchObject({ answer: '7', attempt: { degraded: false } });
    const thoughts = model.calls.filter(({ tools }) => !tools).map(({ prompt }) => JSON.stringify(prompt));
    expect(thoughts).toHaveLength(2);
    expect(thoughts[0]).toContain('nothing at 2');
  });

  it('keeps an answer that the loop gave', async () => {
    const model = speaker([], () => callFinal('12'));
    expect((await solve(reactThenSelfConsistency(sampling), model)).answer).toBe('12');
    expect(model.calls).toHaveLength(1);
  });

  it('tries nothing more when the budget is what ended it', async () => {
    const model = speaker(['7', '7', '7'], astray);
    const result = await solve(reactThenSelfConsistency(sampling), model, { modelCalls: 3 });
    expect(result).toMatchObject({ status: 'stopped', reason: { code: 'modelCalls' } });
    expect(model.calls.filter(({ tools }) => !tools)).toHaveLength(0);
  });
});

describe('backOff', () => {
  it('hands a revision to the solver that made the attempt', async () => {
    const says = (name: string, answer?: string): NamedSolver => ({
      name,
      config: {},
      solve: async ({ revise }) => attemptWith({ answer: revise ? `${name} mends ${revise.attempt.answer}` : answer }),
    });
    const revised = (inner: Solver): NamedSolver => ({
      name: 'revised',
      config: {},
      solve: async (brief, run) => inner({ ...brief, revise: { attempt: await inner(brief, run), issues: [] } }, run),
    });
    const model = scriptedModel([]);
    const first = backOff({ from: says('a', 'x'), to: says('b', 'y'), when: unanswered });
    expect((await solve(revised(first.solve), model)).answer).toBe('a mends x');
    const second = backOff({ from: says('a'), to: says('b', 'y'), when: unanswered });
    expect((await solve(revised(second.solve), model)).answer).toBe('b mends y');
  });

  it('tries no other solver after a limit that would refuse it too', async () => {
    let tried = 0;
    const ended = { type: 'limit', limit: 'usd', detail: 'spent' } as const;
    const from: NamedSolver = { name: 'from', config: {}, solve: async () => attemptWith({ ended }) };
    const to: NamedSolver = {
      name: 'to',
      config: {},
      solve: async () => {
        tried++;
        return attemptWith({ answer: 'x' });
      },
    };
    const result = await solve(backOff({ from, to, when: unanswered }), scriptedModel([]));
    expect(result.reason.code).toBe('usd');
    expect(tried).toBe(0);
  });

  it('says in its settings what it tries and when', () => {
    const { config } = backOff({ from: react(), to: chainOfThought(), when: unanswered });
    expect(config).toEqual({ from: 'react', to: 'chain-of-thought', when: 'unanswered' });
  });

  it('takes an attempt that was not sampled as agreed on', () => {
    expect(belowHalf.applies(attemptWith({ answer: '7' }))).toBe(false);
    expect(belowHalf.applies(attemptWith())).toBe(true);
  });
});
