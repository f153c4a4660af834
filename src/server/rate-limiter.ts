/** Token buckets by key. Bounded: the key that was idle longest makes room for a new one. */
export class RateLimiter {
  readonly #perMs: number;
  readonly #burst: number;
  readonly #keys: number;
  readonly #now: () => number;
  /** Oldest use first. */
  readonly #buckets = new Map<string, { left: number; at: number }>();

  /** `burst` is what may come at once. Default: what one second allows, at least one. */
  constructor(options: { perMinute: number; burst?: number; keys?: number; now?: () => number }) {
    this.#perMs = options.perMinute / 60_000;
    this.#burst = Math.max(1, options.burst ?? options.perMinute / 60);
    this.#keys = options.keys ?? 10_000;
    this.#now = options.now ?? Date.now;
  }

  /** 0 when one more may pass, which is then counted; else the milliseconds until it may. */
  take(key: string): number {
    const now = this.#now();
    const known = this.#buckets.get(key);
    const left = known ? Math.min(this.#burst, known.left + Math.max(0, now - known.at) * this.#perMs) : this.#burst;
    const passes = left >= 1;
    this.#keep(key, { left: passes ? left - 1 : left, at: now });
    return passes ? 0 : Math.ceil((1 - left) / this.#perMs);
  }

  #keep(key: string, bucket: { left: number; at: number }): void {
    this.#buckets.delete(key);
    this.#buckets.set(key, bucket);
    const [oldest] = this.#buckets.keys();
    if (this.#buckets.size > this.#keys && oldest !== undefined) this.#buckets.delete(oldest);
  }
}
