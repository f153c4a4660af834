import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { readableOf } from './readable.ts';

async function* slowly(waits: readonly number[]): AsyncGenerator<string> {
  for (const [index, ms] of waits.entries()) {
    await delay(ms);
    yield `item ${index}`;
  }
}

describe('readableOf', () => {
  it('gives a beat while nothing comes, and loses no item by it', async () => {
    const beat = { item: 'beat', everyMs: 20 };
    const given = await Array.fromAsync(readableOf(slowly([0, 90, 0]), { onGone: () => {}, beat }));
    expect(given.filter((item) => item === 'beat').length).toBeGreaterThan(1);
    expect(given.filter((item) => item !== 'beat')).toEqual(['item 0', 'item 1', 'item 2']);
  });

  it('asks for no more than its reader takes', async () => {
    let asked = 0;
    async function* counting(): AsyncGenerator<number> {
      for (;;) yield asked++;
    }
    const reader = readableOf(counting(), { onGone: () => {} }).getReader();
    await reader.read();
    await delay(20);
    expect(asked).toBeLessThanOrEqual(3);
    await reader.cancel();
  });

  it('tells once that its reader went, and lets the items clean up', async () => {
    const told: string[] = [];
    async function* items(): AsyncGenerator<string> {
      try {
        yield 'first';
        await delay(30);
        yield 'second';
      } finally {
        told.push('cleaned up');
      }
    }
    const reader = readableOf(items(), { onGone: () => void told.push('gone') }).getReader();
    await reader.read();
    await reader.cancel();
    expect(told[0]).toBe('gone');
    await expect.poll(() => told, { timeout: 10_000 }).toEqual(['gone', 'cleaned up']);
  });

  it('fails as the items do', async () => {
    async function* failing(): AsyncGenerator<string> {
      yield 'first';
      throw new Error('the source broke');
    }
    await expect(Array.fromAsync(readableOf(failing(), { onGone: () => {} }))).rejects.toThrow('the source broke');
  });
});
