import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { defineAgent } from '../../agent.ts';
import type { AgentOptions } from '../../agent-options.ts';
import type { RunEvent } from '../../core/event.ts';
import { type ScriptFunction, scriptedModel } from '../../model/providers/script-model.ts';
import { callFinal, callTool } from '../../testing/replies.ts';
import { tool } from '../../tools/tool.ts';
import { type TreeOfTurnsOptions, treeOfTurns } from './tree-of-turns.ts';

const rooms: Record<string, string> = { hall: 'a locked door', cellar: 'a chest', chest: 'a map of the bay' };

const open = tool({
  name: 'open',
  description: 'Opens something.',
  input: z.object({ what: z.string() }),
  effect: 'read',
  run: ({ what }) => rooms[what] ?? 'nothing',
});

/** The first turn goes into the hall, the others into the cellar; only from there it goes on. */
const explores: ScriptFunction = ({ prompt, headers }, { role }) => {
  const text = JSON.stringify(prompt);
  if (role === 'value') return JSON.stringify({ judgement: text.includes('a chest') ? 'sure' : 'impossible' });
  if (text.includes('a map of the bay')) return callFinal('the bay');
  if (text.includes('a chest')) return callTool('open', { what: 'chest' });
  if (text.includes('a locked door')) return callTool('open', { what: 'door' });
  return callTool('open', { what: /turns\/0/.test(headers?.['idempotency-key'] ?? '') ? 'hall' : 'cellar' });
};

async function search(options: TreeOfTurnsOptions, script = explores, change: Partial<AgentOptions> = {}) {
  const model = scriptedModel(script);
  const run = defineAgent({ model, tools: [open], solver: treeOfTurns(options), ...change }).run(
    'where is the treasure',
  );
  const events: RunEvent[] = [];
  for await (const event of run) events.push(event);
  const nodes = events.filter((event) => event.type === 'search.node');
  return { result: await run, nodes, model };
}

describe('treeOfTurns', () => {
  it('goes on from the turns that are judged best, and ends with their transcript', async () => {
    const { result, nodes } = await search({ turns: 2, beam: 1 });
    expect(result).toMatchObject({ answer: 'the bay', attempt: { ended: { type: 'final' }, degraded: false } });
    expect(result.attempt.observations.map(({ id, content }) => [id, content])).toEqual([
      ['obs-1', 'a chest'],
      ['obs-2', 'a map of the bay'],
    ]);
    expect(nodes.map(({ verdict }) => verdict)).toContain('duplicate');
    expect(nodes.filter(({ verdict }) => verdict === 'pruned').map(({ state }) => state)).toEqual([
      'open {"what":"hall"}',
    ]);
  });

  it('takes an evaluator in code instead of a judgement', async () => {
    const evaluate: TreeOfTurnsOptions['evaluate'] = ({ turns }) =>
      turns.observations.some(({ content }) => content === 'a chest') ? 1 : 0;
    const { result, model } = await search({ turns: 2, beam: 1, evaluate, search: 'depth-first' });
    expect(result.answer).toBe('the bay');
    expect(model.calls.every(({ tools }) => tools)).toBe(true);
    expect(treeOfTurns({ evaluate }).warnings).toEqual([]);
    expect(treeOfTurns().warnings).toHaveLength(1);
  });

  it('runs no effect on any way', async () => {
    let dug = 0;
    const dig = tool({
      name: 'dig',
      description: 'Digs.',
      input: z.object({}),
      effect: 'write',
      run: () => `${++dug}`,
    });
    const script: ScriptFunction = ({ prompt }, { role }) => {
      if (role === 'value') return JSON.stringify({ judgement: 'likely' });
      return JSON.stringify(prompt).includes('a chest') ? callTool('dig') : callTool('open', { what: 'cellar' });
    };
    await search({ turns: 2, depth: 3 }, script, { tools: [open, dig], policy: { write: 'allow' } });
    expect(dug).toBe(0);
  });

  it('asks for a last answer on the best transcript when no way ended', async () => {
    const script: ScriptFunction = (options, info) =>
      options.toolChoice?.type === 'tool' ? callFinal('perhaps the bay') : explores(options, info);
    const { result } = await search({ turns: 2, beam: 1, depth: 1 }, script);
    expect(result).toMatchObject({ status: 'stopped', answer: 'perhaps the bay', reason: { code: 'steps' } });
    expect(result.attempt).toMatchObject({ degraded: true, observations: [{ content: 'a chest' }] });
  });

  it('stays in the budget', async () => {
    const script: ScriptFunction = (options, info) =>
      options.toolChoice?.type === 'tool' ? callFinal('perhaps') : explores(options, info);
    const { result } = await search({ turns: 3 }, script, { budget: { modelCalls: 8 } });
    expect(result).toMatchObject({ status: 'stopped', reason: { code: 'modelCalls' } });
    expect(result.usage.modelCalls).toBeLessThanOrEqual(8);
  });

  it('says when the model fails', async () => {
    const { result } = await search({}, () => ({ error: { status: 401, message: 'no key' } }));
    expect(result).toMatchObject({ status: 'failed', reason: { code: 'model-error' } });
  });
});
