import { describe, expect, it } from 'vitest';
import { defineAgent } from '../../agent.ts';
import type { Limits } from '../../core/budget.ts';
import type { RunEvent } from '../../core/event.ts';
import { type ScriptFunction, scriptedModel } from '../../model/providers/script-model.ts';
import type { SearchProblem, Thinker } from './problem.ts';
import { type TreeOptions, treeOfThoughts } from './tree-of-thoughts.ts';

type NodeEvent = Extract<RunEvent, { type: 'search.node' }>;

/** Words that grow by one letter: the tree is what `next` says. */
function words(change: Partial<SearchProblem<string>> = {}): SearchProblem<string> {
  return {
    name: 'words',
    initial: () => '',
    key: (word) => word,
    render: (word) => word,
    answer: (word) => word,
    ...change,
  };
}

/** A recording: the next words of each word, and what each is worth. */
function recorded(next: Record<string, string[]>, values: Record<string, number>) {
  const asked: string[] = [];
  const valued: string[] = [];
  const thinker: Thinker<string> = {
    propose: async (word) => {
      asked.push(word);
      return { ok: true, value: next[word] ?? [] };
    },
    value: async (word) => {
      valued.push(word);
      return { ok: true, value: values[word] ?? 0 };
    },
  };
  return { thinker, asked, valued };
}

async function search(options: TreeOptions<string>, script: ScriptFunction = () => 'nobody asks', budget: Limits = {}) {
  const model = scriptedModel(script);
  const run = defineAgent({ model, solver: treeOfThoughts(options), budget }).run('a word');
  const nodes: NodeEvent[] = [];
  const ends: RunEvent[] = [];
  for await (const event of run) {
    if (event.type === 'search.node') nodes.push(event);
    if (event.type === 'search.end') ends.push(event);
  }
  const verdicts = (verdict: string) => nodes.filter((node) => node.verdict === verdict).map(({ state }) => state);
  return { result: await run, nodes, ends, verdicts, model };
}

describe('breadth-first search', () => {
  const next = { '': ['a', 'b', 'c'], a: ['aa', 'ab'], b: ['ba'], c: ['ca'] };

  it('keeps the best of each level, equal ones in the order they were proposed', async () => {
    const { thinker, asked } = recorded(next, { a: 1, b: 3, c: 1, aa: 2, ab: 2, ba: 1 });
    const { result, verdicts } = await search({ problem: words(), thinker, beam: 2, depth: 2 });
    expect(verdicts('kept')).toEqual(['a', 'b', 'aa', 'ab']);
    expect(verdicts('pruned')).toEqual(['c', 'ba']);
    expect(asked).toEqual(['', 'b', 'a']);
    expect(result.answer).toBe('aa');
  });

  it('visits a state once and values it once, by what makes its value', async () => {
    const { thinker, valued } = recorded({ '': ['ab', 'ba', 'ab'] }, { ab: 1, ba: 1 });
    const sorted = (word: string) => [...word].sort().join('');
    const { verdicts, nodes } = await search({ problem: words({ valueKey: sorted }), thinker, depth: 1 });
    expect(verdicts('duplicate')).toEqual(['ab']);
    expect(valued).toEqual(['ab']);
    expect(nodes.map(({ value, verdict }) => [value, verdict])).toContainEqual([1, 'kept']);
    const merged = await search({ problem: words({ key: sorted }), thinker, depth: 1 });
    expect(merged.verdicts('kept')).toEqual(['ab']);
    expect(merged.verdicts('duplicate')).toEqual(['ba', 'ab']);
  });

  it('ends at a state that code knows to be a solution, with a report that says so', async () => {
    const { thinker, asked } = recorded(next, { a: 1, b: 1, c: 1 });
    const { result, verdicts, ends } = await search({
      problem: words({ isSolution: (word) => word === 'ab' }),
      thinker,
    });
    expect(result).toMatchObject({ status: 'completed', answer: 'ab', selfChecked: false });
    expect(result.attempt.reports).toMatchObject([{ by: 'evaluator:words', knows: 'rules', verdict: 'pass' }]);
    expect(verdicts('solution')).toEqual(['ab']);
    expect(asked).toEqual(['', 'a', 'b', 'c']);
    expect(ends).toMatchObject([{ best: 'ab', visited: 5 }]);
  });

  it('says that nothing solves the task where code can tell', async () => {
    const { thinker } = recorded(next, { a: 1 });
    const { result } = await search({ problem: words({ isSolution: () => false }), thinker });
    expect(result).toMatchObject({ status: 'stopped', reason: { code: 'no-progress' } });
    expect(result.attempt).toMatchObject({ degraded: true, reports: [] });
  });

  it('keeps a complete state in the beam and goes on with the others', async () => {
    const { thinker, asked } = recorded({ '': ['end', 'go'], go: ['gone'] }, { end: 2, go: 1, gone: 1 });
    const problem = words({ isComplete: (word) => word === 'end' });
    const { result } = await search({ problem, thinker, depth: 2 });
    expect(asked).toEqual(['', 'go']);
    expect(result.answer).toBe('end');
  });

  it('lets code propose and value before it asks a thinker', async () => {
    const problem = words({ propose: (word) => [`${word}a`, `${word}b`], evaluate: (word) => word.split('b').length });
    const { result, model } = await search({ problem, depth: 3, beam: 1 });
    expect(result.answer).toBe('bbb');
    expect(model.calls).toHaveLength(0);
  });

  it('visits no more states than are allowed, and says so', async () => {
    const problem = words({ propose: (word) => [`${word}a`, `${word}b`], evaluate: () => 1 });
    const { result, nodes } = await search({ problem, depth: 9, maxStates: 7 });
    expect(nodes).toHaveLength(7);
    expect(result).toMatchObject({ status: 'stopped', reason: { code: 'steps' } });
    expect(result.attempt.degraded).toBe(true);
  });
});

describe('a search that a limit cuts', () => {
  const spent = { ok: false, why: 'limit', limit: 'modelCalls', detail: 'spent' } as const;

  it('keeps the better level where the next one was not judged to its end', async () => {
    const { thinker } = recorded({ '': ['a'], a: ['aa', 'ab'] }, { a: 5, aa: 1 });
    const cut: Thinker<string> = {
      ...thinker,
      value: async (word, context) => (word === 'ab' ? spent : thinker.value(word, context)),
    };
    const { result } = await search({ problem: words(), thinker: cut, depth: 3 });
    expect(result).toMatchObject({ status: 'stopped', answer: 'a', reason: { code: 'modelCalls' } });
  });

  it('keeps an answer that it found and could not judge any more', async () => {
    const { thinker } = recorded({ '': ['a'], a: ['end'] }, { a: 5 });
    const cut: Thinker<string> = {
      ...thinker,
      value: async (word, context) => (word === 'end' ? spent : thinker.value(word, context)),
    };
    const problem = words({ isComplete: (word) => word === 'end' });
    expect((await search({ problem, thinker: cut, depth: 3 })).result.answer).toBe('end');
  });
});

describe('depth-first search', () => {
  const next = { '': ['a', 'b'], a: ['aa', 'ab'], b: ['ba'], ba: ['baa'] };

  it('follows the best child first, prunes below the threshold and comes back', async () => {
    const { thinker, asked } = recorded(next, { a: 3, b: 2, aa: 0.1, ab: 1, ba: 1, baa: 1 });
    const problem = words({ isSolution: (word) => word === 'baa' });
    const { result, verdicts } = await search({ problem, thinker, search: 'depth-first', threshold: 0.5 });
    expect(asked).toEqual(['', 'a', 'ab', 'b', 'ba']);
    expect(verdicts('pruned')).toEqual(['aa']);
    expect(result.answer).toBe('baa');
  });

  it('comes back from a state that nobody can go on from', async () => {
    const { thinker, asked } = recorded(next, { a: 3, b: 2, ba: 1 });
    const stuck: Thinker<string> = {
      ...thinker,
      propose: async (word, context) =>
        word === 'a' ? { ok: false, why: 'invalid', detail: 'no step' } : thinker.propose(word, context),
    };
    const { result } = await search({
      problem: words({ isSolution: (word) => word === 'ba' }),
      thinker: stuck,
      search: 'depth-first',
    });
    expect(asked).toEqual(['', 'b']);
    expect(result.answer).toBe('ba');
  });

  it('goes no deeper than it may', async () => {
    const { thinker, asked } = recorded(next, { a: 1, b: 2, ba: 5, aa: 1 });
    const { result } = await search({ problem: words(), thinker, search: 'depth-first', depth: 2 });
    expect(asked).not.toContain('ba');
    expect(result.answer).toBe('ba');
  });
});

describe('a search that a model thinks for', () => {
  const problem = words({ extend: (word, { text }) => (/^[ab]$/.test(text) ? word + text : undefined) });
  const stateOf = (prompt: unknown): string => /The work so far:\\n(\w*)/.exec(JSON.stringify(prompt))?.[1] ?? '';
  const thinks: ScriptFunction = ({ prompt }, { role }) => {
    const steps = ['a', 'b', 'nonsense'].map((text) => ({ text }));
    if (role === 'thoughts') return JSON.stringify({ steps });
    const judgement = /b$/.test(stateOf(prompt)) ? 'sure' : 'impossible';
    return role === 'value' ? JSON.stringify({ judgement }) : JSON.stringify({ best: 2 });
  };

  it('takes only steps that the problem can take, and adds judgements up', async () => {
    const { result, nodes } = await search({ problem, depth: 1 }, thinks);
    expect(nodes.map(({ state, value }) => [state, Math.round(value)])).toEqual([
      ['a', 0],
      ['b', 60],
    ]);
    expect(result.answer).toBe('b');
  });

  it('can sample its steps one by one, and hold votes', async () => {
    const { nodes, model } = await search(
      { problem, depth: 1, generate: 'sample', thoughts: 2, judgeBy: 'vote', evaluations: 4 },
      ({ prompt, headers }, info) => {
        if (info.role !== 'thoughts') return thinks({ prompt }, info);
        const text = /sample\/0/.test(headers?.['idempotency-key'] ?? '') ? 'a' : 'b';
        return JSON.stringify({ steps: [{ text }, { text: 'a' }] });
      },
    );
    expect(nodes.map(({ state, value }) => [state, value])).toEqual([
      ['a', 0],
      ['b', 4],
    ]);
    expect(model.calls).toHaveLength(2 + 4);
  });

  it('stays in the budget and gives the best it has, marked as forced', async () => {
    const { result } = await search({ problem, depth: 4, beam: 1 }, thinks, { modelCalls: 12 });
    expect(result).toMatchObject({ status: 'stopped', answer: 'b', reason: { code: 'modelCalls' } });
    expect(result.attempt.degraded).toBe(true);
    expect(result.usage.modelCalls).toBeLessThanOrEqual(12);
  });

  it('treats a state nobody could go on from as a dead end, and a model that fails as the end', async () => {
    const dead = await search({ problem, depth: 3, beam: 2 }, (options, info) => {
      const isStuck = info.role === 'thoughts' && stateOf(options.prompt).endsWith('b');
      return isStuck ? { refusal: 'no' } : thinks(options, info);
    });
    expect(dead.result).toMatchObject({ answer: expect.stringMatching(/b$/), attempt: { ended: { type: 'final' } } });
    const broken = await search({ problem }, () => ({ error: { status: 401, message: 'no key' } }));
    expect(broken.result.reason.code).toBe('model-error');
  });
});
