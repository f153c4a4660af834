import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { type Agent, defineAgent } from './agent.ts';
import type { RunEvent } from './core/event.ts';
import { scriptedModel } from './model/providers/script-model.ts';
import { inMemoryHost } from './runtime/in-memory.ts';
import { callFinal, callTool } from './testing/replies.ts';
import { tool } from './tools/tool.ts';

const echo = tool({
  name: 'echo',
  description: 'Says it again.',
  input: z.object({ text: z.string() }),
  effect: 'read',
  run: ({ text }) => `heard: ${text}`,
});

function talking(): Agent {
  return defineAgent({ model: scriptedModel([callTool('echo', { text: 'a' }), callFinal('a')]), tools: [echo] });
}

async function typesOf(events: AsyncIterable<RunEvent>): Promise<string[]> {
  const types: string[] = [];
  for await (const event of events) types.push(event.type);
  return types;
}

describe('iterating a handle', () => {
  it('gives every iteration all events, and ends each of them', async () => {
    const run = talking().run('x');
    const [one, other] = await Promise.all([typesOf(run), typesOf(run)]);
    expect(one.at(-1)).toBe('run.end');
    expect(other).toEqual(one);
  });

  it('may stop early: the run goes on, and another iteration gets the rest', async () => {
    const run = talking().run('x');
    for await (const event of run) {
      expect(event.type).toBe('run.start');
      break;
    }
    const rest = await typesOf(run);
    expect(rest).not.toContain('run.start');
    expect(rest.at(-1)).toBe('run.end');
    expect((await run).answer).toBe('a');
  });

  it('ends at once when the run is over', async () => {
    const run = talking().run('x');
    await run;
    expect(await typesOf(run)).toEqual([]);
  });

  it('ends when the run could not be started or its host is closed', async () => {
    const unstarted = talking().run('');
    expect(await typesOf(unstarted)).toEqual([]);
    const agent = defineAgent({ model: scriptedModel([{ delayMs: 5_000, text: 'late' }]) });
    const run = agent.run('x');
    const types: string[] = [];
    for await (const event of run) {
      types.push(event.type);
      if (event.type === 'model.start') await agent.host.close();
    }
    expect(types.at(-1)).toBe('model.start');
    await expect(run).rejects.toThrow('closed');
  });
});

describe('cancelling a handle', () => {
  it('works before the run has begun', async () => {
    const run = talking().run('x');
    await run.cancel();
    expect((await run).status).toBe('cancelled');
  });

  it('follows a signal that was aborted before, without an unhandled rejection', async () => {
    const model = scriptedModel([callFinal('a')]);
    const run = defineAgent({ model }).run('x', { signal: AbortSignal.abort() });
    expect((await run).status).toBe('cancelled');
    const unstarted = defineAgent({ model }).run('', { signal: AbortSignal.abort() });
    await expect(unstarted).rejects.toThrow('the task is empty');
    await expect(unstarted.cancel()).rejects.toThrow('the task is empty');
  });

  it('listens to the signal no longer than the run takes', async () => {
    const controller = new AbortController();
    const agent = talking();
    const run = agent.run('x', { signal: controller.signal });
    expect((await run).answer).toBe('a');
    await agent.close();
    controller.abort();
    expect((await run).answer).toBe('a');
  });
});

describe('a handle on a run that a decision woke', () => {
  const pay = tool({
    name: 'pay',
    description: 'Pays.',
    input: z.object({ sum: z.number() }),
    effect: 'irreversible',
    run: ({ sum }) => `paid ${sum}`,
  });

  async function paidOnce() {
    const model = scriptedModel([callTool('pay', { sum: 1 }), callTool('pay', { sum: 2 }), callFinal('both paid')]);
    const agent = defineAgent({ model, tools: [pay], host: inMemoryHost({ suspendAfterMs: 5 }) });
    expect((await agent.run('pay', { runId: 'pay' })).status).toBe('awaiting_approval');
    const approve = async (): Promise<void> => {
      const [signal] = (await agent.host.info('pay'))?.waitingFor ?? [];
      await agent.decide('pay', signal ?? '', { approved: true });
    };
    await approve();
    return { agent, approve };
  }

  it('gets the events from there on, with the ids they have in every replay', async () => {
    const { agent, approve } = await paidOnce();
    const run = agent.resume('pay');
    const ids: string[] = [];
    for await (const event of run) ids.push(event.id);
    expect(ids).toContain(':approval.requested#2');
    await approve();
    const last = agent.resume('pay');
    const types = await typesOf(last);
    expect(types.at(-1)).toBe('run.end');
    expect((await last).answer).toBe('both paid');
  });

  it('shows what the run has so far when it waits again', async () => {
    const { agent } = await paidOnce();
    const result = await agent.resume('pay');
    expect(result).toMatchObject({ status: 'awaiting_approval', usage: { modelCalls: 2, toolCalls: 1 } });
    expect(result.attempt.observations).toMatchObject([{ content: 'paid 1' }]);
  });

  it('is not cut off by a second run of the same id that is refused', async () => {
    const model = scriptedModel([callTool('echo', { text: 'a' }), callFinal('a')]);
    const agent = defineAgent({ model, tools: [echo] });
    const first = agent.run('x', { runId: 'same' });
    const types = typesOf(first);
    await expect(agent.run('x', { runId: 'same' })).rejects.toThrow('exists already');
    expect((await types).at(-1)).toBe('run.end');
  });
});
