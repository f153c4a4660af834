import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { type AgentOptions, defineAgent } from '../agent.ts';
import type { Decision } from '../core/turn.ts';
import { scriptedModel } from '../model/providers/script-model.ts';
import type { DurableHost } from '../runtime/durable.ts';
import { InMemoryJournals, inMemoryHost } from '../runtime/in-memory.ts';
import { callFinal, callTool } from '../testing/replies.ts';
import { type Tool, type ToolOptions, tool } from './tool.ts';

type Given = Partial<ToolOptions<z.ZodObject>> & Pick<ToolOptions<z.ZodObject>, 'run'>;

function probe(options: Given): Tool {
  return tool({ name: 'probe', description: 'Tries.', input: z.object({}), effect: 'read', ...options });
}

/** One call of the tool in a run; the observation that came of it. */
async function observe(tried: Tool, options: Partial<AgentOptions> = {}) {
  const model = scriptedModel([callTool('probe'), callFinal('done')]);
  const result = await defineAgent({ model, tools: [tried], policy: { write: 'allow' }, ...options }).run('try');
  return result.attempt.observations[0];
}

describe('executing a call', () => {
  it.each([
    ['a text', 'plain', 'plain'],
    ['an object', { rows: [1] }, '{\n  "rows": [\n    1\n  ]\n}'],
    ['nothing', undefined, ''],
    ['what JSON cannot say', 10n ** 20n, '100000000000000000000'],
  ])('records %s as the observation', async (_, value, content) => {
    expect(await observe(probe({ run: () => value }))).toMatchObject({ status: 'ok', content });
  });

  it('aborts the signal at the timeout and says that an effect may still complete', async () => {
    let aborted = false;
    const slow = probe({
      effect: 'write',
      timeoutMs: 30,
      run: (_, { signal }) => {
        signal.addEventListener('abort', () => {
          aborted = true;
        });
        return new Promise(() => {});
      },
    });
    const seen = await observe(slow);
    expect(seen).toMatchObject({ status: 'timeout' });
    expect(seen?.content).toContain('may still complete');
    expect(aborted).toBe(true);
  });

  it('ends a call when the time of the run is over, whatever the tool allows itself', async () => {
    const began = Date.now();
    const hung = probe({ effect: 'write', timeoutMs: 60_000, run: () => new Promise(() => {}) });
    expect(await observe(hung, { budget: { ms: 900 } })).toMatchObject({ status: 'timeout' });
    expect(Date.now() - began).toBeLessThan(5_000);
  });

  it('aborts the signal of a call that was approved, when the run is cancelled', async () => {
    const host = inMemoryHost({ suspendAfterMs: 5 });
    let reason: unknown;
    const hung = probe({
      effect: 'write',
      run: (_, { signal }) =>
        new Promise((_resolve, reject) =>
          signal.addEventListener('abort', () => {
            reason = signal.reason;
            reject(signal.reason);
          }),
        ),
    });
    const agent = defineAgent({ model: scriptedModel([callTool('probe'), callFinal('done')]), tools: [hung], host });
    await agent.run('try', { runId: 'r' });
    const [signal = ''] = (await host.info('r'))?.waitingFor ?? [];
    await agent.decide('r', signal, { approved: true });
    const resumed = agent.resume('r');
    for await (const event of resumed) if (event.type === 'tool.call') setTimeout(() => void resumed.cancel(), 20);
    expect((await resumed).status).toBe('cancelled');
    expect(reason).toBeDefined();
  });

  it('does not try again when its time is over', async () => {
    let ran = 0;
    const late = probe({
      timeoutMs: 30,
      retries: 3,
      run: (_, { signal }) => {
        ran++;
        return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('too late'))));
      },
    });
    expect(await observe(late)).toMatchObject({ status: 'timeout' });
    expect(ran).toBe(1);
  });

  it('counts the time of a call that hung', async () => {
    const hung = probe({ timeoutMs: 60, run: () => new Promise(() => {}) });
    const model = scriptedModel([callTool('probe'), callFinal('done')]);
    const result = await defineAgent({ model, tools: [hung] }).run('try');
    expect(result.metrics.activeMs).toBeGreaterThanOrEqual(60);
    expect(result.metrics.activeMs).toBeLessThan(2_000);
    expect(result.usage.toolCalls).toBe(1);
  });

  it('tries a read again as often as it says, and an effect never', async () => {
    let ran = 0;
    const flaky = (effect: Tool['effect']) =>
      probe({
        effect,
        retries: 2,
        run: (_, { signal, attempt }) => {
          ran++;
          throw new Error(signal.aborted || attempt !== ran ? 'wrong context' : 'not now');
        },
      });
    expect(await observe(flaky('read'))).toMatchObject({ status: 'error', content: 'not now' });
    expect(ran).toBe(3);
    ran = 0;
    await observe(flaky('write'));
    expect(ran).toBe(1);
  });

  it('hands the tool an idempotency key that differs between calls', async () => {
    const keys: string[] = [];
    const keyed = probe({
      input: z.object({ n: z.number() }),
      run: (_, { idempotencyKey }) => {
        keys.push(idempotencyKey);
        return `${keys.length}`;
      },
    });
    const model = scriptedModel([
      { calls: [1, 2].map((n) => ({ tool: 'probe', input: { n } })) },
      callTool('probe', { n: 3 }),
      callFinal('x'),
    ]);
    await defineAgent({ model, tools: [keyed] }).run('x', { runId: 'keys' });
    expect(new Set(keys).size).toBe(3);
    expect(keys.every((key) => key.startsWith('keys/'))).toBe(true);
  });
});

const no: Decision = { approved: false, reason: 'it was sent, I saw it' };

describe('an effect that a crash interrupted', () => {
  /** Starts the effect, loses the process in the middle of it, and resumes with a second one. */
  async function crash(reconcile?: Tool['reconcile'], timeoutMs = 30_000, decision: Decision = no) {
    let ran = 0;
    let entered: () => void = () => {};
    const inside = new Promise<void>((resolve) => {
      entered = resolve;
    });
    const journals = new InMemoryJournals();
    const mail = (hang: boolean): Tool => ({
      ...probe({
        effect: 'write',
        timeoutMs,
        run: () => {
          ran++;
          entered();
          return hang ? new Promise(() => {}) : 'sent';
        },
      }),
      ...(reconcile && { reconcile }),
    });
    const model = scriptedModel((options) =>
      options.prompt.some((message) => message.role === 'tool') ? callFinal('checked') : callTool('probe'),
    );
    const agentOn = (host: DurableHost, hang: boolean) =>
      defineAgent({ model, tools: [mail(hang)], policy: { write: 'allow' }, host });
    const first = inMemoryHost({ journals });
    void agentOn(first, true)
      .run('send the mail', { runId: 'mail' })
      .result.catch(() => {});
    await inside;
    await first.close();
    const second = inMemoryHost({ journals, suspendAfterMs: 5 });
    const agent = agentOn(second, false);
    let result = await agent.resume('mail');
    let asked = 0;
    for (; result.status === 'awaiting_approval'; asked++) {
      const [signal = ''] = (await second.info('mail'))?.waitingFor ?? [];
      await agent.decide('mail', signal, decision);
      result = await agent.resume('mail');
    }
    return { result, ran, asked };
  }

  it('is asked about, and not repeated when the human says no', async () => {
    const { result, ran, asked } = await crash();
    expect([ran, asked]).toEqual([1, 1]);
    expect(result.attempt.observations).toMatchObject([{ status: 'unknown-outcome' }]);
    expect(result.attempt.observations[0]?.content).toContain('it was sent, I saw it');
    expect(result.answer).toBe('checked');
  });

  it('happens once more when the human says so', async () => {
    const { result, ran, asked } = await crash(undefined, 30_000, { approved: true });
    expect([ran, asked]).toEqual([2, 1]);
    expect(result.attempt.observations).toMatchObject([{ status: 'ok', content: 'sent' }]);
  });

  it('is shown to the human with what the tool knows', async () => {
    const { result } = await crash(async () => ({ happened: 'unknown', detail: 'the outbox is empty' }));
    expect(result.attempt.observations[0]?.content).toContain('What is known: the outbox is empty');
  });

  it('lets no secret through that the tool finds', async () => {
    const { result } = await crash(async () => ({ happened: true, result: 'password=correct-horse-battery-9' }));
    expect(result.attempt.observations[0]?.content).toContain('[redacted:');
  });

  it('is taken as done when the tool finds that it happened', async () => {
    const { result, ran } = await crash(async () => ({ happened: true, result: 'receipt 7' }));
    expect(ran).toBe(1);
    expect(result.attempt.observations).toMatchObject([{ status: 'ok', content: 'receipt 7' }]);
  });

  it('may be called again when the tool finds that it did not happen', async () => {
    const { result } = await crash(async () => ({ happened: false }));
    expect(result.attempt.observations).toMatchObject([{ status: 'error' }]);
    expect(result.attempt.observations[0]?.content).toContain('may be called again');
  });

  it('stays unknown when the tool hangs or says nothing while it finds out', async () => {
    const { result } = await crash(() => new Promise(() => {}), 40);
    expect(result.attempt.observations).toMatchObject([{ status: 'unknown-outcome' }]);
    // A tool written in JavaScript may return nothing at all.
    const silent = await crash((async () => undefined) as unknown as NonNullable<Tool['reconcile']>);
    expect(silent.result.attempt.observations).toMatchObject([{ status: 'unknown-outcome' }]);
  });

  it('stays unknown when the tool cannot tell', async () => {
    const { result } = await crash(() => Promise.reject(new Error('the mail server is down')));
    expect(result.attempt.observations).toMatchObject([{ status: 'unknown-outcome' }]);
  });
});
