import { expect } from 'vitest';
import { StepFailedError, UncertainOutcomeError } from '../core/errors.ts';
import type { Durable } from '../runtime/durable.ts';
import { type Case, entriesOf, gate, work } from './durable-bench.ts';

async function caught(promise: Promise<unknown>): Promise<Error> {
  return promise.then(
    () => expect.fail('it should have been rejected'),
    (error) => error,
  );
}

export function stepCases(add: Case): void {
  add('a key is the path, the name and the use of that name there', async (bench) => {
    const host = bench.open(
      work(async (durable) => {
        await durable.step('a', () => 1);
        await durable.step('a', () => 2);
        await durable.scope('s').step('a', () => 3);
        await durable
          .scope('s')
          .scope('t')
          .step('a', () => 4);
        for (const _ of [1, 2]) await durable.parallel('p', [(branch) => branch.step('a', () => 5)]);
        await durable.step('a#2', () => 6);
      }),
    );
    await host.start('work', 'r', null);
    await host.result('r');
    const keys = (await entriesOf(host, 'r')).map(({ key }) => key);
    expect(keys.slice(0, 6)).toEqual(['a', 'a#2', 's/a', 's/t/a', 'p/0/a', 'p#2/0/a']);
    expect(new Set(keys).size).toBe(7);
  });

  add('the code gets the JSON of a result, live and replayed', async (bench) => {
    const seen: unknown[] = [];
    const workflow = work(async (durable) => {
      const mixed = await durable.step('mixed', () => ({
        at: new Date(0),
        gone: undefined,
        list: [undefined, Number.NaN],
      }));
      const nothing = await durable.step('nothing', () => undefined);
      const uncallable = await durable.step<unknown>('function', () => () => 1);
      seen.push({ mixed, nothing, uncallable });
    });
    const host = bench.open(workflow);
    await host.start('work', 'r', null);
    await host.result('r');
    await host.fork('r', 'again', { at: 3 });
    await host.result('again');
    const expected = {
      mixed: { at: '1970-01-01T00:00:00.000Z', list: [null, null] },
      nothing: undefined,
      uncallable: undefined,
    };
    expect(seen).toEqual([expected, expected]);
  });

  add('a result that is not JSON is a failure of the step', async (bench) => {
    const host = bench.open(work(async (durable) => (await caught(durable.step('big', () => 1n as unknown))).message));
    await host.start('work', 'r', null);
    expect((await host.result('r')).output).toMatch(/big: the result is not JSON/);
  });

  add('a failure is recorded and is the same live and replayed', async (bench) => {
    class BrokenPipe extends Error {}
    const errors: Error[] = [];
    let executions = 0;
    const workflow = work(async (durable) => {
      const fail = (): never => {
        executions++;
        throw new BrokenPipe('no reader');
      };
      errors.push(await caught(durable.step('write', fail)));
      errors.push(await caught(durable.step('write', async () => fail())));
    });
    const host = bench.open(workflow);
    await host.start('work', 'r', null);
    await host.result('r');
    await host.fork('r', 'again', { at: 2 });
    await host.result('again');
    expect(executions).toBe(2);
    expect(errors).toHaveLength(4);
    for (const error of errors) {
      expect(error).toBeInstanceOf(StepFailedError);
      expect(error).toMatchObject({ causeName: 'BrokenPipe', message: 'write: no reader' });
    }
  });

  add('step works as a detached function', async (bench) => {
    const host = bench.open(
      work(async ({ step }) => {
        return step('a', ({ idempotencyKey, attempt }) => ({ idempotencyKey, attempt }));
      }),
    );
    await host.start('work', 'r', null);
    expect((await host.result('r')).output).toEqual({ idempotencyKey: 'r/a', attempt: 1 });
  });

  add('retries happen inside one entry, with growing waits and one idempotency key', async (bench) => {
    const calls: { key: string; attempt: number; at: number }[] = [];
    const host = bench.open(
      work((durable) =>
        durable.step(
          'flaky',
          ({ idempotencyKey, attempt }) => {
            calls.push({ key: idempotencyKey, attempt, at: performance.now() });
            if (attempt < 4) throw new Error('not yet');
            return attempt;
          },
          { retry: { maxAttempts: 5, initialMs: 10, factor: 3, maxMs: 40 } },
        ),
      ),
    );
    await host.start('work', 'r', null);
    expect((await host.result('r')).output).toBe(4);
    expect(calls.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4]);
    expect(new Set(calls.map(({ key }) => key)).size).toBe(1);
    const waits = calls.slice(1).map(({ at }, index) => at - calls[index]!.at);
    for (const [index, least] of [10, 30, 40].entries()) expect(waits[index]).toBeGreaterThan(least - 2);
    expect(await entriesOf(host, 'r')).toHaveLength(1);
  });

  add('retries end at the last attempt or at an error that is not retryable', async (bench) => {
    const attempts: string[] = [];
    const host = bench.open(
      work(async (durable) => {
        const fail = (message: string): Promise<Error> =>
          caught(
            durable.step(
              message,
              ({ attempt }) => {
                attempts.push(`${message} ${attempt}`);
                throw new Error(message);
              },
              { retry: { maxAttempts: 2, initialMs: 1, retryable: (error) => (error as Error).message !== 'fatal' } },
            ),
          );
        return [(await fail('weak')).message, (await fail('fatal')).message];
      }),
    );
    await host.start('work', 'r', null);
    expect((await host.result('r')).output).toEqual(['weak: weak', 'fatal: fatal']);
    expect(attempts).toEqual(['weak 1', 'weak 2', 'fatal 1']);
  });

  add('a step is over at its time limit even when the closure ignores the signal', async (bench) => {
    const late = gate();
    let reason: unknown;
    const host = bench.open(
      work(async (durable) => {
        const stubborn = await caught(
          durable.step(
            'stubborn',
            async ({ signal }) => {
              signal.addEventListener('abort', () => {
                reason = signal.reason;
              });
              await late.wait;
              return 'too late';
            },
            { timeoutMs: 15 },
          ),
        );
        const retried = await caught(
          durable.step('retried', () => Promise.reject(new Error('again')), {
            timeoutMs: 25,
            retry: { maxAttempts: 1000, initialMs: 5, factor: 1 },
          }),
        );
        late.open();
        const quick = await durable.step('quick', async () => 'in time', { timeoutMs: 10_000 });
        return [stubborn, retried].map((error) => (error as StepFailedError).causeName).concat(quick);
      }),
    );
    await host.start('work', 'r', null);
    expect((await host.result('r')).output).toEqual(['TimeoutError', 'TimeoutError', 'in time']);
    expect(reason).toMatchObject({ name: 'TimeoutError' });
    expect(await entriesOf(host, 'r')).toHaveLength(3);
  });

  add('steps with the same limit key share its slots', async (bench) => {
    let running = 0;
    let most = 0;
    const host = bench.open(
      work(async (durable) => {
        const call = (branch: Durable): Promise<void> =>
          branch.step(
            'call',
            async () => {
              most = Math.max(most, ++running);
              await new Promise((resolve) => setTimeout(resolve, 3));
              running--;
              throw new Error('a failure gives the slot back');
            },
            { limit: { key: 'shared' } },
          );
        return (await durable.parallel('calls', Array(8).fill(call))).length;
      }),
    );
    await host.start('work', 'r', null);
    expect((await host.result('r')).output).toBe(8);
    expect(most).toBe(2);
  });

  add('an at-most-once step is never executed again after a death in its window', async (bench) => {
    const inside = gate();
    let sent = 0;
    const workflow = work(async (durable) => {
      await durable.step('before', () => 1);
      try {
        return await durable.step(
          'send',
          () => {
            sent++;
            inside.open();
            return new Promise(() => undefined);
          },
          { effect: 'at-most-once' },
        );
      } catch (error) {
        return error instanceof UncertainOutcomeError ? durable.step('ask', () => 'asked a human') : error;
      }
    });
    const first = bench.open(workflow);
    await first.start('work', 'r', null);
    await inside.wait;
    await first.close();
    const second = bench.open(workflow);
    await second.resume('r');
    expect((await second.result('r')).output).toBe('asked a human');
    await second.fork('r', 'again', { at: 4 });
    expect((await second.result('again')).output).toBe('asked a human');
    expect(sent).toBe(1);
  });

  add('an at-most-once step that came back is replayed like any other', async (bench) => {
    let sent = 0;
    const host = bench.open(
      work(async (durable) => {
        const ok = await durable.step('send', () => ++sent, { effect: 'at-most-once' });
        const failed = await caught(
          durable.step(
            'fail',
            () => {
              throw new Error('refused');
            },
            { effect: 'at-most-once' },
          ),
        );
        return [ok, failed.message];
      }),
    );
    await host.start('work', 'r', null);
    const { output } = await host.result('r');
    expect(output).toEqual([1, 'fail: refused']);
    await host.fork('r', 'again', { at: (await entriesOf(host, 'r')).length });
    expect((await host.result('again')).output).toEqual(output);
    expect(sent).toBe(1);
  });

  add('at-most-once with retries is refused', async (bench) => {
    const options = { effect: 'at-most-once', retry: { maxAttempts: 2 } } as const;
    const host = bench.open(work((durable) => durable.step('send', () => 1, options)));
    await host.start('work', 'r', null);
    expect(await host.result('r')).toMatchObject({
      state: 'failed',
      error: expect.stringMatching(/drop one of the two/),
    });
  });

  add('parallel runs at most `concurrency` branches at once, 32 by default, and settles each', async (bench) => {
    let running = 0;
    let most = 0;
    const branch = async (durable: Durable): Promise<string> => {
      await durable.step('work', async () => {
        most = Math.max(most, ++running);
        await new Promise((resolve) => setTimeout(resolve, 2));
        running--;
      });
      if (durable.path.endsWith('/1')) throw new Error('lost');
      return durable.path;
    };
    const peaks: number[] = [];
    const host = bench.open(
      work(async (durable) => {
        const three = await durable.parallel('few', Array(9).fill(branch), { concurrency: 3 });
        peaks.push(most);
        await durable.parallel('many', Array(40).fill(branch));
        peaks.push(most);
        return three.slice(0, 3).map((settled) => (settled.ok ? settled.value : settled.error.message));
      }),
    );
    await host.start('work', 'r', null);
    expect((await host.result('r')).output).toEqual(['few/0', 'lost', 'few/2']);
    expect(peaks).toEqual([3, 32]);
  });

  add('a large result comes back whole', async (bench) => {
    const text = 'größer '.repeat(40_000);
    const host = bench.open(work(async (durable) => (await durable.step('large', () => ({ text }))).text === text));
    await host.start('work', 'r', null);
    expect((await host.result('r')).output).toBe(true);
    await host.fork('r', 'again', { at: 1 });
    expect((await host.result('again')).output).toBe(true);
    expect((await entriesOf(host, 'again'))[0]!.value).toEqual({ text });
  });
}
