import { expect } from 'vitest';
import { StepFailedError } from '../core/errors.ts';
import type { DurableHost } from '../runtime/durable.ts';
import { type Case, entriesOf, gate, work } from './durable-bench.ts';

export function waitCases(add: Case): void {
  add('a signal may come before it is awaited, and its first write wins', async (bench) => {
    const ready = gate();
    const host = bench.open(
      work(async (durable) => {
        await durable.step('long', () => ready.wait);
        return [await durable.waitFor('go'), await durable.waitFor('go'), await durable.waitFor('empty')];
      }),
    );
    await host.start('work', 'r', null);
    expect(await host.signal('r', 'go', { by: 'first' })).toBe('delivered');
    expect(await host.signal('r', 'go', { by: 'second' })).toBe('already');
    expect(await host.signal('r', 'empty', undefined)).toBe('delivered');
    expect(await host.signal('nobody', 'go', 1)).toBe('no-such-run');
    ready.open();
    expect((await host.result('r')).output).toEqual([{ by: 'first' }, { by: 'first' }, null]);
  });

  add('a wait that times out gives undefined and stays so', async (bench) => {
    const host = bench.open(
      work(async (durable) => [(await durable.waitFor('go', { timeoutMs: 5 })) === undefined, durable.path]),
    );
    await host.start('work', 'r', null);
    expect((await host.result('r')).output).toEqual([true, '']);
    await host.fork('r', 'again', { at: 2 });
    await host.signal('again', 'go', 'too late');
    expect((await host.result('again')).output).toEqual([true, '']);
  });

  add('a run that only waits holds no coroutine and is rebuilt by a signal', async (bench) => {
    let entered = 0;
    let stepped = 0;
    const workflow = work(async (durable) => {
      entered++;
      await durable.step('once', () => ++stepped);
      const results = await durable.parallel('both', [
        (branch) => branch.waitFor('one'),
        (branch) => branch.waitFor('two', { timeoutMs: 60_000 }),
      ]);
      return results.map((settled) => settled.ok && settled.value);
    });
    const host = bench.open(workflow);
    await host.start('work', 'r', null);
    const waiting = await host.result('r');
    expect(waiting).toMatchObject({ state: 'suspended', waitingFor: ['one', 'two'] });
    expect(await host.list({ state: 'suspended' })).toEqual([waiting]);
    await host.signal('r', 'two', 2);
    expect(await host.result('r')).toMatchObject({ state: 'suspended', waitingFor: ['one'] });
    await host.signal('r', 'one', 1);
    expect(await host.result('r')).toMatchObject({ state: 'completed', output: [1, 2], waitingFor: [] });
    expect({ entered, stepped }).toEqual({ entered: 3, stepped: 1 });
  });

  add('a suspended run survives a restart', async (bench) => {
    const workflow = work((durable) => durable.waitFor('go'));
    const first = bench.open(workflow);
    await first.start('work', 'r', null);
    await first.result('r');
    await first.close();
    const second = bench.open(workflow);
    expect((await second.info('r'))?.state).toBe('suspended');
    await second.signal('r', 'go', 'on');
    expect(await second.result('r')).toMatchObject({ state: 'completed', output: 'on' });
  });

  add('a signal written where the workflow is unknown wakes the run when it is repeated elsewhere', async (bench) => {
    const workflow = work((durable) => durable.waitFor('go'));
    const first = bench.open(workflow);
    await first.start('work', 'r', null);
    await first.result('r');
    await first.close();
    expect(await bench.open().signal('r', 'go', 'on')).toBe('delivered');
    const second = bench.open(workflow);
    expect(await second.signal('r', 'go', 'off')).toBe('already');
    expect(await second.result('r')).toMatchObject({ state: 'completed', output: 'on' });
  });

  add('a step beside a wait keeps the run in memory', async (bench) => {
    let entered = 0;
    const host = bench.open(
      work(async (durable) => {
        entered++;
        const step = durable.step('long', () => new Promise((resolve) => setTimeout(resolve, 150)));
        return Promise.race([step, durable.waitFor('never')]);
      }),
    );
    await host.start('work', 'r', null);
    expect((await host.result('r')).state).toBe('completed');
    expect(entered).toBe(1);
  });

  add('sleep ends at the deadline it recorded first, over a suspension', async (bench) => {
    let entered = 0;
    const host = bench.open(
      work(async (durable) => {
        entered++;
        await durable.sleep(5);
        await durable.sleep(150);
        return 'awake';
      }),
    );
    const begun = Date.now();
    await host.start('work', 'r', null);
    expect((await host.result('r')).state).toBe('suspended');
    await expect.poll(async () => (await host.info('r'))?.state, { timeout: 5000 }).toBe('completed');
    expect(Date.now() - begun).toBeGreaterThanOrEqual(154);
    expect(entered).toBe(2);
    const [deadline, , second] = await entriesOf(host, 'r');
    expect(deadline!.value).toBeGreaterThanOrEqual(begun + 5);
    expect(second!.value).toBeGreaterThanOrEqual(begun + 155);
  });

  add('a child has a journal of its own and is started once', async (bench) => {
    let executions = 0;
    const child = work(
      async (durable, input) =>
        durable.step('double', () => {
          executions++;
          return Number(input) * 2;
        }),
      'child',
    );
    const parent = work(async (durable) => {
      const one = await durable.child<number>('child', 'first', 4);
      const two = await durable.scope('s').child<number>('child', 'second', 5);
      return one + two;
    });
    const host = bench.open(child, parent);
    await host.start('work', 'r', null);
    expect(await host.result('r')).toMatchObject({ state: 'completed', output: 18 });
    expect((await host.list({ workflow: 'child' })).map(({ state }) => state)).toEqual(['completed', 'completed']);
    await host.fork('r', 'again', { at: 2 });
    expect((await host.result('again')).output).toBe(18);
    expect(executions).toBe(2);
  });

  add('a failing child rejects with a step failure', async (bench) => {
    const child = work(async () => {
      throw new Error('no luck');
    }, 'child');
    const parent = work(async (durable) => {
      const error = await durable.child('child', 'unlucky', null).catch((thrown: Error) => thrown);
      const unknown = await durable.child('nobody', 'unknown', null).catch((thrown: Error) => thrown);
      const big = await durable.child('child', 'big', 1n).catch((thrown: Error) => thrown);
      return [error, unknown, big].map((thrown) => [thrown instanceof StepFailedError, String(thrown)]);
    });
    const host = bench.open(child, parent);
    await host.start('work', 'r', null);
    expect((await host.result('r')).output).toEqual([
      [true, 'StepFailedError: unlucky: no luck'],
      [true, expect.stringMatching(/StepFailedError: unknown: there is no workflow "nobody"/)],
      [true, expect.stringMatching(/StepFailedError: big: .*BigInt/)],
    ]);
  });

  add('a parent is suspended with its child and wakes with it', async (bench) => {
    const { host, childId } = await familyOf(bench.open(...family));
    expect(await host.result(childId)).toMatchObject({ state: 'suspended', waitingFor: ['go'] });
    expect(await host.result('r')).toMatchObject({ state: 'suspended', waitingFor: [] });
    await host.signal(childId, 'go', 'on');
    await expect.poll(async () => (await host.info('r'))?.output, { timeout: 5000 }).toBe('on');
  });

  add('a parent goes on with a child that was interrupted', async (bench) => {
    const { host: first, childId } = await familyOf(bench.open(...family));
    await first.close();
    const second = bench.open(...family);
    await second.resume('r');
    await second.signal(childId, 'go', 'later');
    await expect.poll(async () => (await second.info('r'))?.output, { timeout: 5000 }).toBe('later');
  });

  add('cancelling a parent cancels its child', async (bench) => {
    const { host, childId } = await familyOf(bench.open(...family));
    await host.cancel('r');
    expect((await host.result('r')).state).toBe('cancelled');
    await expect.poll(async () => (await host.info(childId))?.state, { timeout: 5000 }).toBe('cancelled');
  });

  add('cancelling a suspended parent cancels its suspended child', async (bench) => {
    const { host, childId } = await familyOf(bench.open(...family));
    await host.result(childId);
    expect((await host.result('r')).state).toBe('suspended');
    await host.cancel('r');
    expect((await host.result('r')).state).toBe('cancelled');
    await expect.poll(async () => (await host.info(childId))?.state, { timeout: 5000 }).toBe('cancelled');
  });
}

const family = [
  work((durable) => durable.waitFor('go'), 'child'),
  work((durable) => durable.child<string>('child', 'waiting', null)),
];

/** A run that waits for its child, which waits for a signal. */
async function familyOf(host: DurableHost): Promise<{ host: DurableHost; childId: string }> {
  await host.start('work', 'r', null);
  await expect.poll(async () => (await host.list({ workflow: 'child' })).length).toBe(1);
  return { host, childId: (await host.list({ workflow: 'child' }))[0]!.id };
}
