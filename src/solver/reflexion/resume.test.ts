import { expect, it } from 'vitest';
import * as z from 'zod';
import { type Agent, defineAgent } from '../../agent.ts';
import type { Evaluator } from '../../checks/check.ts';
import type { Limits } from '../../core/budget.ts';
import type { Result } from '../../core/result.ts';
import { type ScriptedReply, scriptedModel } from '../../model/providers/script-model.ts';
import type { DurableHost } from '../../runtime/durable.ts';
import { InMemoryJournals, inMemoryHost } from '../../runtime/in-memory.ts';
import { callFinal, callTool } from '../../testing/replies.ts';
import { tool } from '../../tools/tool.ts';
import { planAndSolve } from '../plan-and-solve/plan-and-solve.ts';
import { verification } from '../verification/verification.ts';
import { reflexion } from './reflexion.ts';

/** A function of the prompt alone, so that it says the same in every process. */
function replyTo(role: string, prompt: string): ScriptedReply {
  if (role === 'planner') return JSON.stringify({ goal: 'depth', steps: [{ id: 's1', objective: 'sound it' }] });
  if (role === 'reflector') {
    const plan = prompt.includes('three fathoms') ? 'sound the channel' : 'sound the basin';
    return JSON.stringify({ diagnosis: 'the wrong water', plan: [plan] });
  }
  const place = prompt.includes('sound the channel')
    ? 'channel'
    : prompt.includes('sound the basin')
      ? 'basin'
      : 'pier';
  if (!prompt.includes(`${place} has`)) return callTool('sound', { place });
  return callFinal(`${place === 'pier' ? 'two' : place === 'basin' ? 'three' : 'nine'} fathoms`);
}

interface World {
  begins(): Promise<void> | void;
}

function agentFor({ begins }: World, host: DurableHost, budget: Limits): Agent {
  const evaluator: Evaluator = {
    name: 'gauge',
    knows: 'tests',
    evaluate: ({ answer = '' }, _task, { step }) =>
      step('evaluate.gauge', async () => {
        await begins();
        const pass = answer.startsWith('nine');
        return { pass, score: pass ? 1 : 0, feedback: `the gauge says no to ${answer}` };
      }),
  };
  const sound = tool({
    name: 'sound',
    description: 'Sounds the depth.',
    input: z.object({ place: z.string() }),
    effect: 'read',
    run: async ({ place }) => {
      await begins();
      return `${place} has a depth`;
    },
  });
  const model = scriptedModel(async (call, { role }) => {
    await begins();
    return replyTo(role, JSON.stringify(call.prompt));
  });
  const layers = [
    reflexion({ evaluator, trials: 4 }),
    verification({ verifier: false, refine: { rounds: 0 } }),
    planAndSolve(),
  ];
  return defineAgent({ model, host, tools: [sound], layers, budget });
}

const comparable = ({ runId: _, metrics, ...rest }: Result) => ({ ...rest, metrics: { ...metrics, activeMs: 0 } });
const task = 'how deep is it';
const quiet: World = { begins: () => undefined };

async function whole(budget: Limits): Promise<{ result: Result; host: DurableHost; closures: number }> {
  const host = inMemoryHost({ seed: () => 'seed' });
  let closures = 0;
  const result = await agentFor({ begins: () => void closures++ }, host, budget).run(task, { runId: 'run' });
  return { result, host, closures };
}

const budgets: Limits[] = [{}, { modelCalls: 8 }, { toolCalls: 2 }];

it.each(budgets)(
  'comes to the same result when the process dies in any closure, with the budget %o',
  async (budget) => {
    const { result, closures } = await whole(budget);
    expect(result.answer).toContain('fathoms');
    expect(closures).toBeGreaterThan(5);
    for (let death = 1; death <= closures; death++) {
      const journals = new InMemoryJournals();
      let begun = 0;
      const first = inMemoryHost({ journals, seed: () => 'seed' });
      const dead = Promise.withResolvers<void>();
      const begins = async (): Promise<void> => {
        if (++begun !== death) return;
        await first.close();
        dead.resolve();
        return new Promise(() => {});
      };
      const handle = agentFor({ begins }, first, budget).run(task, { runId: 'run' });
      await Promise.race([handle.result.catch(() => undefined), dead.promise]);
      const second = inMemoryHost({ journals, seed: () => 'seed' });
      const resumed = await agentFor(quiet, second, budget).resume('run');
      expect(comparable(resumed), `died in closure ${death}`).toEqual(comparable(result));
    }
  },
);

it('comes to the same result when forked at any entry', async () => {
  const { result, host } = await whole({});
  expect(result).toMatchObject({ answer: 'nine fathoms', status: 'completed' });
  const entries = await Array.fromAsync(host.journal('run'));
  const agent = agentFor(quiet, host, {});
  for (let at = 0; at <= entries.length; at++) {
    await host.fork('run', `fork-${at}`, { at });
    expect(comparable(await agent.resume(`fork-${at}`)), `forked at ${at}`).toEqual(comparable(result));
  }
});

it('goes on to a pass when a run that a limit stopped is extended', async () => {
  const { result, host } = await whole({ modelCalls: 8 });
  expect(result).toMatchObject({ status: 'stopped' });
  const extended = await agentFor(quiet, host, {}).extend('run', { budget: { modelCalls: 60 } });
  expect(extended).toMatchObject({ answer: 'nine fathoms', status: 'completed' });
});

it('shows the best judged trial when it is cancelled in the middle of the next', async () => {
  const cancel = new AbortController();
  let begun = 0;
  const begins = (): void => {
    // In trial 1: plan, call, tool, final, gauge; then the reflection, and the plan, a call, the tool and the next call of trial 2.
    if (++begun === 10) cancel.abort();
  };
  const result = await agentFor({ begins }, inMemoryHost(), {}).run(task, { signal: cancel.signal });
  expect(result).toMatchObject({ status: 'cancelled', answer: 'two fathoms' });
  expect(result.attempt.reports.at(-1)).toMatchObject({ by: 'evaluator:gauge', verdict: 'fail' });
});
