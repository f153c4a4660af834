import { expect, test } from 'vitest';
import { inMemoryHost } from './in-memory.ts';
import { stepKeyOf } from './step-key.ts';

test('the keys that a run makes are taken apart into what its code said', async () => {
  const host = inMemoryHost();
  const odd = '~100% #1!';
  host.register({
    name: 'work',
    version: 1,
    run: async (durable) => {
      await durable.step('turn', () => 1);
      await durable.step('turn', () => 2);
      await durable.step('tool.save', () => 3, { effect: 'at-most-once' });
      await durable.parallel('samples', [(branch) => branch.scope('verify').step(odd, () => 4)]);
      await durable.scope('s').waitFor('approve:a/b#2:call-1');
      await durable.sleep(1);
    },
  });
  await host.start('work', 'r', null);
  await host.signal('r', 'approve:a/b#2:call-1', 'yes');
  await host.result('r');
  const keys = (await Array.fromAsync(host.journal('r'))).map(({ key }) => stepKeyOf(key));
  expect(keys).toEqual([
    { path: '', name: 'turn', kind: 'step' },
    { path: '', name: 'turn', kind: 'step' },
    { path: '', name: 'tool.save', kind: 'mark' },
    { path: '', name: 'tool.save', kind: 'step' },
    { path: 'samples/0/verify', name: odd, kind: 'step' },
    { path: 's', name: 'approve:a/b#2:call-1', kind: 'wait' },
    { path: '', name: 'sleep', kind: 'mark' },
    { path: '', name: 'sleep', kind: 'sleep' },
  ]);
  expect(stepKeyOf('~cancel')).toEqual({ path: '', name: 'cancel', kind: 'cancel' });
  await host.close();
});
