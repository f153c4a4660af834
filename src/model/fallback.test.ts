import type { LanguageModelV4 } from '@ai-sdk/provider';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { type AgentOptions, defineAgent } from '../agent.ts';
import type { RunEvent } from '../core/event.ts';
import type { RunHandle } from '../run-handle.ts';
import { InMemoryJournals, inMemoryHost } from '../runtime/in-memory.ts';
import { callFinal, callTool } from '../testing/replies.ts';
import { tool } from '../tools/tool.ts';
import { ModelCallError } from './classify-error.ts';
import type { FailureKind } from './explain-failure.ts';
import { cannotServe, orderNow, putToRest, wakeUp } from './fallback.ts';
import type { ScriptedDetail } from './providers/script-format.ts';
import { type ScriptedModel, scriptedModel } from './providers/script-model.ts';

const echoing = (run: (text: string) => string | Promise<string>) =>
  tool({
    name: 'echo',
    description: 'Says it again.',
    input: z.object({ text: z.string() }),
    effect: 'read',
    run: ({ text }) => run(text),
  });
const echo = echoing((text) => text);

const fails = (status: number, retryAfter = '0'): ScriptedDetail => ({
  error: { status, message: `status ${status}`, retryAfter },
});
const named = (modelId: string, script: Parameters<typeof scriptedModel>[0]): ScriptedModel =>
  scriptedModel(script, { modelId });

async function follow(run: RunHandle) {
  const events: RunEvent[] = [];
  for await (const event of run) events.push(event);
  const of = <Type extends RunEvent['type']>(type: Type) =>
    events.filter((event): event is Extract<RunEvent, { type: Type }> => event.type === type);
  return { result: await run, events, of };
}

const run = (options: Partial<AgentOptions>) =>
  follow(defineAgent({ tools: [echo], ...options }).run('say it', { runId: 'r' }));

describe('a model that cannot serve', () => {
  it.each([
    [401, 1],
    [404, 1],
    [429, 4],
    [503, 4],
    [529, 4],
    [500, 4],
  ])(
    'with HTTP %d is asked %d times, then the next one answers, and the reason is told once',
    async (status, times) => {
      const [first, second] = [
        named('one', () => fails(status)),
        named('two', [callTool('echo', { text: 'a' }), callFinal('a')]),
      ];
      const { result, of } = await run({ model: [first, second] });
      expect(result).toMatchObject({ answer: 'a', usage: { modelCalls: 3 } });
      expect(first.calls).toHaveLength(times);
      expect(of('model.fallback')).toEqual([
        expect.objectContaining({
          step: 'turn',
          role: 'actor',
          from: 'scripted:one',
          to: 'scripted:two',
          why: expect.stringContaining(`status ${status}`),
        }),
      ]);
      expect(of('model.call').map(({ model }) => model)).toEqual(['two', 'two']);
    },
  );

  it('may be cut off in the middle, or not be reached at all', async () => {
    for (const broken of [
      { text: 'I will', stream: 'cut' },
      { error: { message: 'fetch failed', retryAfter: '0' } },
    ] as const) {
      const second = named('two', [callFinal('a')]);
      const first = named('one', () => ({ ...broken, ...('stream' in broken && { delayMs: 0 }) }));
      const { result } = await run({ model: [first, second] });
      expect(result.answer).toBe('a');
    }
  }, 30_000);

  it('is not replaced for a request that it refuses: too long, not supported, filtered', async () => {
    for (const status of [400, 413, 422]) {
      const second = named('two', [callFinal('a')]);
      const { result, of } = await run({ model: [named('one', () => fails(status)), second] });
      expect(result).toMatchObject({ status: 'failed', reason: { code: 'model-error' }, usage: { modelCalls: 1 } });
      expect(second.calls).toHaveLength(0);
      expect(of('model.fallback')).toEqual([]);
    }
  });

  it('and nobody behind it: the reasons of all are told', async () => {
    const models = ['one', 'two', 'three'].map((name) => named(name, () => fails(401)));
    const { result, of } = await run({ model: models });
    expect(result).toMatchObject({ status: 'failed', usage: { modelCalls: 3 } });
    expect(result.reason.detail).toMatch(/Before it: scripted:one: .*401.* scripted:two: .*401/);
    expect(of('model.fallback').map(({ from, to }) => [from, to])).toEqual([
      ['scripted:one', 'scripted:two'],
      ['scripted:two', 'scripted:three'],
    ]);
  });

  it('stands aside for the whole run, and for the next one of this process', async () => {
    const first = named('one', () => fails(401));
    const agent = defineAgent({ model: [first, named('two', () => callFinal('a'))], tools: [echo] });
    await agent.run('x');
    const { result, of } = await follow(agent.run('y'));
    expect(first.calls).toHaveLength(1);
    expect(result.usage.modelCalls).toBe(1);
    expect(of('model.fallback')).toEqual([expect.objectContaining({ from: 'scripted:one', to: 'scripted:two' })]);
  });

  it('is asked again once its rest is over, and that is told', async () => {
    const first = named('one', (_, { call }) => (call === 1 ? fails(401) : callFinal('b')));
    const waking = echoing((text) => {
      wakeUp(first);
      return text;
    });
    const second = named('two', [callTool('echo', { text: 'a' })]);
    const { of } = await run({ model: [first, second], tools: [waking] });
    expect(of('model.fallback').map(({ from, to, why }) => [from, to, why.slice(0, 21)])).toEqual([
      ['scripted:one', 'scripted:two', 'The provider refused '],
      ['scripted:two', 'scripted:one', 'it is asked again'],
    ]);
  });

  it('is counted as a call, at its place in the budget', async () => {
    const models = [named('one', () => fails(401)), named('two', () => callFinal('a'))];
    const within = await run({ model: models, budget: { modelCalls: 3 } });
    expect(within.result).toMatchObject({ answer: 'a', attempt: { degraded: false }, usage: { modelCalls: 2 } });
    const anew = [named('one', () => fails(401)), named('two', () => callFinal('a'))];
    const beyond = await run({ model: anew, budget: { modelCalls: 1 } });
    expect(beyond.result).toMatchObject({
      status: 'stopped',
      reason: { code: 'modelCalls' },
      usage: { modelCalls: 1 },
    });
    expect(anew[1]?.calls).toHaveLength(0);
  });

  it('leaves the price to the one that answered', async () => {
    const usage = { inputTokens: 1_000_000, outputTokens: 1_000_000 };
    const models = [named('dear', () => fails(401)), named('cheap', [{ ...callFinal('a'), usage }])];
    const prices = {
      dear: { inputPerMillion: 100, outputPerMillion: 100 },
      cheap: { inputPerMillion: 1, outputPerMillion: 2 },
    };
    const { result } = await run({ model: models, prices, budget: { tokens: undefined } });
    expect(result.usage).toMatchObject({ modelCalls: 2, usd: 3, unpricedCalls: 0, estimatedCalls: 0 });
  });

  it('is told of while the run goes on, and asked under a key of its own', async () => {
    const [first, second] = [named('one', () => fails(401)), named('two', [callFinal('a')])];
    await run({ model: [first, second] });
    expect(first.calls[0]?.headers).toMatchObject({ 'idempotency-key': 'r/turn' });
    expect(second.calls[0]?.headers).toMatchObject({ 'idempotency-key': 'r/turn/1' });
  });
});

describe('a run that fell over', () => {
  const script =
    (texts: readonly string[]) =>
    (_: unknown, { call }: { call: number }) =>
      call <= texts.length ? callTool('echo', { text: texts[call - 1] ?? '' }) : callFinal('done');

  it('asks nobody again for what is recorded, and tells the same after a crash', async () => {
    const journals = new InMemoryJournals();
    const host = inMemoryHost({ journals });
    const crashing = echoing(() => new Promise<string>(() => {}));
    const models = [named('one', () => fails(401)), named('two', script(['a']))];
    const begun = defineAgent({ model: models, tools: [crashing], host }).run('x', { runId: 'r' });
    const before: RunEvent[] = [];
    for await (const event of begun) {
      before.push(event);
      if (event.type === 'tool.call') await host.close();
    }
    // In another process nobody rests, so the first one is tried again for what is new.
    const [first, second] = [named('one', () => fails(401)), named('two', () => callFinal('done'))];
    const resumed = defineAgent({ model: [first, second], tools: [echo], host: inMemoryHost({ journals }) }).resume(
      'r',
    );
    const { result, of } = await follow(resumed);
    expect(result).toMatchObject({ answer: 'done', usage: { modelCalls: 4 } });
    expect([first.calls.length, second.calls.length]).toEqual([1, 1]);
    const told = of('model.fallback');
    expect(told).toHaveLength(1);
    expect(told[0]).toMatchObject({ live: false, from: 'scripted:one' });
    expect(told[0]?.id).toBe(before.find(({ type }) => type === 'model.fallback')?.id);
  });

  it('comes out the same in a fork at any entry, also one that has other models', async () => {
    const host = inMemoryHost();
    const models = [named('one', () => fails(401)), named('two', script(['a', 'b']))];
    const { result } = await follow(defineAgent({ model: models, tools: [echo], host }).run('x', { runId: 'r' }));
    const entries = await Array.fromAsync(host.journal('r'));
    for (let at = entries.length; at >= 0; at--) {
      const other = named('other', script(['a', 'b'].slice(Math.ceil(at / 2))));
      const agent = defineAgent({ model: other, tools: [echo], host, name: `at-${at}` });
      const forked = await agent.fork('r', { at, runId: `fork-${at}` });
      expect(forked).toMatchObject({ answer: 'done', status: result.status });
    }
    expect(models[0]?.calls).toHaveLength(1);
  });

  it('settles the same whatever fails: calls are counted once each, live and replayed', async () => {
    const faults = fc.array(fc.constantFrom('ok', 'auth', 'cut'), { minLength: 1, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(faults, async (plan) => {
        const host = inMemoryHost();
        let turn = 0;
        const first = named('one', () => {
          const fault = plan[turn] ?? 'ok';
          return fault === 'ok' ? callTool('echo', { text: `${turn}` }) : fails(fault === 'auth' ? 401 : 404);
        });
        const second = named('two', () => callTool('echo', { text: `${turn}` }));
        const counting = echoing((text) => {
          turn++;
          wakeUp(first);
          return text;
        });
        const limits = { modelCalls: undefined, toolCalls: plan.length };
        const options = { model: [first, second], tools: [counting], host, budget: limits };
        const { result } = await follow(defineAgent(options).run('x', { runId: 'r' }));
        const replayed = await defineAgent({ ...options, name: 'again' }).fork('r', { at: 1e9, runId: 'again' });
        const asked = [first, second].map((model: ScriptedModel) => model.calls.length).reduce((a, b) => a + b);
        expect(result.usage.modelCalls).toBe(asked);
        expect(replayed.usage).toEqual(result.usage);
      }),
      { numRuns: 15 },
    );
  });
});

describe('the order of one call', () => {
  const models = ['a', 'b', 'c'].map((name): LanguageModelV4 => named(name, []));
  const [a, b, c] = models as [LanguageModelV4, LanguageModelV4, LanguageModelV4];
  const order = (now: number): string =>
    orderNow(models, now)
      .map(({ modelId }) => modelId)
      .join('');
  const minute = 60_000;

  it('leaves a model out for five minutes, then one call tries it and the others wait for that', () => {
    const now = 1_000_000;
    expect(order(now)).toBe('abc');
    putToRest(a, new Error('down'), { why: 'down', now });
    expect(order(now + 1)).toBe('bca');
    expect(order(now + 5 * minute)).toBe('abc');
    expect(order(now + 5 * minute + 1)).toBe('bca');
    wakeUp(a);
    expect(order(now + 5 * minute + 2)).toBe('abc');
  });

  it('waits as long as the provider said, an hour at most', () => {
    const now = 2_000_000;
    const until = (retryAt: number): ModelCallError =>
      new ModelCallError(
        { retryable: true, kind: 'rate-limit', message: 'm' },
        { why: 'w', retryAt, cause: undefined },
      );
    putToRest(b, until(now + 20 * minute), { why: 'limited', now });
    expect([order(now + 19 * minute), order(now + 20 * minute)]).toEqual(['acb', 'abc']);
    putToRest(b, until(now + 600 * minute), { why: 'limited', now });
    expect([order(now + 59 * minute), order(now + 60 * minute)]).toEqual(['acb', 'abc']);
    wakeUp(b);
  });

  it('is the usual one when all of them rest', () => {
    const now = 3_000_000;
    for (const model of [a, b, c]) putToRest(model, new Error('down'), { why: 'down', now });
    expect(order(now + 1)).toBe('abc');
    for (const model of [a, b, c]) wakeUp(model);
  });
});

it('another model is asked for what says that this one cannot serve, and for nothing else', () => {
  const kinds: Record<FailureKind, boolean> = {
    'rate-limit': true,
    overloaded: true,
    server: true,
    connection: true,
    interrupted: true,
    auth: true,
    'not-found': true,
    'bad-request': false,
    'content-filter': false,
    aborted: false,
    unknown: false,
  };
  for (const [kind, expected] of Object.entries(kinds)) {
    expect(cannotServe({ kind: kind as FailureKind, retryable: false, message: '' })).toBe(expected);
  }
});
