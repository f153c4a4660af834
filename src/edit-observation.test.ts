import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { type AgentOptions, defineAgent } from './agent.ts';
import { UsageError } from './core/errors.ts';
import type { RunEvent } from './core/event.ts';
import { inMemoryLessons } from './memory/in-memory-lessons.ts';
import { type ScriptedModel, scriptedModel } from './model/providers/script-model.ts';
import { inMemoryHost } from './runtime/in-memory.ts';
import { lessons } from './solver/lessons/lessons.ts';
import { verification } from './solver/verification/verification.ts';
import { callFinal, callTool } from './testing/replies.ts';
import { tool } from './tools/tool.ts';

const claim = (quote: string) => [{ text: quote, evidence: [{ observation: 'obs-1', quote }] }];
const seven = 'Seven ropes are in stock.';
const nine = 'Nine ropes are in stock.';

/** Looks, and quotes what it was shown; with `wrong` it misquotes once. */
function quoting(wrong = false): ScriptedModel {
  return scriptedModel(({ prompt }, { role }) => {
    if (role !== 'actor') return JSON.stringify({ trigger: 't', failurePattern: 'f', lesson: 'l', avoid: 'a' });
    const text = JSON.stringify(prompt);
    if (!text.includes('"tool-result"')) return callTool('stock');
    const quote = text.includes(nine) ? nine : seven;
    return wrong && !text.includes('error-text')
      ? callFinal('some', claim('Ten ropes.'))
      : callFinal(quote, claim(quote));
  });
}

function agentWith(options: Partial<AgentOptions> = {}) {
  let looked = 0;
  const stock = tool({
    name: 'stock',
    description: 'The stock list.',
    input: z.object({}),
    effect: 'read',
    run: () => {
      looked++;
      return seven;
    },
  });
  const agent = defineAgent({
    model: quoting(),
    tools: [stock],
    layers: [verification({ verifier: false })],
    ...options,
  });
  return { agent, looked: () => looked };
}

describe('a fork with an edited observation', () => {
  const edit = { at: 2, observation: { id: 'obs-1' as const, content: nine } };

  it('goes on as if the tool had returned it, is marked, and its claims are held against it', async () => {
    const { agent, looked } = agentWith();
    expect(await agent.run('how many ropes', { runId: 'first' })).toMatchObject({ answer: seven, status: 'completed' });
    const fork = agent.fork('first', { ...edit, runId: 'fork' });
    const events: RunEvent[] = [];
    for await (const event of fork) events.push(event);
    const result = await fork;
    expect(result).toMatchObject({
      answer: nine,
      status: 'completed',
      attempt: { observations: [{ id: 'obs-1', tool: 'stock', status: 'ok', content: nine, trust: 'untrusted' }] },
      metrics: { claims: 1, supportedClaims: 1 },
    });
    expect(looked()).toBe(1);
    const edited = [{ seq: 2, observation: 'obs-1' }];
    expect(events[0]).toMatchObject({ type: 'run.start', edited });
    expect((await agent.host.info('fork'))?.input).toMatchObject({ edited });
    expect((await agent.host.info('first'))?.output).toMatchObject({ attempt: { observations: [{ content: seven }] } });
    await agent.close();
  });

  it('passes its mark on to forks that repeat the edited step, and to no others', async () => {
    const { agent } = agentWith();
    await agent.run('how many ropes', { runId: 'first' });
    await agent.fork('first', { ...edit, runId: 'fork' });
    const markOf = async (runId: string): Promise<unknown> =>
      Reflect.get(Object((await agent.host.info(runId))?.input), 'edited');
    await agent.fork('fork', { at: 3, runId: 'after' });
    expect(await markOf('after')).toEqual([{ seq: 2, observation: 'obs-1' }]);
    await agent.fork('fork', { at: 1, runId: 'before' });
    expect(await markOf('before')).toBeUndefined();
    await agent.fork('fork', { ...edit, runId: 'again' });
    expect(await markOf('again')).toEqual([{ seq: 2, observation: 'obs-1' }]);
    await agent.close();
  });

  it('cleans and redacts what a human writes as it does what tools return', async () => {
    const { agent } = agentWith({ secrets: ['hunter2-hunter2'] });
    await agent.run('how many ropes', { runId: 'first' });
    const content = `${nine} \u001b[31mhunter2-hunter2\u001b[0m`;
    const { attempt } = await agent.fork('first', { at: 2, observation: { id: 'obs-1', content } });
    expect(attempt.observations[0]?.content).toMatch(/^Nine ropes are in stock\. \[[^\]]*\]$/);
    await agent.close();
  });

  it('takes the place of a call that failed or hung', async () => {
    const outcomes = [() => Promise.reject(new Error('the list is gone')), () => new Promise(() => undefined)];
    for (const run of outcomes) {
      const stock = tool({ name: 'stock', description: 'x', input: z.object({}), effect: 'read', timeoutMs: 5, run });
      const { agent } = agentWith({ tools: [stock] });
      const { attempt } = await agent.run('how many ropes', { runId: 'first' });
      expect(attempt.observations[0]?.status).toMatch(/error|timeout/);
      const fork = await agent.fork('first', edit);
      expect(fork).toMatchObject({ answer: nine, attempt: { observations: [{ status: 'ok', content: nine }] } });
      await agent.close();
    }
  });

  it('is refused where no tool returned anything, with the remedy', async () => {
    const { agent } = agentWith({ budget: { toolCalls: 0 } });
    await agent.run('how many ropes', { runId: 'first' });
    for (const at of [0, 1, 99]) {
      await expect(agent.fork('first', { ...edit, at })).rejects.toThrow(
        /is no tool's.*Fork at the step of the tool call/,
      );
    }
    await expect(agent.fork('first', edit)).rejects.toThrow(/was refused.*Fork at the step of a call that ran/);
    await expect(agent.fork('first', edit)).rejects.toThrow(UsageError);
    await agent.close();
  });

  it('teaches nothing, whatever was mended in it', async () => {
    const store = inMemoryLessons();
    const layers = [lessons({ store }), verification({ verifier: false })];
    const { agent } = agentWith({ model: quoting(true), layers });
    await agent.run('how many ropes', { runId: 'first' });
    const entries = await Array.fromAsync(agent.host.journal('first'));
    expect(entries.some(({ key }) => key === 'lessons.admit')).toBe(true);
    const at = entries.find(({ key }) => key === 'tool.stock')?.seq ?? 0;
    await agent.fork('first', { at, observation: edit.observation, runId: 'fork' });
    const forked = await Array.fromAsync(agent.host.journal('fork'));
    expect(forked.map(({ key }) => key).filter((key) => key.startsWith('lessons.'))).toEqual(['lessons.recall']);
    await agent.close();
  });
});

describe('a fork with another agent', () => {
  it('is a run of that agent, repeats the replies of the first one and tells which model gave which', async () => {
    const host = inMemoryHost();
    const first = agentWith({ host, name: 'first' });
    const other = agentWith({ host, name: 'other', model: { ...quoting(), modelId: 'another' } });
    await first.agent.run('how many ropes', { runId: 'r' });
    const fork = other.agent.fork('r', { at: 2, runId: 'f' });
    const models: string[] = [];
    for await (const event of fork) if (event.type === 'model.call') models.push(event.model);
    expect(await fork).toMatchObject({ status: 'completed', answer: seven });
    expect(models).toEqual(['scripted', 'another']);
    expect(await host.info('f')).toMatchObject({ workflow: 'other', forkedFrom: 'r' });
    expect([first.looked(), other.looked()]).toEqual([1, 0]);
    await host.close();
  });

  it('may change the task, and parks where a recorded reply was to other words', async () => {
    const { agent } = agentWith();
    await agent.run('how many ropes', { runId: 'r' });
    expect(await agent.fork('r', { at: 0, task: 'count the ropes', runId: 'anew' })).toMatchObject({ answer: seven });
    expect((await agent.host.info('anew'))?.input).toMatchObject({ task: { input: 'count the ropes' } });
    expect(await agent.fork('r', { at: 2, task: 'count the ropes' })).toMatchObject({ reason: { code: 'parked' } });
    await agent.close();
  });
});
