import { afterEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { Agent, type AgentOptions } from '../../agent.ts';
import type { RunEvent } from '../../core/event.ts';
import { scriptedModel } from '../../model/providers/script-model.ts';
import type { DurableHost, RunInfo } from '../../runtime/durable.ts';
import { hostView } from '../../runtime/host-view.ts';
import { inMemoryHost } from '../../runtime/in-memory.ts';
import { planAndSolve } from '../../solver/plan-and-solve/plan-and-solve.ts';
import { callFinal, callTool, callTools } from '../../testing/replies.ts';
import { tool } from '../../tools/tool.ts';
import { Inspector } from './inspector.ts';

const opened: DurableHost[] = [];
afterEach(async () => {
  for (const host of opened.splice(0)) await host.close();
});

const look = tool({
  name: 'look',
  description: 'Looks.',
  input: z.object({ at: z.string() }),
  effect: 'read',
  timeoutMs: 20,
  run: ({ at }) => (at === 'nowhere' ? new Promise<never>(() => undefined) : `${at}: ${'x'.repeat(300)}`),
});

const script = [
  callTools(['look', { at: 'here' }], ['look', { at: 'nowhere' }], ['look', { at: 'there' }]),
  callTool('look', { at: 'at last' }),
  callFinal('done'),
];

/** An agent on a host that counts how often a journal is read, and what it tells. */
function watchedAgent(options: Partial<AgentOptions> = {}) {
  const inner = inMemoryHost({ suspendAfterMs: 5 });
  opened.push(inner);
  const read: string[] = [];
  const events: RunEvent[] = [];
  const host = hostView(inner, {
    journal: (runId) => {
      read.push(runId);
      return inner.journal(runId);
    },
  });
  const sinks = [{ name: 'kept', write: (event: RunEvent) => void events.push(event) }];
  const agent = new Agent({ model: scriptedModel(script), tools: [look], sinks, ...options, host });
  const infoOf = async (runId: string): Promise<RunInfo> => (await inner.info(runId))!;
  return { agent, read, events, infoOf, inspector: new Inspector({ events: { read: () => events }, keep: 2 }) };
}

describe('an inspector', () => {
  it('replays an ended run once, for all who look at it, and keeps the last looked at', async () => {
    const { agent, read, infoOf, inspector } = watchedAgent({ model: scriptedModel(() => callFinal('done')) });
    const runs = await Promise.all(
      ['a', 'b', 'c'].map(async (runId) => {
        await agent.run('x', { runId });
        return { agent, run: await infoOf(runId) };
      }),
    );
    const [a, b, c] = runs as [(typeof runs)[0], (typeof runs)[0], (typeof runs)[0]];
    const [one, other] = await Promise.all([inspector.inspect(a), inspector.inspect(a)]);
    expect(one?.rebuilt.calls).toHaveLength(1);
    expect(other).toBe(one);
    await inspector.inspect(b);
    await inspector.inspect(a);
    await inspector.inspect(c);
    expect(await inspector.inspect(a)).toBe(one);
    expect(read).toEqual(['a', 'b', 'c']);
    await inspector.inspect(b);
    expect(read).toEqual(['a', 'b', 'c', 'b']);
  });

  it('does not keep a run that goes on, nor one whose replay failed', async () => {
    const { agent, read, infoOf, inspector } = watchedAgent({ tools: [{ ...look, effect: 'write' }] });
    await agent.run('x', { runId: 'a' });
    const owned = { agent, run: await infoOf('a') };
    expect(owned.run.state).toBe('suspended');
    await inspector.inspect(owned);
    await inspector.inspect(owned);
    expect(read).toEqual(['a', 'a']);
    const broken = new Agent({
      ...agent.options,
      host: hostView(agent.host, { beginning: () => Promise.reject(new Error('gone')) }),
    });
    for (let at = 0; at < 2; at++) await expect(inspector.inspect({ ...owned, agent: broken })).rejects.toThrow('gone');
    const lost = new Agent({ ...agent.options, host: hostView(agent.host, { beginning: async () => undefined }) });
    expect(await inspector.inspect({ ...owned, agent: lost })).toBeUndefined();
  });

  it('does not take a run of one agent for a run of another that has the same id', async () => {
    const first = watchedAgent();
    const second = watchedAgent({ model: scriptedModel(() => callFinal('at once')) });
    await first.agent.run('x', { runId: 'a' });
    await second.agent.run('x', { runId: 'a' });
    const run = await first.infoOf('a');
    expect((await first.inspector.inspect({ agent: first.agent, run }))?.rebuilt.calls).toHaveLength(3);
    expect((await first.inspector.inspect({ agent: second.agent, run }))?.rebuilt.calls).toHaveLength(1);
  });
});

describe('observations that no replay comes by', () => {
  const whole = (at: string): string => `${at}: ${'x'.repeat(300)}`;

  it('are put together from the journal, with their steps', async () => {
    const { agent, infoOf, inspector } = watchedAgent();
    await agent.run('x', { runId: 'a' });
    const run = await infoOf('a');
    const replayed = await inspector.observations({ agent, run });
    expect(replayed.map(({ observation, seq }) => [observation.id, observation.content, seq])).toEqual([
      ['obs-1', whole('here'), 2],
      ['obs-2', expect.stringContaining('No result within'), 4],
      ['obs-3', whole('there'), 3],
      ['obs-4', whole('at last'), 6],
    ]);
    const changed = new Agent({ ...agent.options, layers: [planAndSolve()] });
    // Neither the Result nor the replay has them.
    const { output: _, ...unended } = run;
    const found = await inspector.observations({ agent: changed, run: unended });
    expect(found.map(({ observation }) => observation)).toEqual(replayed.map(({ observation }) => observation));
    expect(found.map(({ seq }) => seq)).toEqual([2, undefined, 3, 6]);
    expect(found.some(({ beginning }) => beginning)).toBe(false);
  });

  it('are those of the Result where the journal is gone, and else the beginning that events tell', async () => {
    const { agent, infoOf, inspector } = watchedAgent();
    await agent.run('x', { runId: 'a' });
    const run = await infoOf('a');
    const lost = new Agent({ ...agent.options, host: hostView(agent.host, { beginning: async () => undefined }) });
    const found = await inspector.observations({ agent: lost, run });
    expect(found.map(({ observation }) => observation.content)).toEqual([
      whole('here'),
      expect.stringContaining('No result within'),
      whole('there'),
      whole('at last'),
    ]);
    const { output: _, ...unended } = run;
    const [first, second] = await inspector.observations({ agent: lost, run: unended });
    expect(first).toMatchObject({ observation: { args: { at: 'here' } }, beginning: true });
    expect(whole('here').startsWith(first?.observation.content ?? '-')).toBe(true);
    expect(second?.beginning).toBeUndefined();
  });
});
