import { expect, test } from 'vitest';
import { Admission } from './admission.ts';

test('places are given in order, never more than there are, and given back once', async () => {
  const admission = new Admission({ live: 2, queue: 2, queueMs: 1_000 });
  const order: number[] = [];
  const first = await admission.acquire();
  await admission.acquire();
  const third = admission.acquire();
  void third.then(() => order.push(3));
  const fourth = admission.acquire();
  void fourth.then(() => order.push(4));
  await expect(admission.acquire()).rejects.toMatchObject({ status: 429 });
  first();
  first();
  await third;
  expect([admission.live, admission.queued]).toEqual([2, 1]);
  (await third)();
  await fourth;
  expect(order).toEqual([3, 4]);
});

test('who waits too long is refused, and everybody is when the server goes down', async () => {
  const admission = new Admission({ live: 1, queue: 5, queueMs: 20 });
  await admission.acquire();
  await expect(admission.acquire()).rejects.toMatchObject({ status: 429 });
  const patient = admission.acquire({ patient: true });
  await new Promise((resolve) => setTimeout(resolve, 40));
  expect(admission.queued).toBe(1);
  admission.close();
  await expect(patient).rejects.toMatchObject({ status: 503 });
  await expect(admission.acquire()).rejects.toMatchObject({ status: 503 });
});
