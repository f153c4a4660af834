import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { defineAgent } from '../../agent.ts';
import type { AgentOptions } from '../../agent-options.ts';
import type { RunEvent } from '../../core/event.ts';
import { type ScriptedReply, scriptedModel } from '../../model/providers/script-model.ts';
import { attemptWith } from '../../testing/attempt.ts';
import { callFinal, callTool } from '../../testing/replies.ts';
import { tool } from '../../tools/tool.ts';
import { direct } from '../direct.ts';
import { react } from '../react/react.ts';
import type { Layer, NamedSolver } from '../solver.ts';
import { agreementOf } from './agreement.ts';
import { numericAnswer } from './numeric-answer.ts';
import { type SelfConsistencyOptions, selfConsistency } from './self-consistency.ts';

const final = (answer: string): string => JSON.stringify({ answer, claims: [] });

/** The place in the run from which a call came, such as `samples/2`. */
function placeOf(headers: Record<string, string | undefined> | undefined): string {
  return (headers?.['idempotency-key'] ?? '').replace(/^run\//, '');
}

/** Answers each sample by its place in the order in which samples are drawn: a function of the call, the same after a restart. */
function sampler(answers: readonly ScriptedReply[], waves: readonly number[]) {
  return scriptedModel(({ headers }, { role }) => {
    if (role !== 'direct') throw new Error(`nobody asks for a ${role}`);
    const [, wave = '1', index = '0'] = /^samples(?:#(\d+))?\/(\d+)/.exec(placeOf(headers)) ?? [];
    const before = waves.slice(0, Number(wave) - 1).reduce((sum, size) => sum + size, 0);
    return answers[before + Number(index)] ?? 'no such sample';
  });
}

async function sample(
  model: AgentOptions['model'],
  options: SelfConsistencyOptions,
  agentOptions: Partial<AgentOptions> = {},
) {
  const agent = defineAgent({ model, solver: direct(), layers: [selfConsistency(options)], ...agentOptions });
  const run = agent.run('how many boats', { runId: 'run' });
  const events: RunEvent[] = [];
  for await (const event of run) events.push(event);
  const of = (type: RunEvent['type']) => events.filter((event) => event.type === type);
  return { result: await run, of };
}

describe('selfConsistency', () => {
  it('keeps the answer most samples give, as one of them gave it', async () => {
    const answers = ['7', '8', '7 boats', '9', 'seven: 7'].map(final);
    const model = sampler(answers, [3, 1, 1]);
    const { result, of } = await sample(model, { normalise: numericAnswer });
    expect(result.answer).toBe('7');
    expect(of('vote.made')).toMatchObject([
      {
        winner: '7',
        by: 'majority',
        stoppedEarly: false,
        votes: [{ answer: '7', count: 3 }, { answer: '8' }, { answer: '9' }],
      },
    ]);
    expect(of('sample.end').map((event) => 'vote' in event && event.vote)).toEqual(['7', '8', '7', '9', '7']);
    expect(agreementOf(result.attempt)).toEqual({ votes: 3, drawn: 5, planned: 5 });
  });

  it('draws no more samples than it takes to settle the majority', async () => {
    const model = sampler(['7', '7', '7', '8', '8'].map(final), [3, 2]);
    const { result, of } = await sample(model, { normalise: numericAnswer });
    expect(model.calls).toHaveLength(3);
    expect(of('vote.made')).toMatchObject([{ stoppedEarly: true, winner: '7' }]);
    expect(agreementOf(result.attempt)).toEqual({ votes: 3, drawn: 3, planned: 5 });
    const whole = sampler(['7', '7', '7', '8', '8'].map(final), [5]);
    await sample(whole, { normalise: numericAnswer, stopEarly: false });
    expect(whole.calls).toHaveLength(5);
  });

  it('does not stop early for answers that a limit forced', async () => {
    const forced: NamedSolver = {
      name: 'forced',
      config: {},
      solve: async (_, run) => {
        const isForced = /^samples\/[01]$/.test(run.path);
        return attemptWith({ answer: isForced ? '8' : '7', degraded: isForced });
      },
    };
    const { result } = await sample(scriptedModel([]), { samples: 3, normalise: numericAnswer }, { solver: forced });
    expect(result.answer).toBe('7');
    expect(agreementOf(result.attempt)).toEqual({ votes: 1, drawn: 3, planned: 3 });
  });

  it('sets the temperature of its samples only', async () => {
    const model = sampler([final('7')], [1]);
    await sample(model, { samples: 1, temperature: 0.9, normalise: numericAnswer });
    expect(model.calls[0]?.temperature).toBe(0.9);
    const plain = scriptedModel([final('7')]);
    await defineAgent({ model: plain, solver: direct() }).run('x');
    expect(plain.calls[0]?.temperature).toBeUndefined();
  });

  it('runs no effect in a sample, however often it is asked for', async () => {
    let sold = 0;
    const sell = tool({
      name: 'sell',
      description: 'Sells.',
      input: z.object({}),
      effect: 'write',
      run: () => String(++sold),
    });
    const model = scriptedModel(({ prompt }) =>
      JSON.stringify(prompt).includes('propose it in the answer') ? callFinal('7') : callTool('sell'),
    );
    const { result } = await sample(
      model,
      { samples: 3 },
      { solver: react(), tools: [sell], policy: { write: 'allow' } },
    );
    expect(result.answer).toBe('7');
    expect(sold).toBe(0);
  });

  it('breaks a tie by evidence that stands in an observation, then by fewer steps', async () => {
    const log = tool({
      name: 'log',
      description: 'The log.',
      input: z.object({}),
      effect: 'read',
      run: () => 'seven boats left',
    });
    const claim = (quote: string) => [{ text: 'boats left', evidence: [{ observation: 'obs-1', quote }] }];
    const finals: Record<string, ScriptedReply> = {
      0: callFinal('eight', claim('eight boats left')),
      1: callFinal('seven', claim('seven boats left')),
    };
    const model = scriptedModel(({ prompt, headers }) => {
      if (!JSON.stringify(prompt).includes('seven boats left')) return callTool('log');
      return finals[placeOf(headers).slice('samples/'.length, 'samples/'.length + 1)] ?? callFinal('nine');
    });
    const { result, of } = await sample(model, { samples: 2 }, { solver: react(), tools: [log] });
    expect(result.answer).toBe('seven');
    expect(of('vote.made')).toMatchObject([{ by: 'evidence' }]);

    const slow = scriptedModel(({ prompt, headers }) => {
      const isSlow = placeOf(headers).startsWith('samples/0');
      if (isSlow && !JSON.stringify(prompt).includes('seven boats left')) return callTool('log');
      return callFinal(isSlow ? 'slow' : 'quick');
    });
    const tied = await sample(slow, { samples: 2 }, { solver: react(), tools: [log] });
    expect(tied.result.answer).toBe('quick');
    expect(tied.of('vote.made')).toMatchObject([{ by: 'steps' }]);
  });

  it('lets samples fail, and says why when all of them do', async () => {
    const some = sampler([{ error: { status: 400, message: 'no' } }, final('7'), final('7')], [3]);
    expect((await sample(some, { samples: 3, normalise: numericAnswer })).result.answer).toBe('7');
    const none = sampler(
      Array.from({ length: 3 }, () => ({ refusal: 'no' })),
      [3],
    );
    const { result } = await sample(none, { samples: 3 });
    expect(result).toMatchObject({ status: 'failed', reason: { code: 'refused' } });
  });

  it('gives each sample an equal share of the budget, so that one cannot starve the others', async () => {
    const look = tool({
      name: 'look',
      description: 'Looks.',
      input: z.object({ at: z.number() }),
      effect: 'read',
      run: ({ at }) => `${at}`,
    });
    const model = scriptedModel(({ prompt, headers }) =>
      placeOf(headers).startsWith('samples/0') ? callTool('look', { at: prompt.length }) : callFinal('7'),
    );
    const { result } = await sample(
      model,
      { samples: 3, normalise: numericAnswer, stopEarly: false },
      { solver: react({ maxSteps: 50 }), tools: [look], budget: { modelCalls: 12 } },
    );
    expect(result.answer).toBe('7');
    const first = model.calls.filter(({ headers }) => placeOf(headers).startsWith('samples/0'));
    expect(first.length).toBeLessThanOrEqual(4);
    expect(result.usage.modelCalls).toBeLessThanOrEqual(12);
  });

  it('passes a revision on to the winner and samples nothing again', async () => {
    const revising: Layer = {
      name: 'revising',
      config: {},
      place: 'reflection',
      wrap: (inner) => async (brief, run) => {
        const attempt = await inner(brief, run);
        return inner({ ...brief, revise: { attempt, issues: [] } }, run);
      },
    };
    const model = scriptedModel(({ headers }) => final(placeOf(headers).startsWith('samples') ? '7' : 'mended'));
    const layers = [revising, selfConsistency({ samples: 3, normalise: numericAnswer })];
    const result = await defineAgent({ model, solver: direct(), layers }).run('how many', { runId: 'run' });
    expect(result.answer).toBe('mended');
    expect(model.calls.map(({ headers }) => placeOf(headers))).toEqual([
      'samples/0/direct',
      'samples/1/direct',
      'direct',
    ]);
    expect(JSON.stringify(model.calls[2]?.prompt)).toContain('Your draft: 7');
  });

  it('refuses numbers that cannot be meant, and warns of a vote on free text', () => {
    expect(() => selfConsistency({ samples: 0 })).toThrow('whole number of at least 1');
    expect(() => selfConsistency({ temperature: Number.NaN })).toThrow('at least 0');
    expect(selfConsistency().warnings).toEqual([expect.stringContaining('no `normalise`')]);
    expect(selfConsistency({ normalise: numericAnswer }).warnings).toEqual([]);
    expect(selfConsistency({ normalise: numericAnswer, temperature: 0 }).warnings).toEqual([
      expect.stringContaining('temperature 0'),
    ]);
  });
});
