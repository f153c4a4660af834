import { afterEach, describe, expect, it } from 'vitest';
import type { Durable, DurableHost, Workflow } from './durable.ts';
import { inMemoryHost } from './in-memory.ts';
import { type Recording, recordingOf, replayJournal } from './replay-journal.ts';

const hosts: DurableHost[] = [];
afterEach(async () => {
  for (const host of hosts.splice(0)) await host.close();
});

const work = (run: Workflow['run'], name = 'work'): Workflow => ({ name, version: 1, run });

/** Runs until it ends or stands still. */
async function recorded(...workflows: [Workflow, ...Workflow[]]): Promise<Recording> {
  const host = inMemoryHost({ suspendAfterMs: 5 });
  hosts.push(host);
  for (const workflow of workflows) host.register(workflow);
  await host.start(workflows[0].name, 'r', { is: 'input' });
  await host.result('r');
  return (await recordingOf(host, 'r'))!;
}

describe('a replay of a journal', () => {
  it('takes the code by the same places with what was recorded, and calls no closure', async () => {
    let called = 0;
    const seen: unknown[] = [];
    const step = (durable: Durable, name: string): Promise<unknown> =>
      durable.step(name, () => {
        called++;
        if (name === 'bad') throw new RangeError('out');
        return { name };
      });
    const workflow = work(async (durable, input) => {
      seen.push(input, durable.seed, durable.uuid(), durable.now());
      await durable.parallel('p', [
        async (branch) => seen.push(await step(branch, 'a')),
        async (branch) => seen.push(await step(branch.scope('s'), 'b'), branch.now()),
      ]);
      await step(durable, 'bad').catch((error) => seen.push(String(error)));
      seen.push(await durable.step('effect', () => ++called, { effect: 'at-most-once' }));
      await durable.sleep(1);
      seen.push(await durable.child('other', 'c', 5), durable.now());
    });
    const recording = await recorded(
      workflow,
      work(async (_, input) => input, 'other'),
    );
    expect(called).toBe(4);
    const first = seen.splice(0);
    expect(await replayJournal(workflow, recording)).toEqual({ type: 'ended' });
    expect(seen).toEqual(first);
    expect(called).toBe(4);
    // The very values of the entries: who replays can tell which entry one came from.
    expect(recording.entries.map(({ value }) => value)).toContain(seen.find((value) => Object(value).name === 'a'));
  });

  it.each<[string, (durable: Durable) => Promise<unknown>]>([
    ['a step', (durable) => durable.step('b', () => 2)],
    [
      'a step with a time limit, retries and a shared limit',
      (durable) => durable.step('b', () => 2, { timeoutMs: 50, retry: { maxAttempts: 3 }, limit: { key: 'k' } }),
    ],
    ['an effect', (durable) => durable.step('b', () => 2, { effect: 'at-most-once' })],
    ['a signal', (durable) => durable.waitFor('go')],
    ['a signal with a deadline', (durable) => durable.waitFor('go', { timeoutMs: 60_000 })],
    ['a pause', (durable) => durable.sleep(60_000)],
    ['a child', (durable) => durable.child('work', 'c', 1)],
  ])('is over where the code asks for %s that is not recorded', async (_what, more) => {
    const workflow = work(async (durable) => durable.step('a', () => 1));
    const recording = await recorded(workflow);
    const touched: string[] = [];
    const longer = work(async (durable) => {
      touched.push(`a is ${await durable.step('a', () => touched.push('called'))}`);
      try {
        await more(durable);
      } finally {
        touched.push('came back');
      }
    });
    expect(await replayJournal(longer, recording)).toEqual({ type: 'used-up' });
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(touched).toEqual(['a is 1']);
  });

  it('comes to the end of the journal of a run that waits or was cut off', async () => {
    const workflow = work(async (durable) => {
      await durable.step('a', () => 1);
      await durable.waitFor('go');
    });
    const recording = await recorded(workflow);
    expect(await replayJournal(workflow, recording)).toEqual({ type: 'used-up' });
    expect(await replayJournal(workflow, { ...recording, entries: [] })).toEqual({ type: 'used-up' });
  });

  it('says where the journal does not fit the code', async () => {
    const recording = await recorded(work(async (durable) => durable.step('a', () => 1)));
    const renamed = work((durable) => durable.step('b', () => 1));
    expect(await replayJournal(renamed, recording)).toMatchObject({
      type: 'parked',
      error: { message: expect.stringContaining('journal entry 1 is "a"') },
    });
  });

  it('replays a cancellation at its place', async () => {
    const seen: string[] = [];
    const workflow = work(async (durable) => {
      await durable.waitFor('go').catch(() => seen.push('cancelled'));
      await durable.step('clean', () => seen.push('called'));
    });
    const host = inMemoryHost({ suspendAfterMs: 5 });
    hosts.push(host);
    host.register(workflow);
    await host.start('work', 'r', null);
    await host.result('r');
    await host.cancel('r');
    await host.result('r');
    expect(seen.splice(0)).toEqual(['cancelled', 'called']);
    expect(await replayJournal(workflow, (await recordingOf(host, 'r'))!)).toEqual({ type: 'ended' });
    expect(seen).toEqual(['cancelled']);
  });

  it('can be stopped, also when the code hangs', async () => {
    const recording = await recorded(work(async (durable) => durable.step('a', () => 1)));
    const hangs = work(async () => new Promise(() => undefined));
    expect(await replayJournal(hangs, recording, AbortSignal.timeout(5))).toEqual({ type: 'stopped' });
    expect(await replayJournal(hangs, recording, AbortSignal.abort())).toEqual({ type: 'stopped' });
  });

  it('reads no more of a journal than it is told', async () => {
    const host = inMemoryHost();
    hosts.push(host);
    host.register(
      work(async (durable) => {
        for (let at = 0; at < 5; at++) await durable.step('a', () => at);
      }),
    );
    await host.start('work', 'r', null);
    await host.result('r');
    const { entries, cut } = (await recordingOf(host, 'r', 3))!;
    expect([entries.length, cut]).toEqual([3, true]);
    expect((await recordingOf(host, 'r', 5))?.cut).toBeUndefined();
    expect(await recordingOf(host, 'nobody')).toBeUndefined();
  });
});
