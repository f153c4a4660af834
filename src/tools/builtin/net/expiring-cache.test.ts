import { describe, expect, it } from 'vitest';
import { ExpiringCache } from './expiring-cache.ts';
import { freshness } from './freshness.ts';

describe('ExpiringCache', () => {
  it('forgets a value when its time is over', () => {
    let now = 0;
    const cache = new ExpiringCache<string>({ maxEntries: 5, maxSize: 100, now: () => now });
    cache.set('a', 'x', { size: 1, forMs: 10 });
    cache.set('never', 'x', { size: 1, forMs: 0 });
    now = 9;
    expect([cache.get('a'), cache.get('never')]).toEqual(['x', undefined]);
    now = 10;
    expect(cache.get('a')).toBeUndefined();
  });

  it('makes room by number and by size, and what was not used for longest goes first', () => {
    const cache = new ExpiringCache<string>({ maxEntries: 2, maxSize: 10 });
    const kept = (): string[] => ['a', 'b', 'c', 'd'].filter((key) => cache.get(key) !== undefined);
    for (const key of ['a', 'b']) cache.set(key, key, { size: 4, forMs: 1_000 });
    cache.get('a');
    cache.set('c', 'c', { size: 4, forMs: 1_000 });
    expect(kept()).toEqual(['a', 'c']);
    cache.set('a', 'a', { size: 4, forMs: 1_000 });
    cache.set('d', 'd', { size: 7, forMs: 1_000 });
    expect(kept()).toEqual(['d']);
    cache.set('b', 'b', { size: 11, forMs: 1_000 });
    expect(kept()).toEqual(['d']);
  });
});

describe('freshness', () => {
  it('follows what the server says of keeping its answer', () => {
    expect(freshness({})).toBe(Number.POSITIVE_INFINITY);
    expect(freshness({ 'cache-control': 'public, Max-Age=60', age: '20' })).toBe(40_000);
    expect(freshness({ 'cache-control': 's-maxage=1, max-age="5"', age: 'x' })).toBe(5_000);
    expect(freshness({ 'cache-control': 'max-age=5', age: '6' })).toBe(0);
    expect(freshness({ 'cache-control': 'max-age=5, NO-STORE' })).toBe(0);
    expect(freshness({ 'cache-control': 'no-cache="set-cookie"' })).toBe(0);
    expect(freshness({ pragma: 'no-cache' })).toBe(0);
    expect(freshness({ vary: 'accept, *' })).toBe(0);
    expect(freshness({ 'cache-control': 'max-age=99999999999999' })).toBe(Number.POSITIVE_INFINITY);
  });
});
