import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { WriteQueue } from './write-queue.ts';

const passing = new Error('the server is away');
const final = new Error('permission denied');

/** A queue whose writes end as `write` says; what was written, batch by batch. */
function queueOf(write: (batch: readonly number[]) => Promise<void> | void, capacity = 1_000_000) {
  const batches: number[][] = [];
  const queue = new WriteQueue<number>({
    name: 'numbers',
    capacity,
    mayPass: (error) => error === passing,
    async write(batch) {
      await write(batch);
      batches.push([...batch]);
    },
  });
  return { queue, batches };
}

test('what is added in one turn shares a batch; the order is kept and nothing is written twice', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.record({ size: fc.nat(3_000_000), pause: fc.boolean() })), async (items) => {
      const { queue, batches } = queueOf(() => undefined, Number.POSITIVE_INFINITY);
      for (const [index, { size, pause }] of items.entries()) {
        queue.add(index, size);
        if (pause) await turn();
      }
      await queue.flush(1_000);
      expect(batches.flat()).toEqual([...items.keys()]);
    }),
    { numRuns: 50 },
  );
});

test('a batch holds 500 items at most, and a large item goes alone', async () => {
  const { queue, batches } = queueOf(() => undefined);
  for (let n = 0; n < 501; n++) queue.add(n, 1);
  queue.add(501, 5_000_000);
  await queue.flush(1_000);
  expect(batches.map(({ length }) => length)).toEqual([500, 1, 1]);
});

test('a failure that may pass is tried again with the same items, in order', async () => {
  let tries = 0;
  const { queue, batches } = queueOf(() => {
    if (++tries < 3) throw passing;
  });
  for (const n of [1, 2]) queue.add(n, 1);
  await queue.flush(5_000);
  expect(batches).toEqual([[1, 2]]);
  expect(tries).toBe(3);
});

test('a flush gives up after its patience, and what waits is written later all the same', async () => {
  let away = true;
  const { queue, batches } = queueOf(() => {
    if (away) throw passing;
  });
  queue.add(1, 1);
  await expect(queue.flush(50)).rejects.toThrow(/1 numbers are not written yet. the server is away/);
  away = false;
  await queue.flush(5_000);
  expect(batches).toEqual([[1]]);
});

test('a flush waits as long as something is written', async () => {
  const { queue, batches } = queueOf(() => new Promise((resolve) => setTimeout(resolve, 60)), 100_000_000);
  for (let n = 0; n < 5; n++) queue.add(n, 5_000_000);
  await queue.flush(100);
  expect(batches).toHaveLength(5);
});

test('a write that hangs ends neither a flush nor a close', async () => {
  const { queue } = queueOf(() => new Promise(() => undefined));
  queue.add(1, 1);
  await expect(queue.flush(50)).rejects.toThrow(/did not answer within 50 ms/);
  await expect(queue.close(50)).rejects.toThrow(/not written yet/);
  await queue.close(50);
});

test('a failure that will not pass is final', async () => {
  const { queue } = queueOf(() => {
    throw final;
  });
  queue.add(1, 1);
  await expect(queue.flush(1_000)).rejects.toBe(final);
  expect(() => queue.add(2, 1)).toThrow(final);
  await expect(queue.flush(1_000)).rejects.toBe(final);
  await expect(queue.close(1_000)).rejects.toBe(final);
});

test('above the capacity the caller waits for room, and is refused when it does not', async () => {
  let open: () => void = () => undefined;
  const { queue } = queueOf(
    () =>
      new Promise<void>((resolve) => {
        open = resolve;
      }),
    10_000,
  );
  expect(queue.add(1, 9_000)).toBeUndefined();
  const room = queue.add(2, 9_000);
  expect(room).toBeInstanceOf(Promise);
  void queue.add(3, 9_000);
  expect(() => queue.add(4, 1)).toThrow(/3 numbers wait to be written: wait/);
  await turn();
  open();
  await room;
  expect(() => queue.add(5, 1)).not.toThrow();
});

test('a closed queue takes nothing more', async () => {
  const { queue, batches } = queueOf(() => undefined);
  queue.add(1, 1);
  await queue.close(1_000);
  expect(batches).toEqual([[1]]);
  expect(() => queue.add(2, 1)).toThrow(/closed/);
});
