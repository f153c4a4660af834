import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { durableContract } from '../testing/durable-contract.ts';
import type { Durable } from './durable.ts';
import { InMemoryJournals, inMemoryHost } from './in-memory.ts';

const journalsOf = new Map<string, InMemoryJournals>();

durableContract(
  'in memory',
  (dir) => {
    const journals = journalsOf.get(dir) ?? new InMemoryJournals();
    journalsOf.set(dir, journals);
    return inMemoryHost({ journals, suspendAfterMs: 30, pollMs: 10, limits: { shared: { concurrency: 2 } } });
  },
  { randomPrograms: 400 },
);

test('between the recording of a cancellation and its delivery no closure begins', async () => {
  const host = inMemoryHost();
  let begun = 0;
  host.register({
    name: 'wide',
    version: 1,
    run: (durable) =>
      durable.parallel(
        'p',
        Array.from({ length: 20 }, (_, index) => async (branch: Durable) => {
          await branch.step('first', () => (index === 0 ? void host.cancel('r') : undefined));
          await branch.step('second', () => ++begun);
        }),
      ),
  });
  await host.start('wide', 'r', null);
  expect((await host.result('r')).state).toBe('cancelled');
  expect(begun).toBeLessThan(3);
  await host.close();
});

test('importing the in-memory host loads no SQLite', () => {
  const script = `await import('./src/runtime/in-memory.ts'); console.log(process.moduleLoadList.some((name) => name.includes('sqlite')))`;
  const output = execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
  expect(output.trim()).toBe('false');
});

test('nothing of a finished run keeps the process alive', () => {
  const script = `const { inMemoryHost } = await import('./src/runtime/in-memory.ts');
    const host = inMemoryHost({ suspendAfterMs: 60_000 });
    host.register({ name: 'quick', version: 1, run: async (durable) => {
      await durable.step('a', async () => 1, { timeoutMs: 60_000 });
      await Promise.race([durable.waitFor('go', { timeoutMs: 60_000 }), durable.step('b', () => 1)]);
    } });
    await host.start('quick', 'r', null);
    console.log((await host.result('r', { waitMs: 60_000 })).state);`;
  const options = { encoding: 'utf8', timeout: 10_000 } as const;
  expect(execFileSync(process.execPath, ['--input-type=module', '-e', script], options).trim()).toBe('completed');
});

test('a thousand concurrent runs cost no more per step than a few', async () => {
  const host = inMemoryHost();
  host.register({
    name: 'steps',
    version: 1,
    run: async (durable) => {
      for (let index = 0; index < 20; index++) await durable.step('a', () => index);
    },
  });
  const perStep = async (runs: number, prefix: string): Promise<number> => {
    const ids = Array.from({ length: runs }, (_, index) => `${prefix}-${index}`);
    const begin = performance.now();
    await Promise.all(ids.map((id) => host.start('steps', id, null)));
    await Promise.all(ids.map((id) => host.result(id)));
    return (performance.now() - begin) / (runs * 20);
  };
  await perStep(100, 'warm');
  const few = await perStep(50, 'few');
  const many = await perStep(1000, 'many');
  // Quadratic cost would be a factor of twenty.
  expect(many).toBeLessThan(few * 8 + 0.01);
  await host.close();
});

test('forgets the oldest finished runs when new ones begin, and none that is not finished', async () => {
  const host = inMemoryHost({ keepFinished: 2, suspendAfterMs: 5 });
  host.register({ name: 'quick', version: 1, run: async () => 'done' });
  host.register({ name: 'waits', version: 1, run: (durable) => durable.waitFor('go') });
  await host.start('waits', 'waiting', null);
  await host.result('waiting');
  for (const id of ['a', 'b', 'c', 'd']) {
    await host.start('quick', id, null);
    await host.result(id);
  }
  expect((await host.list()).map((run) => run.id)).toEqual(['d', 'c', 'b', 'waiting']);
  expect(await host.info('a')).toBeUndefined();
  await host.close();
});
