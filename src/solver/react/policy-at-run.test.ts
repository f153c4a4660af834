import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { type AgentOptions, defineAgent } from '../../agent.ts';
import type { RunEvent } from '../../core/event.ts';
import type { Decision } from '../../core/turn.ts';
import { scriptedModel } from '../../model/providers/script-model.ts';
import type { DurableHost } from '../../runtime/durable.ts';
import { InMemoryJournals, inMemoryHost } from '../../runtime/in-memory.ts';
import { callFinal, callTools } from '../../testing/replies.ts';
import type { PolicyFunction } from '../../tools/policy/policy.ts';
import { type ToolOptions, tool } from '../../tools/tool.ts';
import { planAndSolve } from '../plan-and-solve/plan-and-solve.ts';

const input = z.object({ sum: z.number(), to: z.string().default('shop') });
type Pay = ToolOptions<typeof input>;

function purse(more: Partial<Pay> = {}) {
  const paid: { sum: number; to: string; key: string }[] = [];
  const pay = tool({
    name: 'pay',
    description: 'Pays.',
    input,
    effect: 'irreversible',
    run: (args, { idempotencyKey }) => {
      paid.push({ ...args, key: idempotencyKey });
      return `paid ${args.sum}`;
    },
    ...more,
  });
  return { paid, pay };
}

/** Pays once, then answers. */
const payer = (sum = 7) =>
  scriptedModel((options) =>
    options.prompt.some((message) => message.role === 'tool') ? callFinal('done') : callTools(['pay', { sum }]),
  );

/** Runs in one process until it waits or ends, then goes on in another; both may be configured differently. */
async function inTwoProcesses(first: AgentOptions, second: Partial<AgentOptions>, decision?: Decision) {
  const journals = new InMemoryJournals();
  const hosts = [inMemoryHost({ journals, suspendAfterMs: 5 }), inMemoryHost({ journals, suspendAfterMs: 5 })] as const;
  await defineAgent({ ...first, host: hosts[0] }).run('pay', { runId: 'r' });
  if (decision) await hosts[0].signal('r', await waitingFor(hosts[0]), decision);
  await hosts[0].close();
  const agent = defineAgent({ ...first, ...second, host: hosts[1] });
  return { agent, host: hosts[1], result: await agent.resume('r') };
}

async function waitingFor(host: DurableHost): Promise<string> {
  return (await host.info('r'))?.waitingFor[0] ?? '';
}

describe('a run that is resumed under another policy', () => {
  it('does not do what was approved and is now denied', async () => {
    const { paid, pay } = purse();
    const { result } = await inTwoProcesses(
      { model: payer(), tools: [pay] },
      { policy: { rules: [{ action: 'deny', tool: 'pay', args: { sum: { min: 5 } }, why: 'no more than 5' }] } },
      { approved: true },
    );
    expect(paid).toEqual([]);
    expect(result.attempt.observations).toMatchObject([
      { status: 'denied', content: expect.stringContaining('no more than 5') },
    ]);
  });

  it('still asks what the laxer policy would not', async () => {
    const { paid, pay } = purse();
    const { result } = await inTwoProcesses({ model: payer(), tools: [pay] }, { policy: { irreversible: 'allow' } });
    expect([result.status, paid]).toEqual(['awaiting_approval', []]);
  });

  it('parks when a policy function is gone, and goes on when it is back', async () => {
    const { paid, pay } = purse();
    const judge: PolicyFunction = () => 'allow';
    const { result, agent, host } = await inTwoProcesses(
      { model: payer(), tools: [pay], policy: { judge } },
      { policy: {} },
      { approved: true },
    );
    expect(result).toMatchObject({
      status: 'stopped',
      reason: { code: 'parked', detail: expect.stringContaining('policy.judge') },
    });
    expect(paid).toEqual([]);
    const back = defineAgent({ ...agent.options, policy: { judge }, host });
    expect(await back.resume('r')).toMatchObject({ answer: 'done' });
    expect(paid).toHaveLength(1);
  });
});

describe('the policy of the process', () => {
  const allowed = { irreversible: 'allow' } as const;

  it.each<[string, PolicyFunction, string]>([
    ['denies', () => 'deny', 'the policy function says deny'],
    ['throws', () => Promise.reject(new Error('no directory')), 'no directory'],
    ['says anything else', (() => 'yes') as unknown as PolicyFunction, 'the policy function said "yes"'],
  ])('denies when its function %s', async (_, judge, why) => {
    const { paid, pay } = purse();
    const result = await defineAgent({ model: payer(), tools: [pay], policy: { ...allowed, judge } }).run('pay');
    expect(paid).toEqual([]);
    expect(result.attempt.observations[0]).toMatchObject({ status: 'denied', content: expect.stringContaining(why) });
    expect(result.metrics.toolCalls).toBe(0);
  });

  it('asks when its function asks, and runs the call once after a yes', async () => {
    const { paid, pay } = purse();
    let judged = 0;
    const judge: PolicyFunction = ({ args }) => {
      judged++;
      return (args as { sum: number }).sum > 5 ? 'ask' : 'allow';
    };
    const first = { model: payer(), tools: [pay], policy: { ...allowed, judge } };
    const { result } = await inTwoProcesses(first, {}, { approved: true });
    expect(result).toMatchObject({ answer: 'done', attempt: { observations: [{ status: 'ok' }] } });
    expect([paid.length, judged]).toEqual([1, 2]);
  });

  it('cannot be loosened by its function', async () => {
    const { paid, pay } = purse();
    const agent = defineAgent({
      model: payer(),
      tools: [pay],
      policy: { irreversible: 'deny', judge: () => 'allow' },
    });
    await agent.run('pay');
    expect(paid).toEqual([]);
  });
});

describe('a human who changes the arguments', () => {
  const change = (args: unknown): Decision => ({ approved: true, args });

  it('makes another call of it, which the model sees as such', async () => {
    const { paid, pay } = purse();
    const model = payer();
    const { result } = await inTwoProcesses({ model, tools: [pay] }, {}, change({ sum: 3, to: 'bank' }));
    expect(paid).toMatchObject([{ sum: 3, to: 'bank' }]);
    expect(result.attempt.observations).toMatchObject([{ args: { sum: 3, to: 'bank' }, content: 'paid 3' }]);
    expect(JSON.stringify(model.calls.at(-1)?.prompt)).toContain('A human changed the arguments of this call');
  });

  it.each([
    ['do not fit the schema', { sum: 'much' }, {}],
    ['the policy denies', { sum: 500 }, { rules: [{ action: 'deny', args: { sum: { min: 100 } } }] }],
  ] as const)('changes nothing when they %s', async (_, args, policy) => {
    const { paid, pay } = purse();
    const { result } = await inTwoProcesses({ model: payer(), tools: [pay], policy }, {}, change(args));
    expect(paid).toEqual([]);
    expect(result.attempt.observations).toMatchObject([{ status: 'denied' }]);
  });
});

describe('the idempotency key of an effect', () => {
  it('is the same for the same call in a run, and another for other arguments and runs', async () => {
    const { paid, pay } = purse();
    const twice = callTools(['pay', { sum: 1 }], ['pay', { to: 'shop', sum: 1 }], ['pay', { sum: 2 }]);
    for (const _ of [1, 2]) {
      const model = scriptedModel([twice, callFinal('done')]);
      await defineAgent({ model, tools: [pay], policy: { irreversible: 'allow' } }).run('pay');
    }
    const keys = paid.map(({ key }) => key);
    expect(keys[0]).toBe(keys[1]);
    expect(new Set(keys).size).toBe(4);
  });
});

describe('the plan lock', () => {
  async function planned(effects: string[], policy: AgentOptions['policy'] = { irreversible: 'allow' }) {
    const { paid, pay } = purse();
    const events: RunEvent[] = [];
    const model = scriptedModel((options, { role }) => {
      if (role === 'planner') return JSON.stringify({ goal: 'g', steps: [{ id: '1', objective: 'o' }], effects });
      return options.prompt.some((message) => message.role === 'tool')
        ? callFinal('done')
        : callTools(['pay', { sum: 7 }]);
    });
    const sinks = [{ name: 'list', write: (event: RunEvent) => void events.push(event) }];
    await defineAgent({ model, tools: [pay], layers: [planAndSolve()], policy, sinks }).run('look around');
    const refused = events.flatMap((event) => (event.type === 'tool.refused' ? event.why : []));
    return { paid, refused, prompt: JSON.stringify(model.calls[0]?.prompt) };
  }

  it('denies an effect that the plan did not name, whatever the policy allows', async () => {
    const { paid, refused, prompt } = await planned([]);
    expect(paid).toEqual([]);
    expect(refused).toEqual([expect.stringContaining("not 'pay'")]);
    expect(prompt).toContain('- pay: Pays.');
  });

  it('lets a named one through, however the planner writes it', async () => {
    expect((await planned(['Pay'])).paid).toHaveLength(1);
  });

  it('can be taken off', async () => {
    expect((await planned([], { irreversible: 'allow', planLock: false })).paid).toHaveLength(1);
  });
});

describe('reads of one turn', () => {
  it('run side by side up to a limit, and every one has its result in order', async () => {
    let running = 0;
    let most = 0;
    const look = tool({
      name: 'look',
      description: 'Looks.',
      input: z.object({ at: z.number() }),
      effect: 'read',
      run: async ({ at }) => {
        most = Math.max(most, ++running);
        await new Promise((resolve) => setTimeout(resolve, 5 + (at % 3)));
        running--;
        return `saw ${at}`;
      },
    });
    const calls = Array.from({ length: 20 }, (_, at): [string, { at: number }] => ['look', { at }]);
    const model = scriptedModel([callTools(...calls), callFinal('done')]);
    const result = await defineAgent({ model, tools: [look] }).run('look');
    expect(most).toBe(8);
    expect(result.attempt.observations.map(({ content }) => content)).toEqual(calls.map(([, { at }]) => `saw ${at}`));
  });
});

describe('a result that comes after the time limit', () => {
  it('is told of and goes no further', async () => {
    let write: () => void = () => {};
    const { pay } = purse({ timeoutMs: 20, run: () => new Promise((resolve) => (write = () => resolve('late news'))) });
    const events: RunEvent[] = [];
    const sinks = [{ name: 'list', write: (event: RunEvent) => void events.push(event) }];
    const model = scriptedModel((options) => {
      if (!options.prompt.some((message) => message.role === 'tool')) return callTools(['pay', { sum: 1 }]);
      write();
      return callFinal('done');
    });
    const result = await defineAgent({ model, tools: [pay], policy: { irreversible: 'allow' }, sinks }).run('pay');
    expect(result.attempt.observations).toMatchObject([{ status: 'timeout' }]);
    expect(events.some((event) => event.type === 'tool.late' && event.tool === 'pay')).toBe(true);
    expect(JSON.stringify([result, model.calls])).not.toContain('late news');
  });
});
