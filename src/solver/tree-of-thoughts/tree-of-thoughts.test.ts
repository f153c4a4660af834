import { describe, expect, it } from 'vitest';
import { defineAgent } from '../../agent.ts';
import { type ScriptFunction, scriptedModel } from '../../model/providers/script-model.ts';
import type { Layer } from '../solver.ts';
import { treeOfThoughts } from './tree-of-thoughts.ts';

/** Thinks of a plain task in two steps, one of which is better. */
const thinks: ScriptFunction = ({ prompt }, { role }) => {
  const text = JSON.stringify(prompt);
  const hasStep = text.includes('1. count the ');
  switch (role) {
    case 'thoughts':
      return JSON.stringify({
        steps: hasStep
          ? [{ text: 'add them', answer: text.includes('1. count the boats') ? 'seven' : 'many' }]
          : [{ text: 'count the birds' }, { text: 'count the boats' }],
      });
    case 'value':
      return JSON.stringify({ judgement: text.includes('boats') ? 'sure' : 'likely' });
    case 'complete':
      return JSON.stringify({ answer: 'about seven', claims: [] });
    default:
      return 'nobody asks';
  }
};

const task = 'how many are there';

describe('treeOfThoughts', () => {
  it('searches the steps of a plain task and gives the answer of the best way', async () => {
    const model = scriptedModel(thinks);
    const result = await defineAgent({ model, solver: treeOfThoughts({ depth: 3 }) }).run(task);
    expect(result).toMatchObject({ answer: 'seven', attempt: { ended: { type: 'final' }, degraded: false } });
    expect(result.status).toBe('needs_more_evidence');
    expect(model.calls.every(({ temperature }) => temperature === 0.7)).toBe(true);
  });

  it('has the best way completed where its depth ends before an answer', async () => {
    const model = scriptedModel(thinks);
    const result = await defineAgent({ model, solver: treeOfThoughts({ depth: 1 }) }).run(task);
    expect(result).toMatchObject({ answer: 'about seven', attempt: { degraded: false } });
    expect(JSON.stringify(model.calls.at(-1)?.prompt)).toContain('1. count the boats');
  });

  it('completes from the kept slice of the budget after a limit', async () => {
    const model = scriptedModel(thinks);
    const solver = treeOfThoughts({ depth: 3, evaluations: 1 });
    const result = await defineAgent({ model, solver, budget: { modelCalls: 4 } }).run(task);
    expect(result).toMatchObject({ status: 'stopped', answer: 'about seven', reason: { code: 'modelCalls' } });
    expect(result.attempt.degraded).toBe(true);
  });

  it('leaves the best answer so far to a run that is cancelled', async () => {
    let run: ReturnType<ReturnType<typeof defineAgent>['run']> | undefined;
    const model = scriptedModel(async (options, info) => {
      const isLate = info.role === 'thoughts' && JSON.stringify(options.prompt).includes('2. add them');
      if (!isLate) return info.role === 'thoughts' ? steps(JSON.stringify(options.prompt)) : thinks(options, info);
      await run?.cancel();
      return new Promise(() => {});
    });
    const steps = (prompt: string): string =>
      JSON.stringify({
        steps: prompt.includes('1. count') ? [{ text: 'add them' }, { text: 'say', answer: '7' }] : [{ text: 'count' }],
      });
    run = defineAgent({ model, solver: treeOfThoughts({ depth: 3 }) }).run(task);
    expect(await run).toMatchObject({ status: 'cancelled', answer: '7' });
  });

  it('searches again for a revision, with the issues in view', async () => {
    const revising: Layer = {
      name: 'revising',
      config: {},
      place: 'reflection',
      wrap: (inner) => async (brief, run) => {
        const attempt = await inner(brief, run);
        const issues = [{ type: 'incomplete' as const, detail: 'the dinghy is missing', requiredAction: 'count it' }];
        return inner({ ...brief, revise: { attempt, issues } }, run.scope('again'));
      },
    };
    const model = scriptedModel(thinks);
    await defineAgent({ model, solver: treeOfThoughts({ depth: 2 }), layers: [revising] }).run(task);
    const prompts = model.calls.map(({ prompt }) => JSON.stringify(prompt));
    expect(prompts[0]).not.toContain('the dinghy is missing');
    expect(prompts.at(-1)).toContain('the dinghy is missing');
  });

  it('asks another model to judge where there is one', async () => {
    const actor = scriptedModel(thinks);
    const judge = scriptedModel(thinks);
    await defineAgent({ model: { actor, judge }, solver: treeOfThoughts({ depth: 2 }) }).run(task);
    const rolesOf = (model: typeof actor) =>
      new Set(model.calls.map(({ prompt }) => /ROLE (\w+)/.exec(JSON.stringify(prompt))?.[1]));
    expect(rolesOf(actor)).toEqual(new Set(['thoughts']));
    expect(rolesOf(judge)).toEqual(new Set(['value']));
  });

  it('refuses a task that is no such problem, and numbers that cannot be meant', async () => {
    const problem = { name: 'none', initial: () => undefined, key: String, render: String, answer: () => undefined };
    const result = await defineAgent({ model: scriptedModel([]), solver: treeOfThoughts({ problem }) }).run(task);
    expect(result).toMatchObject({ status: 'failed', reason: { code: 'invalid-answer' } });
    expect(() => treeOfThoughts({ beam: 0 })).toThrow('beam is 0');
  });

  it('warns where only the liking of a model decides', () => {
    const problem = { name: 'p', initial: () => 0, key: String, render: String, answer: String };
    expect(treeOfThoughts().warnings).toEqual([expect.stringContaining("the model's liking")]);
    expect(treeOfThoughts({ problem: { ...problem, evaluate: () => 1 } }).warnings).toEqual([]);
  });
});
