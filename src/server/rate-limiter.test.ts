import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RateLimiter } from './rate-limiter.ts';

test('over any time no key gets more than its rate and its burst, and no key waits for another', () => {
  const moves = fc.array(fc.tuple(fc.nat(3_000), fc.constantFrom('a', 'b')), { minLength: 1, maxLength: 200 });
  fc.assert(
    fc.property(moves, fc.integer({ min: 1, max: 600 }), fc.integer({ min: 1, max: 20 }), (steps, perMinute, burst) => {
      let now = 0;
      const limiter = new RateLimiter({ perMinute, burst, now: () => now });
      const passed: Record<string, number> = { a: 0, b: 0 };
      for (const [later, key] of steps) {
        now += later;
        const wait = limiter.take(key);
        if (wait === 0) passed[key] = (passed[key] ?? 0) + 1;
        else expect(wait).toBeLessThanOrEqual(Math.ceil(60_000 / perMinute));
      }
      const most = burst + (now * perMinute) / 60_000 + 1e-6;
      expect(Math.max(passed['a'] ?? 0, passed['b'] ?? 0)).toBeLessThanOrEqual(most);
    }),
  );
});

test('who waits as long as told passes, and the limiter keeps a bounded number of keys', () => {
  let now = 0;
  const limiter = new RateLimiter({ perMinute: 60, burst: 1, keys: 2, now: () => now });
  expect(limiter.take('a')).toBe(0);
  now += limiter.take('a');
  expect(limiter.take('a')).toBe(0);
  limiter.take('b');
  limiter.take('c');
  // The oldest key was forgotten, so it begins anew.
  expect(limiter.take('a')).toBe(0);
});
