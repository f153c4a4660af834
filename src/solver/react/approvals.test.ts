import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { type AgentOptions, defineAgent } from '../../agent.ts';
import { functionModel } from '../../model/providers/function-model.ts';
import { scriptedModel } from '../../model/providers/script-model.ts';
import type { DurableHost } from '../../runtime/durable.ts';
import { InMemoryJournals, inMemoryHost } from '../../runtime/in-memory.ts';
import { callFinal, callTools } from '../../testing/replies.ts';
import { tool } from '../../tools/tool.ts';
import { verification } from '../verification/verification.ts';
import { approvalSignal } from './approvals.ts';

function purse() {
  const paid: number[] = [];
  const pay = tool({
    name: 'pay',
    description: 'Pays.',
    input: z.object({ sum: z.number() }),
    effect: 'irreversible',
    run: ({ sum }) => {
      paid.push(sum);
      return `paid ${sum}`;
    },
  });
  return { paid, pay };
}

const waitingFor = async (host: DurableHost, runId: string): Promise<string[]> =>
  (await host.info(runId))?.waitingFor ?? [];

describe('an approval', () => {
  it('is bound to the place, the id and the canonical arguments of the call', () => {
    const call = { callId: 'call-1', key: 'pay {"sum":1}' };
    const signals = [
      approvalSignal('', call),
      approvalSignal('step-1', call),
      approvalSignal('', { ...call, callId: 'call-2' }),
      approvalSignal('', { ...call, key: 'pay {"sum":1000}' }),
    ];
    expect(new Set(signals).size).toBe(4);
    expect(approvalSignal('', { ...call })).toBe(signals[0]);
  });

  it('does not carry over to another call that the model gives the same number after a revision', async () => {
    const { paid, pay } = purse();
    const action = (sum: number) => JSON.stringify({ type: 'tool', tool: 'pay', args: { sum } });
    const final = (answer: string) => JSON.stringify({ type: 'final', answer, claims: [] });
    const script = [action(1), final('draft'), action(1_000), final('mended')];
    const model = functionModel(() => script.shift() ?? '');
    const check = {
      name: 'no-draft',
      run: ({ answer }: { answer?: string | undefined }) =>
        answer === 'draft' ? [{ type: 'incomplete' as const, detail: 'a draft', requiredAction: 'mend it' }] : [],
    };
    const layers = [verification({ checks: [check], verifier: false })];
    const agent = defineAgent({ model, tools: [pay], layers, host: inMemoryHost({ suspendAfterMs: 5 }) });
    await agent.run('pay one', { runId: 'r' });
    const [first] = await waitingFor(agent.host, 'r');
    await agent.decide('r', first ?? '', { approved: true });
    expect((await agent.resume('r')).status).toBe('awaiting_approval');
    expect(paid).toEqual([1]);
    const [second] = await waitingFor(agent.host, 'r');
    await agent.decide('r', second ?? '', { approved: false, reason: 'too much' });
    expect(await agent.resume('r')).toMatchObject({ answer: 'mended' });
    expect(paid).toEqual([1]);
  });

  it('is not asked for where the policy denies: the model is told to do without', async () => {
    const { paid, pay } = purse();
    const model = scriptedModel([callTools(['pay', { sum: 1 }]), callFinal('could not pay')]);
    const result = await defineAgent({ model, tools: [pay], policy: { irreversible: 'deny' } }).run('pay');
    expect(result).toMatchObject({ answer: 'could not pay', attempt: { observations: [] } });
    expect(JSON.stringify(model.calls.at(-1)?.prompt)).toContain('Denied: the policy for');
    expect(paid).toEqual([]);
  });

  it('lets the calls of one turn happen one after the other, in their order', async () => {
    const log: string[] = [];
    const slow = tool({
      name: 'slow',
      description: 'Takes its time.',
      input: z.object({ ms: z.number() }),
      effect: 'write',
      run: async ({ ms }) => {
        log.push(`begin ${ms}`);
        await new Promise((resolve) => setTimeout(resolve, ms));
        log.push(`end ${ms}`);
      },
    });
    const model = scriptedModel([callTools(['slow', { ms: 20 }], ['slow', { ms: 1 }]), callFinal('x')]);
    await defineAgent({ model, tools: [slow], policy: { write: 'allow' } }).run('go');
    expect(log).toEqual(['begin 20', 'end 20', 'begin 1', 'end 1']);
  });

  it('decides each of several calls for itself, in any order, in another process each time', async () => {
    const { paid, pay } = purse();
    const journals = new InMemoryJournals();
    const hostNow = () => inMemoryHost({ journals, suspendAfterMs: 5 });
    const model = scriptedModel((options) =>
      options.prompt.some((message) => message.role === 'tool')
        ? callFinal('settled')
        : callTools(['pay', { sum: 1 }], ['pay', { sum: 2 }], ['pay', { sum: 3 }]),
    );
    const agentOn = (host: DurableHost, more: Partial<AgentOptions> = {}) =>
      defineAgent({ model, tools: [pay], host, ...more });
    const host = hostNow();
    await agentOn(host).run('pay all', { runId: 'r' });
    const signals = await waitingFor(host, 'r');
    await host.close();
    expect(signals).toHaveLength(3);
    const decisions = [
      [2, { approved: true }],
      [0, { approved: true }],
      [1, { approved: false, reason: 'not this one' }],
    ] as const;
    for (const [index, decision] of decisions) {
      expect(paid).toEqual([]);
      const next = hostNow();
      const agent = agentOn(next);
      expect(await agent.decide('r', signals[index] ?? '', decision)).toBe('delivered');
      expect(await agent.decide('r', signals[index] ?? '', { approved: !decision.approved })).toBe('already');
      await agent.resume('r');
      await next.close();
    }
    const last = hostNow();
    const result = await agentOn(last).resume('r');
    expect(paid).toEqual([1, 3]);
    expect(result.attempt.observations.map(({ status }) => status)).toEqual(['ok', 'denied', 'ok']);
    expect(result.attempt.observations[1]?.content).toContain('not this one');
    expect(model.calls).toHaveLength(2);
  });
});
