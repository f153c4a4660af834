import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { type AgentOptions, defineAgent } from '../../agent.ts';
import type { RunEvent } from '../../core/event.ts';
import type { ModelTraits } from '../../model/capability.ts';
import { sizedByWorker, sizesOf, sizesOfRun } from '../../model/model-size.ts';
import { type ScriptedModel, scriptedModel } from '../../model/providers/script-model.ts';
import { InMemoryJournals, inMemoryHost } from '../../runtime/in-memory.ts';
import { callFinal, callTool } from '../../testing/replies.ts';
import { tool } from '../../tools/tool.ts';

const send = tool({
  name: 'send',
  description: 'Sends a letter.',
  input: z.object({ to: z.string() }),
  effect: 'irreversible',
  run: ({ to }) => `sent to ${to}`,
});

/** Sends once, then answers, in whatever form it is asked. */
function sender(traits: ModelTraits = {}): ScriptedModel {
  const model = scriptedModel((call) => {
    const sent = JSON.stringify(call.prompt).includes('sent to');
    if (call.tools) return sent ? callFinal('sent') : callTool('send', { to: 'a' });
    return JSON.stringify(
      sent ? { type: 'final', answer: 'sent', claims: [] } : { type: 'tool', tool: 'send', args: { to: 'a' } },
    );
  });
  return Object.assign(model, traits);
}

/** Begins in one process, waits for a human, and goes on in another process with another model. */
async function movedOn(first: Partial<AgentOptions> & { model: ScriptedModel }, second: Partial<AgentOptions>) {
  const journals = new InMemoryJournals();
  const before = inMemoryHost({ journals, suspendAfterMs: 5 });
  await defineAgent({ tools: [send], ...first, host: before }).run('send it', { runId: 'r' });
  const signal = (await before.info('r'))?.waitingFor[0] ?? '';
  await before.signal('r', signal, { approved: true });
  await before.close();
  const host = inMemoryHost({ journals, suspendAfterMs: 5 });
  return await defineAgent({ tools: [send], ...first, ...second, host }).resume('r');
}

describe('the mode a run began with', () => {
  it('stays when a larger model goes on with it', async () => {
    const larger = sender();
    const result = await movedOn({ model: sender({ small: true, contextTokens: 4_096 }) }, { model: larger });
    expect(result).toMatchObject({ answer: 'sent', attempt: { ended: { type: 'final' } } });
    expect(larger.calls[0]?.responseFormat).toMatchObject({ name: 'action' });
    expect(larger.calls[0]?.maxOutputTokens).toBeLessThanOrEqual(2_048);
  });

  it('stays when a small model goes on with it', async () => {
    const small = sender({ small: true, forcesCalls: true, contextTokens: 4_096 });
    const result = await movedOn({ model: sender() }, { model: small });
    expect(result).toMatchObject({ answer: 'sent', attempt: { ended: { type: 'final' } } });
    expect(small.calls[0]?.toolChoice).toEqual({ type: 'auto' });
  });

  it('stays when the setting changes', async () => {
    const later = sender();
    const result = await movedOn({ model: sender(), smallModel: true }, { model: later, smallModel: false });
    expect(result).toMatchObject({ answer: 'sent' });
    expect(later.calls[0]?.responseFormat).toMatchObject({ name: 'action' });
  });

  it('is not stored where it is as ever, so that such a run is stored as ever', async () => {
    const host = inMemoryHost();
    await defineAgent({ tools: [send], model: sender(), policy: { irreversible: 'allow' }, host }).run('x', {
      runId: 'r',
    });
    expect((await host.info('r'))?.input).not.toHaveProperty('sizes');
  });
});

describe('a run that is started for workers', () => {
  const models = { of: () => sender({ small: true }) };

  it('takes the mode of the model of the first of them, and keeps it', async () => {
    const journal = new Map<string, unknown>();
    const step = async <T>(name: string, fn: (context: never) => T | Promise<T>): Promise<T> => {
      if (!journal.has(name)) journal.set(name, await fn({} as never));
      return journal.get(name) as T;
    };
    const first = await sizesOfRun(sizedByWorker, () => sizesOf(models), step);
    expect(first?.actor?.small).toBe(true);
    const second = await sizesOfRun(sizedByWorker, () => sizesOf({ of: () => sender() }), step);
    expect(second).toEqual(first);
    expect(await sizesOfRun(undefined, () => sizesOf(models), step)).toBeUndefined();
  });

  it('is stored without one: whoever starts it does not have their models', async () => {
    const follow = { subscribe: (): AsyncIterable<RunEvent> => Readable.from([]) };
    const host = inMemoryHost();
    const model = sender({ small: true });
    const options = {
      tools: [send],
      policy: { irreversible: 'allow' },
      host,
      follow,
    } as const;
    const result = await defineAgent({ ...options, model }).run('x', { runId: 'r' });
    expect((await host.info('r'))?.input).toMatchObject({ sizes: 'by-worker' });
    expect(result.answer).toBe('sent');
    expect(model.calls[0]?.responseFormat).toMatchObject({ name: 'action' });
  });
});
