import { describe, expect, it } from 'vitest';
import { defineAgent } from '../../agent.ts';
import type { Brief } from '../../core/brief.ts';
import { type ScriptFunction, scriptedModel } from '../../model/providers/script-model.ts';
import { attemptWith } from '../../testing/attempt.ts';
import type { Run } from '../solver.ts';
import { type ComparedAnswer, comparePair, type PairVerdict } from './compare-pair.ts';

const first: ComparedAnswer = { answer: 'the short one', claims: [] };
const second: ComparedAnswer = { answer: 'the one with many more words', claims: [{ text: 'a claim', evidence: [] }] };
const better = (which: string) => JSON.stringify({ better: which, why: 'so' });

async function compare(judge: ScriptFunction, pair = { first, second }) {
  const model = scriptedModel(judge);
  const found: PairVerdict[] = [];
  const solver = {
    name: 'comparing',
    config: {},
    solve: async ({ task }: Brief, run: Run) => {
      found.push(await comparePair(run, { task, ...pair, sources: [] }));
      return attemptWith({ answer: 'done' });
    },
  };
  await defineAgent({ model, solver }).run({ input: 'which?', constraints: ['in one line'] });
  return { verdict: found[0], prompts: model.calls.map(({ prompt }) => JSON.stringify(prompt)) };
}

/** Where the answer stands in what the judge is shown. */
const placeOf = (answer: string | undefined, prompt: string): string =>
  prompt.includes(`Answer A: ${answer}`) ? 'A' : 'B';

describe('two answers compared', () => {
  it('are shown in both orders, with the task and its conditions', async () => {
    const { prompts } = await compare(() => better('tie'));
    expect(prompts.map((prompt) => placeOf(first.answer, prompt))).toEqual(['A', 'B']);
    for (const prompt of prompts) expect(prompt).toMatch(/which\?.*in one line/);
  });

  it.each([
    ['first', first],
    ['second', second],
  ])('are told apart when both orders name the %s', async (winner, { answer }) => {
    const { verdict } = await compare(({ prompt }) => better(placeOf(answer, JSON.stringify(prompt))));
    expect(verdict).toEqual({ winner, flipped: false });
  });

  it.each(['A', 'B'])('are a tie when the judge prefers the place %s, which is reported', async (place) => {
    expect((await compare(() => better(place))).verdict).toEqual({ winner: 'tie', flipped: true });
  });

  it('are a tie when one order finds one', async () => {
    const { verdict } = await compare((_, { call }) => better(call === 1 ? 'A' : 'tie'));
    expect(verdict).toEqual({ winner: 'tie', flipped: false });
  });

  it.each(['A is better, not B', '{"better":"first","why":"so"}', '{"better":true,"why":"so"}'])(
    'are unchecked when the judge says %s',
    async (said) => {
      const judge: ScriptFunction = ({ prompt }) =>
        placeOf(first.answer, JSON.stringify(prompt)) === 'A' ? better('A') : said;
      expect((await compare(judge)).verdict).toEqual({ winner: 'unchecked', flipped: false });
    },
  );

  it('are a tie without a question when they are the same', async () => {
    const { verdict, prompts } = await compare(() => better('A'), { first, second: first });
    expect(verdict).toEqual({ winner: 'tie', flipped: false });
    expect(prompts).toEqual([]);
  });
});
