interface Waiter {
  resolve(): void;
  reject(error: Error): void;
}

/** Those who wait for the next change of a run. */
export class Waiters {
  readonly #waiting = new Map<string, Set<Waiter>>();

  /** Resolves at the next `notify`, or after `ms`. */
  next(id: string, ms?: number): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiter = { resolve, reject };
    const timer = ms === undefined ? undefined : setTimeout(resolve, ms);
    const waiters = this.#waiting.get(id) ?? new Set();
    this.#waiting.set(id, waiters.add(waiter));
    return promise.finally(() => {
      clearTimeout(timer);
      waiters.delete(waiter);
      if (waiters.size === 0 && this.#waiting.get(id) === waiters) this.#waiting.delete(id);
    });
  }

  notify(id: string): void {
    for (const waiter of this.#take(id)) waiter.resolve();
  }

  fail(id: string, error: Error): void {
    for (const waiter of this.#take(id)) waiter.reject(error);
  }

  failAll(error: Error): void {
    for (const id of [...this.#waiting.keys()]) this.fail(id, error);
  }

  #take(id: string): Iterable<Waiter> {
    const waiters = this.#waiting.get(id) ?? [];
    this.#waiting.delete(id);
    return waiters;
  }
}
