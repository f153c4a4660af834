import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { defineAgent } from '../agent.ts';
import type { RunEvent } from '../core/event.ts';
import { planAndSolve } from '../solver/plan-and-solve/plan-and-solve.ts';
import { callFinal, callTool } from '../testing/replies.ts';
import { tool } from '../tools/tool.ts';
import { functionModel } from './providers/function-model.ts';
import { scriptedModel } from './providers/script-model.ts';
import { recordModel, replayModel } from './record-replay.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

const clock = tool({
  name: 'clock',
  description: 'Reads.',
  input: z.object({}),
  effect: 'read',
  run: () => 'it is noon',
});

async function eventsOf(run: ReturnType<ReturnType<typeof defineAgent>['run']>): Promise<RunEvent[]> {
  const events: RunEvent[] = [];
  for await (const event of run) events.push(event);
  return events;
}

describe('callModel', () => {
  it('retries what may pass, tells of it, and counts one call', async () => {
    let calls = 0;
    const model = scriptedModel(() =>
      ++calls === 1 ? { error: { status: 503, message: 'busy', retryAfter: '0' } } : callFinal('through'),
    );
    const run = defineAgent({ model }).run('x');
    const events = await eventsOf(run);
    const result = await run;
    expect(result).toMatchObject({ answer: 'through', usage: { modelCalls: 1 } });
    expect(events.filter((event) => event.type === 'model.retry')).toHaveLength(1);
  });

  it('never waits beyond the time of the run', async () => {
    const model = scriptedModel([{ error: { status: 429, message: 'slow down', retryAfter: '120' } }]);
    const began = Date.now();
    const result = await defineAgent({ model, budget: { ms: 2_000 } }).run('x');
    expect(Date.now() - began).toBeLessThan(2_000);
    expect(result).toMatchObject({ status: 'failed', reason: { code: 'model-error' } });
  });

  it('ends a call that outlasts the time of the run', async () => {
    const model = scriptedModel([{ delayMs: 20_000, text: 'too late' }]);
    const began = Date.now();
    const result = await defineAgent({ model, budget: { ms: 500 } }).run('x');
    expect(Date.now() - began).toBeLessThan(5_000);
    expect(result.status).not.toBe('completed');
    expect(result.answer).toBeUndefined();
  });

  it('counts the time of a call that hung, so that the next one has only what is left', async () => {
    const model = scriptedModel(() => ({ delayMs: 20_000, text: 'late' }));
    const began = Date.now();
    const result = await defineAgent({ model, layers: [planAndSolve()], budget: { ms: 900 } }).run('x');
    expect(result.metrics.activeMs).toBeGreaterThan(800);
    expect(Date.now() - began).toBeLessThan(1_800);
  });

  it('ends by the limit, not by a fault, when the time is over during a call', async () => {
    const model = scriptedModel((_, { call }) => (call === 1 ? callTool('clock') : { delayMs: 20_000, text: 'late' }));
    const result = await defineAgent({ model, tools: [clock], budget: { ms: 900 } }).run('x');
    expect(result).toMatchObject({ status: 'stopped', reason: { code: 'ms' } });
  });

  it('estimates a Chinese prompt higher than its characters alone would say', async () => {
    const model = functionModel(() => '{"type":"final","answer":"x"}');
    const base = (await defineAgent({ model }).run('x')).usage.inputTokens;
    const long = (await defineAgent({ model }).run('价'.repeat(1_000))).usage.inputTokens;
    expect(long - base).toBeGreaterThan(700);
  });

  it('estimates usage that nobody reported and says so', async () => {
    const result = await defineAgent({ model: functionModel(() => '{"type":"final","answer":"x"}') }).run('x');
    expect(result.usage).toMatchObject({ modelCalls: 1, estimatedCalls: 1, unpricedCalls: 1, usd: 0 });
    expect(result.usage.tokens).toBeGreaterThan(50);
  });

  it('counts reported usage at its price, cached tokens apart', async () => {
    const reply = { ...callFinal('x'), usage: { inputTokens: 1_000, outputTokens: 100, cachedTokens: 400 } };
    const price = { inputPerMillion: 10, outputPerMillion: 100, cachedInputPerMillion: 1 };
    const model = scriptedModel([reply], { modelId: 'priced' });
    const result = await defineAgent({ model, prices: { priced: price } }).run('x');
    expect(result.usage).toMatchObject({ inputTokens: 1_000, cachedTokens: 400, tokens: 1_100, estimatedCalls: 0 });
    expect(result.usage.usd).toBeCloseTo((600 * 10 + 400 * 1 + 100 * 100) / 1e6, 10);
  });

  it('counts what a batch service charges where the agent says so', async () => {
    const reply = { ...callFinal('x'), usage: { inputTokens: 1_000, outputTokens: 100 } };
    const prices = { priced: { inputPerMillion: 10, outputPerMillion: 100, batch: 0.5 } };
    const usd = async (batch: boolean): Promise<number> => {
      const model = scriptedModel([reply], { modelId: 'priced' });
      return (await defineAgent({ model, prices, batch }).run('x')).usage.usd;
    };
    expect(await usd(true)).toBeCloseTo((await usd(false)) / 2, 12);
  });

  it('stops before a call that would cross the USD limit', async () => {
    const reply = { ...callTool('clock'), usage: { inputTokens: 50_000, outputTokens: 0 } };
    const model = scriptedModel([reply, callFinal('x')], { modelId: 'priced' });
    const prices = { priced: { inputPerMillion: 10, outputPerMillion: 10 } };
    const result = await defineAgent({ model, tools: [clock], prices, budget: { usd: 0.5 } }).run('x');
    expect(result).toMatchObject({ status: 'stopped', reason: { code: 'usd' } });
  });

  it('makes no call whose prompt alone is more than the tokens that are left', async () => {
    const model = scriptedModel([callFinal('x')]);
    const result = await defineAgent({ model, budget: { tokens: 100 } }).run('x');
    expect(result).toMatchObject({ status: 'stopped', reason: { code: 'tokens' }, usage: { modelCalls: 0 } });
    expect(model.calls).toEqual([]);
  });

  it('hands on the temperature that is set, and the same key for the same step', async () => {
    const cool = scriptedModel([callFinal('x')]);
    await defineAgent({ model: cool, temperature: 0 }).run('x', { runId: 'cool' });
    expect(cool.calls[0]).toMatchObject({ temperature: 0, headers: { 'idempotency-key': 'cool/turn' } });
    const plain = scriptedModel([callFinal('x')]);
    await defineAgent({ model: plain }).run('x');
    expect('temperature' in (plain.calls[0] ?? {})).toBe(false);
  });

  it('streams when somebody listens, with the same result as when nobody does', async () => {
    const script = () => scriptedModel([{ ...callFinal('the same'), text: 'I think so.' }]);
    const quiet = await defineAgent({ model: script() }).run('x');
    const run = defineAgent({ model: script() }).run('x');
    const events = await eventsOf(run);
    expect(events.some((event) => event.type === 'model.delta')).toBe(true);
    expect((await run).answer).toBe(quiet.answer);
  });

  it('does not take a stream that was cut for an answer', async () => {
    const script = scriptedModel((_, { call }) =>
      call === 1 ? { text: 'I have all I', stream: 'cut' } : callFinal('whole'),
    );
    const run = defineAgent({ model: script }).run('x');
    for await (const _ of run);
    expect(await run).toMatchObject({ answer: 'whole', usage: { modelCalls: 1 } });
    expect(script.calls).toHaveLength(2);
  });
});

describe('a recorded run', () => {
  it('replays in another run, on another day, without the model', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'assay-record-'));
    folders.push(folder);
    const file = join(folder, 'run.jsonl');
    const model = recordModel(scriptedModel([callTool('clock'), callFinal('noon')]), file);
    const recorded = await defineAgent({ model, tools: [clock] }).run('what time is it', { runId: 'first' });
    const replayed = await defineAgent({ model: replayModel(file), tools: [clock] }).run('what time is it', {
      runId: 'second',
    });
    expect(replayed.answer).toBe(recorded.answer);
    const missed = await defineAgent({ model: replayModel(file), tools: [clock] }).run('what day is it');
    expect(missed).toMatchObject({ status: 'failed', reason: { code: 'model-error' } });
    expect(missed.reason.detail).toContain('what time is it');
  });
});
