import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { type Agent, defineAgent } from '../../agent.ts';
import type { AgentOptions } from '../../agent-options.ts';
import type { Result } from '../../core/result.ts';
import { type ScriptedModel, type ScriptedReply, scriptedModel } from '../../model/providers/script-model.ts';
import type { DurableHost } from '../../runtime/durable.ts';
import { InMemoryJournals, inMemoryHost } from '../../runtime/in-memory.ts';
import { callFinal, callTool } from '../../testing/replies.ts';
import { tool } from '../../tools/tool.ts';
import { reactThenSelfConsistency, selfConsistencyThenReact } from '../back-off/react-and-self-consistency.ts';
import { planAndSolve } from '../plan-and-solve/plan-and-solve.ts';
import { programAided } from '../program-aided/program-aided.ts';
import { chainOfThought } from '../self-consistency/chain-of-thought.ts';
import { numericAnswer } from '../self-consistency/numeric-answer.ts';
import { selfConsistency } from '../self-consistency/self-consistency.ts';
import { treeOfThoughts } from './tree-of-thoughts.ts';
import { treeOfTurns } from './tree-of-turns.ts';

type Setup = Pick<AgentOptions, 'solver' | 'layers' | 'budget'>;

const sampling = { selfConsistency: { samples: 3, normalise: numericAnswer } };

const setups: Record<string, Setup> = {
  'a vote': { solver: chainOfThought(), layers: [selfConsistency({ samples: 5, normalise: numericAnswer })] },
  'a vote over loops, and a judge': {
    layers: [selfConsistency({ samples: 3, normalise: () => undefined, judge: 'any-model' })],
  },
  'a vote that the budget cuts': {
    layers: [selfConsistency({ samples: 5, normalise: numericAnswer })],
    budget: { modelCalls: 7 },
  },
  'thoughts, then the loop': { solver: selfConsistencyThenReact(sampling) },
  'the loop, then thoughts': { solver: reactThenSelfConsistency({ ...sampling, react: { maxSteps: 1 } }) },
  'a tree, breadth first': { solver: treeOfThoughts({ depth: 2, beam: 2, evaluations: 2 }) },
  'a tree, depth first, cut by the budget': {
    solver: treeOfThoughts({ depth: 3, search: 'depth-first', judgeBy: 'vote' }),
    budget: { modelCalls: 9 },
  },
  'a tree of turns': { solver: treeOfTurns({ turns: 2, depth: 3 }) },
  'a program': { solver: programAided() },
  'from least to most': { layers: [planAndSolve({ mode: 'each-step', order: 'least-to-most' })] },
};

/** A function of the prompt and of the place in the run, so that it says the same in every process. */
function replyTo(role: string, prompt: string, place: string): ScriptedReply {
  const other = /(?:samples|turns|sample)(?:#\d+)?\/[13]/.test(place);
  switch (role) {
    case 'thoughts':
      return JSON.stringify({
        steps: prompt.includes('1. count') ? [{ text: 'add', answer: '7' }] : [{ text: 'count' }, { text: 'guess' }],
      });
    case 'value':
      return JSON.stringify({ judgement: prompt.includes('guess') ? 'impossible' : 'likely' });
    case 'vote':
      return JSON.stringify({ best: 1 });
    case 'complete':
      return JSON.stringify({ answer: '7 at least', claims: [] });
    case 'compare':
      return JSON.stringify({ better: prompt.indexOf('8 boats') < prompt.indexOf('7 boats') ? 'A' : 'B', why: 'w' });
    case 'program':
      return JSON.stringify({ code: prompt.includes('It gave no answer') ? 'good' : 'bad' });
    case 'planner':
      return JSON.stringify({ goal: 'g', steps: ['count', 'add'].map((id) => ({ id, objective: id })) });
    case 'compose':
      return JSON.stringify({ answer: '7', claims: [] });
    default:
      return act(prompt, place, other);
  }
}

function act(prompt: string, place: string, other: boolean): ScriptedReply {
  if (place.endsWith('work')) return JSON.stringify({ working: [], answer: other ? '8' : '7', claims: [] });
  if (!prompt.includes('seven boats')) return callTool('look', { at: other ? 'sea' : 'yard' });
  return callFinal(other ? '8 boats' : '7 boats');
}

/** One process of a run: it dies when a closure with one of the numbers begins. */
function launch(
  setup: Setup,
  host: DurableHost,
  begins: () => Promise<void> | void,
): { agent: Agent; model: ScriptedModel } {
  const model = scriptedModel(async ({ prompt, headers }, { role }) => {
    await begins();
    return replyTo(role, JSON.stringify(prompt), headers?.['idempotency-key'] ?? '');
  });
  const look = tool({
    name: 'look',
    description: 'Looks.',
    input: z.object({ at: z.string() }),
    effect: 'read',
    run: async ({ at }) => {
      await begins();
      return `seven boats at the ${at}`;
    },
  });
  const runCode = tool({
    name: 'runCode',
    description: 'Runs.',
    input: z.object({ language: z.string(), code: z.string() }),
    effect: 'read',
    run: async ({ code }) => {
      await begins();
      return code === 'good'
        ? { ended: 'completed', stdout: '7', stderr: '' }
        : { ended: 'error', stdout: '', stderr: 'no' };
    },
  });
  return { agent: defineAgent({ model, host, tools: [look, runCode], ...setup }), model };
}

function comparable(result: Result): unknown {
  const { runId: _, metrics, ...rest } = result;
  return { ...rest, metrics: { ...metrics, activeMs: 0 } };
}

async function recordedKeys(host: DurableHost, run: string): Promise<Set<string>> {
  const entries = await Array.fromAsync(host.journal(run));
  return new Set(entries.map(({ key }) => `${run}/${key}`));
}

const keysAsked = (model: ScriptedModel) => model.calls.map(({ headers }) => String(headers?.['idempotency-key']));

/** Runs to the end, through a death of the process while the closure with that number runs. */
async function runThrough(setup: Setup, death?: number) {
  const journals = new InMemoryJournals();
  let begun = 0;
  for (let process = 1; ; process++) {
    const host = inMemoryHost({ journals, seed: () => 'one seed' });
    const dies = Promise.withResolvers<'dead'>();
    const begins = async (): Promise<void> => {
      if (++begun !== death) return;
      await host.close();
      dies.resolve('dead');
      return new Promise(() => {});
    };
    const recorded = process === 1 ? new Set<string>() : await recordedKeys(host, 'run');
    const { agent, model } = launch(setup, host, begins);
    const handle = process === 1 ? agent.run('how many boats', { runId: 'run' }) : agent.resume('run');
    const ending = await Promise.race([handle.result.catch(() => 'dead' as const), dies.promise]);
    expect(keysAsked(model).filter((key) => recorded.has(key))).toEqual([]);
    if (ending !== 'dead') return { result: ending, host, begun };
  }
}

describe.each(Object.entries(setups))('%s', (_, setup) => {
  it('comes to the same result wherever its process dies, and asks for no recorded reply again', async () => {
    const whole = await runThrough(setup);
    expect(whole.result.answer).toMatch(/[78]/);
    for (let death = 1; death <= whole.begun; death++) {
      const interrupted = await runThrough(setup, death);
      expect(comparable(interrupted.result)).toEqual(comparable(whole.result));
    }
  });

  it('comes to the same result when forked at any entry', async () => {
    const { result, host } = await runThrough(setup);
    const entries = await Array.fromAsync(host.journal('run'));
    for (let at = 0; at <= entries.length; at++) {
      const { agent, model } = launch(setup, host, () => {});
      await host.fork('run', `fork-${at}`, { at });
      const recorded = await recordedKeys(host, `fork-${at}`);
      expect(comparable(await agent.resume(`fork-${at}`))).toEqual(comparable(result));
      expect(keysAsked(model).filter((key) => recorded.has(key))).toEqual([]);
    }
  });
});
