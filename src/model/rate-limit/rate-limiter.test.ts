import { describe, expect, it } from 'vitest';
import { RateLimiter } from './rate-limiter.ts';

const never = new AbortController().signal;
const model = { provider: 'openai.responses', modelId: 'small' };

describe('RateLimiter', () => {
  it('lets no more through at once than the provider allows, whatever the interface is called', async () => {
    const limiter = new RateLimiter({ openai: { concurrency: 2 } });
    const first = await limiter.enter(model, 0, never);
    await limiter.enter({ ...model, provider: 'openai.chat' }, 0, never);
    let entered = false;
    const third = limiter.enter(model, 0, never).then((passage) => {
      entered = true;
      return passage;
    });
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(entered).toBe(false);
    first.leave(0);
    await third;
    expect(entered).toBe(true);
  });

  it('holds a model to its own limit beside that of its provider', async () => {
    const limiter = new RateLimiter({ openai: { concurrency: 5 }, 'openai:small': { concurrency: 1 } });
    await limiter.enter(model, 0, never);
    await limiter.enter({ ...model, modelId: 'large' }, 0, never);
    const stop = new AbortController();
    const second = limiter.enter(model, 0, stop.signal);
    stop.abort(new Error('no longer'));
    await expect(second).rejects.toThrow('no longer');
  });

  it('spreads requests beyond a full minute over time, in their order', async () => {
    const perMinute = 1_200;
    const limiter = new RateLimiter({ openai: { requestsPerMinute: perMinute } });
    const order: number[] = [];
    const began = performance.now();
    const all = Array.from({ length: perMinute + 4 }, async (_, index) => {
      await limiter.enter(model, 0, never);
      order.push(index);
    });
    await Promise.all(all);
    // Each of the last four waits for 1/1200 of a minute.
    expect(performance.now() - began).toBeGreaterThan(150);
    expect(order).toEqual(order.toSorted((a, b) => a - b));
  });

  it('counts the tokens that were used, not those that were assumed', async () => {
    const limiter = new RateLimiter({ openai: { tokensPerMinute: 6_000 } });
    const first = await limiter.enter(model, 10, never);
    first.leave(6_010);
    const began = performance.now();
    await limiter.enter(model, 5, never);
    // 15 tokens are missing, at 100 a second.
    expect(performance.now() - began).toBeGreaterThan(100);
  });

  it('gives a place back when the wait for it is given up', async () => {
    const limiter = new RateLimiter({ openai: { concurrency: 1, requestsPerMinute: 1 } });
    (await limiter.enter(model, 0, never)).leave(0);
    const stop = new AbortController();
    const second = limiter.enter(model, 0, stop.signal);
    setTimeout(() => stop.abort(new Error('no longer')), 5);
    await expect(second).rejects.toThrow();
    expect(limiter.limits({ provider: 'anthropic', modelId: 'x' })).toBe(false);
    const other = new RateLimiter({ openai: { concurrency: 1 } });
    (await other.enter(model, 0, never)).leave(0);
    await expect(other.enter(model, 0, never)).resolves.toBeDefined();
  });
});
