import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { defineAgent } from '../../agent.ts';
import type { RunEvent } from '../../core/event.ts';
import { type ScriptFunction, scriptedModel } from '../../model/providers/script-model.ts';
import { callFinal, callTool } from '../../testing/replies.ts';
import { tool } from '../../tools/tool.ts';
import { direct } from '../direct.ts';
import { type SelfConsistencyOptions, selfConsistency } from './self-consistency.ts';

const prefer = (better: string): string => JSON.stringify({ better, why: 'it is' });

const drafts = ['a plain letter', 'a warm letter', 'a curt letter'];

/** Writes another letter in each sample. */
const writer: ScriptFunction = ({ headers }) => {
  const index = /samples\/(\d)/.exec(headers?.['idempotency-key'] ?? '')?.[1] ?? '2';
  return JSON.stringify({ answer: drafts[Number(index)], claims: [] });
};

/** The letters as the judge sees them, first A, then B. */
function shown(prompt: unknown): string[] {
  return [...JSON.stringify(prompt).matchAll(/a (?:plain|warm|curt) letter/g)].map(([letter]) => letter);
}

async function write(judge: ScriptFunction, options: Partial<SelfConsistencyOptions> = {}) {
  const model = { actor: scriptedModel(writer), judge: scriptedModel(judge) };
  const uncounted: SelfConsistencyOptions = { samples: 3, judge: 'another-model', normalise: () => undefined };
  const run = defineAgent({ model, solver: direct(), layers: [selfConsistency({ ...uncounted, ...options })] }).run(
    'write',
  );
  const events: RunEvent[] = [];
  for await (const event of run) events.push(event);
  return { result: await run, vote: events.find((event) => event.type === 'vote.made'), judge: model.judge, events };
}

describe('a judge over answers that cannot be counted', () => {
  it('is asked in both orders and prefers one by what it says', async () => {
    const prefersWarm: ScriptFunction = ({ prompt }) => {
      const place = shown(prompt).indexOf('a warm letter');
      return prefer(place === 0 ? 'A' : place === 1 ? 'B' : 'tie');
    };
    const { result, vote, judge } = await write(prefersWarm);
    expect(result.answer).toBe('a warm letter');
    expect(vote).toMatchObject({ by: 'judge', votes: [] });
    const pairs = judge.calls.map(({ prompt }) => shown(prompt).join(' | '));
    expect(pairs).toContain('a plain letter | a warm letter');
    expect(pairs).toContain('a warm letter | a plain letter');
  });

  it('who prefers whatever stands first, or last, changes nothing', async () => {
    for (const better of ['A', 'B']) {
      expect((await write(() => prefer(better))).result.answer).toBe('a plain letter');
    }
  });

  it('is not asked where answers can be counted', async () => {
    const { judge, vote } = await write(() => 'never', { normalise: () => 'letter' });
    expect(judge.calls).toHaveLength(0);
    expect(vote).toMatchObject({ by: 'majority' });
  });

  it('who cannot answer leaves the choice to evidence and steps', async () => {
    const { result, vote } = await write(() => ({ refusal: 'no' }));
    expect(result.answer).toBe('a plain letter');
    expect(vote).toMatchObject({ by: 'steps' });
  });

  it('sees what each sample observed under a number of its own', async () => {
    const look = tool({
      name: 'look',
      description: 'Looks.',
      input: z.object({ at: z.string() }),
      effect: 'read',
      run: ({ at }) => `saw the ${at}`,
    });
    const looker: ScriptFunction = ({ prompt, headers }) => {
      const what = (headers?.['idempotency-key'] ?? '').includes('samples/0') ? 'mast' : 'keel';
      if (!JSON.stringify(prompt).includes('saw the')) return callTool('look', { at: what });
      return callFinal(`a ${what}`, [{ text: what, evidence: [{ observation: 'obs-1', quote: `saw the ${what}` }] }]);
    };
    const judge = scriptedModel(() => prefer('tie'));
    const layers = [selfConsistency({ samples: 2, judge: 'another-model', normalise: () => undefined })];
    await defineAgent({ model: { actor: scriptedModel(looker), judge }, tools: [look], layers }).run('look');
    const [straight] = judge.calls.map(({ prompt }) => JSON.stringify(prompt));
    expect(straight).toMatch(/obs-1\][^[]*saw the mast/);
    expect(straight).toMatch(/obs-2\][^[]*saw the keel/);
  });

  it('is not the model that wrote the samples, unless that is wanted', async () => {
    const model = scriptedModel((options, info) => (info.role === 'compare' ? prefer('B') : writer(options, info)));
    const choose = async (judge: 'another-model' | 'any-model') => {
      const layers = [selfConsistency({ samples: 3, judge, normalise: () => undefined })];
      const run = defineAgent({ model, solver: direct(), layers }).run('write');
      const warned = [];
      for await (const event of run) if (event.type === 'run.warning') warned.push(event.why);
      await run;
      return {
        warned,
        judged: model.calls.filter(({ prompt }) => JSON.stringify(prompt).includes('ROLE compare')).length,
      };
    };
    expect(await choose('another-model')).toEqual({ warned: [expect.stringContaining("role 'judge'")], judged: 0 });
    expect(await choose('any-model')).toEqual({ warned: [], judged: 4 });
  });
});
