import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { type AgentOptions, defineAgent } from '../agent.ts';
import { scriptedModel } from '../model/providers/script-model.ts';
import { type InMemoryHostOptions, inMemoryHost } from '../runtime/in-memory.ts';
import { callFinal, callTool } from '../testing/replies.ts';
import { tool } from '../tools/tool.ts';

function ledger(effect: 'read' | 'write') {
  const written: string[] = [];
  const append = tool({
    name: 'append',
    description: 'Adds a line.',
    input: z.object({ line: z.string() }),
    effect,
    run: ({ line }) => `line ${written.push(line)}: ${line}`,
  });
  return { written, append };
}

const line = (text: string) => callTool('append', { line: text });

async function extended(options: AgentOptions, small: AgentOptions['budget'], host?: InMemoryHostOptions) {
  const shared = { ...options, host: inMemoryHost(host) };
  const stopped = await defineAgent({ ...shared, ...(small && { budget: small }) }).run('write', { runId: 'small' });
  return { stopped, agent: defineAgent(shared) };
}

describe('going on where a limit stopped a run', () => {
  it('runs an effect that the limit refused: nothing of it had happened', async () => {
    const { written, append } = ledger('write');
    const model = scriptedModel([line('a'), line('b'), callFinal('one line'), callFinal('two lines')]);
    const { stopped, agent } = await extended({ model, tools: [append], policy: { write: 'allow' } }, { toolCalls: 1 });
    expect(stopped).toMatchObject({ status: 'stopped', reason: { code: 'toolCalls' }, answer: 'one line' });
    const result = await agent.extend('small', { runId: 'large', budget: { toolCalls: 5 } });
    expect(result.attempt.observations.map(({ status }) => status)).toEqual(['ok', 'ok']);
    expect(result.answer).toBe('two lines');
    expect(written).toEqual(['a', 'b']);
  });

  it('keeps the decisions that were made, and asks for the next one', async () => {
    const { written, append } = ledger('write');
    const model = scriptedModel([line('a'), callFinal('cut'), line('b'), callFinal('two lines')]);
    const { agent } = await extended({ model, tools: [append] }, { modelCalls: 2 }, { suspendAfterMs: 5 });
    const approve = async (runId: string): Promise<void> => {
      const [signal] = (await agent.host.info(runId))?.waitingFor ?? [];
      expect(await agent.decide(runId, signal ?? '', { approved: true })).toBe('delivered');
    };
    await approve('small');
    expect(await agent.resume('small')).toMatchObject({ status: 'stopped', answer: 'cut' });
    const run = agent.extend('small', { runId: 'large', budget: { modelCalls: 9 } });
    expect((await run).status).toBe('awaiting_approval');
    expect(written).toEqual(['a']);
    await approve('large');
    expect(await agent.resume('large')).toMatchObject({ answer: 'two lines', usage: { modelCalls: 3 } });
    expect(written).toEqual(['a', 'b']);
  });

  it('asks the model again that the time of the run cut off, but calls no tool again that took too long', async () => {
    let hung = 0;
    const slow = tool({
      name: 'slow',
      description: 'Takes long.',
      input: z.object({}),
      effect: 'read',
      timeoutMs: 20,
      run: () => {
        hung++;
        return new Promise(() => {});
      },
    });
    const model = scriptedModel([callTool('slow'), { delayMs: 20_000, text: 'too late' }, callFinal('in time')]);
    const { stopped, agent } = await extended({ model, tools: [slow] }, { ms: 900 });
    expect(stopped.answer).toBeUndefined();
    const result = await agent.extend('small', { runId: 'large', budget: { ms: 60_000 } });
    expect(result).toMatchObject({ answer: 'in time', usage: { modelCalls: 2 } });
    expect(hung).toBe(1);
  });

  it('needs a run that a limit stopped', async () => {
    const agent = defineAgent({ model: scriptedModel([callFinal('done')]) });
    await agent.run('x', { runId: 'done' });
    await expect(agent.extend('done', {})).rejects.toThrow("No limit stopped the run 'done'");
    await expect(agent.extend('nowhere', {})).rejects.toThrow("There is no run 'nowhere'");
  });
});
