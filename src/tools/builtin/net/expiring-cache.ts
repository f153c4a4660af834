interface Kept<Value> {
  value: Value;
  size: number;
  until: number;
}

export interface CacheLimits {
  maxEntries: number;
  /** Of the sizes given to `set`, together. */
  maxSize: number;
  /** Milliseconds. Default: the clock of the system. */
  now?: () => number;
}

/** Values by key, each for a time. When the limits are passed, the values that were not used for longest go first. */
export class ExpiringCache<Value> {
  readonly #limits: CacheLimits;
  readonly #now: () => number;
  /** In the order of their last use. */
  readonly #kept = new Map<string, Kept<Value>>();
  #size = 0;

  constructor(limits: CacheLimits) {
    this.#limits = limits;
    this.#now = limits.now ?? Date.now;
  }

  get(key: string): Value | undefined {
    const kept = this.#kept.get(key);
    if (!kept) return undefined;
    this.#remove(key);
    if (kept.until <= this.#now()) return undefined;
    this.#add(key, kept);
    return kept.value;
  }

  set(key: string, value: Value, { size, forMs }: { size: number; forMs: number }): void {
    this.#remove(key);
    if (forMs <= 0 || size > this.#limits.maxSize) return;
    this.#add(key, { value, size, until: this.#now() + forMs });
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= this.#limits.maxEntries && this.#size <= this.#limits.maxSize) return;
      this.#remove(oldest);
    }
  }

  #add(key: string, kept: Kept<Value>): void {
    this.#kept.set(key, kept);
    this.#size += kept.size;
  }

  #remove(key: string): void {
    this.#size -= this.#kept.get(key)?.size ?? 0;
    this.#kept.delete(key);
  }
}
