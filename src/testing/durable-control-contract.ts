import { expect } from 'vitest';
import { CancelledError, StateError, UsageError } from '../core/errors.ts';
import type { Durable } from '../runtime/durable.ts';
import { type Case, entriesOf, gate, work } from './durable-bench.ts';

const forever = (): Promise<never> => new Promise(() => undefined);

/** Waits in a step until cancelled, then cleans up in another step. */
const cleaning = (log: string[]) => async (durable: Durable) => {
  try {
    await durable.step('before', () => log.push('before'));
    await durable.step('long', async ({ signal }) => {
      log.push('long');
      signal.addEventListener('abort', () => log.push('aborted'));
      await forever();
    });
    return 'not cancelled';
  } catch (error) {
    log.push(error instanceof CancelledError ? 'unwinding' : String(error));
    const open = await durable.step('clean', ({ signal }) => {
      log.push('clean');
      return !signal.aborted;
    });
    await durable.step('clean', () => (log.includes('die here') ? forever() : 0));
    if (open && durable.signal.aborted) throw error;
    return 'the signals are wrong';
  }
};

export function controlCases(add: Case): void {
  add('a run is started once', async (bench) => {
    const host = bench.open(work(async (_, input) => input));
    expect(await host.start('work', 'r', { a: [1] })).toBe('started');
    expect(await host.start('work', 'r', 'other')).toBe('exists');
    expect(await host.result('r')).toMatchObject({ state: 'completed', input: { a: [1] }, output: { a: [1] } });
  });

  add('what cannot be is refused with the remedy', async (bench) => {
    const host = bench.open(work(async () => 1));
    await expect(host.start('wrok', 'r', null)).rejects.toThrow(UsageError);
    await expect(host.start('wrok', 'r', null)).rejects.toThrow(/registered: work/);
    await expect(host.start('work', 'r', { n: 1n })).rejects.toThrow(/must be JSON/);
    await expect(host.start('work', '', null)).rejects.toThrow(UsageError);
    await expect(host.result('nobody')).rejects.toThrow(StateError);
    await expect(host.cancel('nobody')).rejects.toThrow(/there is no run "nobody"/);
    await expect(entriesOf(host, 'nobody')).rejects.toThrow(StateError);
    expect(await host.resume('nobody')).toBe('no-such-run');
    expect(await host.info('nobody')).toBeUndefined();
  });

  add('the state of a run comes from its result or from what it threw', async (bench) => {
    const host = bench.open(
      work(async (_, input) => {
        if (input === 'throw') throw new TypeError('broken');
        if (input === 'unwind') throw new CancelledError();
        if (input === 'unserialisable') return 1n;
        return input === 'nothing' ? undefined : { status: input };
      }),
    );
    const states: Record<string, unknown> = {};
    for (const input of ['revised', 'failed', 'cancelled', 'nothing', 'throw', 'unwind', 'unserialisable']) {
      await host.start('work', input, input);
      const { state, output, error } = await host.result(input);
      states[input] = [state, output, error];
    }
    expect(states).toEqual({
      revised: ['completed', { status: 'revised' }, undefined],
      failed: ['failed', { status: 'failed' }, undefined],
      cancelled: ['cancelled', { status: 'cancelled' }, undefined],
      nothing: ['completed', undefined, undefined],
      throw: ['failed', undefined, 'broken'],
      unwind: ['cancelled', undefined, 'the run was cancelled'],
      unserialisable: ['failed', undefined, expect.stringMatching(/output is not JSON/)],
    });
  });

  add('cancelling rejects what is pending, aborts closures and lets cleanup steps run', async (bench) => {
    const log: string[] = [];
    const host = bench.open(work(cleaning(log)));
    await host.start('work', 'r', null);
    await expect.poll(() => log).toContain('long');
    await host.cancel('r');
    expect((await host.result('r')).state).toBe('cancelled');
    expect(log).toEqual(['before', 'long', 'aborted', 'unwinding', 'clean']);
    await host.cancel('r');
    expect((await host.info('r'))?.state).toBe('cancelled');
  });

  add('a cancellation replays at its place', async (bench) => {
    const log: string[] = ['die here'];
    const first = bench.open(work(cleaning(log)));
    await first.start('work', 'r', null);
    await expect.poll(() => log).toContain('long');
    await first.cancel('r');
    await expect.poll(() => log).toContain('clean');
    await first.close();
    log.length = 0;
    const second = bench.open(work(cleaning(log)));
    await second.resume('r');
    expect((await second.result('r')).state).toBe('cancelled');
    expect(log).toEqual(['unwinding']);
  });

  add('cancelling settles neither branches nor races as failures', async (bench) => {
    const started = gate();
    const host = bench.open(
      work(async (durable) => {
        const branch = (inner: Durable): Promise<unknown> =>
          inner.step('wait', () => {
            started.open();
            return forever();
          });
        await durable.parallel('p', [branch, (inner) => inner.waitFor('go'), (inner) => inner.sleep(60_000)]);
        return 'settled';
      }),
    );
    await host.start('work', 'r', null);
    await started.wait;
    await host.cancel('r');
    expect((await host.result('r')).state).toBe('cancelled');
  });

  add('a suspended, an interrupted and a parked run can be cancelled', async (bench) => {
    const log: string[] = [];
    const waiting = work(async (durable) => durable.waitFor('go').finally(() => log.push('cleaned up')), 'waiting');
    const stuck = work(async (durable) => durable.step('a', forever), 'stuck');
    const parked = work(async (durable) => durable.step('a', () => 1).then(() => durable.waitFor('go')), 'parked');
    const first = bench.open(waiting, stuck, parked);
    for (const name of ['waiting', 'stuck', 'parked']) await first.start(name, name, null);
    await first.result('waiting');
    await first.result('parked');
    await first.close();
    const second = bench.open(
      waiting,
      stuck,
      work(async () => 0, 'parked'),
    );
    await second.resume('parked');
    expect((await second.result('parked')).state).toBe('parked');
    for (const name of ['waiting', 'stuck', 'parked']) {
      await second.cancel(name);
      expect((await second.result(name)).state).toBe('cancelled');
    }
    expect(log).toEqual(['cleaned up']);
  });

  add('a run whose workflow is not registered can still be cancelled', async (bench) => {
    const first = bench.open(work(forever));
    await first.start('work', 'r', null);
    await first.close();
    const second = bench.open();
    await second.cancel('r');
    expect((await second.result('r')).state).toBe('cancelled');
  });

  add('a run is executed by one live host, and taken over when that host is gone', async (bench) => {
    const workflow = work(async (durable) => durable.step('a', () => started.wait));
    const started = gate();
    const first = bench.open(workflow);
    const second = bench.open(workflow);
    await first.start('work', 'r', null);
    expect(await second.start('work', 'r', null)).toBe('exists');
    await expect(second.resume('r')).rejects.toThrow(StateError);
    await expect(second.resume('r')).rejects.toThrow(/run r is being executed by process \d+: .*stop that process/);
    await first.close();
    await expect(second.result('r')).rejects.toThrow(/run r was interrupted.*resume it/);
    started.open();
    expect(await second.resume('r')).toBe('resumed');
    expect((await second.result('r')).state).toBe('completed');
  });

  add('signals, cancellations and results pass between hosts', async (bench) => {
    const stay = (durable: Durable): Promise<unknown> =>
      Promise.race([durable.step('stay', forever), durable.waitFor('go')]);
    const first = bench.open(work(stay));
    const second = bench.open();
    await first.start('work', 'signalled', null);
    await first.start('work', 'cancelled', null);
    expect((await second.result('signalled', { waitMs: 50 })).state).toBe('running');
    await second.signal('signalled', 'go', 'from afar');
    await second.cancel('cancelled');
    expect((await second.result('signalled')).output).toBe('from afar');
    expect((await second.result('cancelled')).state).toBe('cancelled');
  });

  add('close stops live runs where they stand', async (bench) => {
    const log: string[] = [];
    const workflow = work(cleaning(log));
    const first = bench.open(workflow);
    await first.start('work', 'r', null);
    await expect.poll(() => log).toContain('long');
    const result = first.result('r').catch((error) => error);
    await first.close();
    await first.close();
    expect(await result).toBeInstanceOf(StateError);
    await expect(first.info('r')).rejects.toThrow(/the host is closed/);
    expect(log).toEqual(['before', 'long', 'aborted']);
    const second = bench.open(workflow);
    expect(await second.info('r')).toMatchObject({ state: 'running' });
    await second.resume('r');
    await expect.poll(() => log).toEqual(['before', 'long', 'aborted', 'long']);
  });

  add('runs are listed newest first and by state and workflow', async (bench) => {
    const host = bench.open(
      work(async () => 'done', 'quick'),
      work((durable) => durable.waitFor('go'), 'slow'),
    );
    for (const [index, name] of ['quick', 'slow', 'quick', 'slow'].entries()) await host.start(name, `${index}`, index);
    for (const id of ['0', '1', '2', '3']) await host.result(id);
    const ids = async (query?: Parameters<typeof host.list>[0]) => (await host.list(query)).map(({ id }) => id);
    expect(await ids()).toEqual(['3', '2', '1', '0']);
    expect(await ids({ limit: 1 })).toEqual(['3']);
    expect(await ids({ workflow: 'quick' })).toEqual(['2', '0']);
    expect(await ids({ state: 'suspended', limit: 5 })).toEqual(['3', '1']);
    expect(await ids({ state: 'suspended', workflow: 'quick' })).toEqual([]);
  });

  add('a journal is read while the run writes it', async (bench) => {
    const host = bench.open(
      work(async (durable) => {
        for (let index = 0; index < 600; index++) await durable.step('a', () => index);
        await durable.step('fail', () => Promise.reject(new RangeError('at last'))).catch(() => undefined);
      }),
    );
    await host.start('work', 'r', null);
    await expect.poll(async () => (await entriesOf(host, 'r')).length).toBeGreaterThan(0);
    await host.result('r');
    const entries = await entriesOf(host, 'r');
    expect(entries.map(({ seq }) => seq)).toEqual(Array.from({ length: 601 }, (_, index) => index + 1));
    expect(entries[7]).toMatchObject({ key: 'a#8', value: 7 });
    expect(entries.at(-1)).toMatchObject({ key: 'fail', error: { name: 'RangeError', message: 'at last' } });
  });
}
