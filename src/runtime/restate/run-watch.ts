import { longestTimer } from '../execute-step.ts';
import type { RunRow } from './run-rows.ts';

interface Watcher {
  settle(row: RunRow): void;
  fail(error: Error): void;
}

const quickMs = 20;
const mostAtOnce = 200;

/** Looks again and again at the runs somebody waits for: one query for all of them, soon at first and then every `pollMs`. */
export class RunWatch {
  readonly #look: (invocations: readonly string[]) => Promise<RunRow[]>;
  readonly #pollMs: number;
  readonly #watchers = new Map<string, Set<Watcher>>();
  #waitMs: number;
  #timer: NodeJS.Timeout | undefined;
  #looking = false;

  constructor(look: (invocations: readonly string[]) => Promise<RunRow[]>, pollMs: number) {
    this.#look = look;
    this.#pollMs = Math.min(pollMs, longestTimer);
    this.#waitMs = Math.min(quickMs, this.#pollMs);
  }

  /** How many runs are watched. */
  get size(): number {
    return this.#watchers.size;
  }

  /** The run at the next look; undefined when `ms` is over before. */
  next(invocation: string, ms: number): Promise<RunRow | undefined> {
    const { promise, resolve, reject } = Promise.withResolvers<RunRow | undefined>();
    const watchers = this.#watchers.get(invocation) ?? new Set<Watcher>();
    const watcher: Watcher = { settle: resolve, fail: reject };
    this.#watchers.set(invocation, watchers.add(watcher));
    const timer = Number.isFinite(ms) ? setTimeout(() => resolve(undefined), Math.min(ms, longestTimer)) : undefined;
    this.#schedule();
    return promise.finally(() => {
      clearTimeout(timer);
      watchers.delete(watcher);
      if (watchers.size === 0 && this.#watchers.get(invocation) === watchers) this.#watchers.delete(invocation);
    });
  }

  /** Somebody has begun to wait: look soon. */
  hurry(): void {
    this.#waitMs = Math.min(quickMs, this.#pollMs);
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#schedule();
  }

  failAll(error: Error): void {
    clearTimeout(this.#timer);
    const all = [...this.#watchers.values()];
    this.#watchers.clear();
    for (const watcher of all.flatMap((watchers) => [...watchers])) watcher.fail(error);
  }

  #schedule(): void {
    if (this.#timer || this.#looking || this.#watchers.size === 0) return;
    // Half a millisecond a run: thousands are not looked at more often than the engine can bear.
    this.#timer = setTimeout(() => void this.#lookAtAll(), Math.max(this.#waitMs, this.#watchers.size / 2));
    this.#waitMs = Math.min(this.#pollMs, this.#waitMs * 1.5);
  }

  async #lookAtAll(): Promise<void> {
    this.#timer = undefined;
    this.#looking = true;
    const all = [...this.#watchers.keys()];
    for (let at = 0; at < all.length; at += mostAtOnce) {
      const some = all.slice(at, at + mostAtOnce);
      try {
        for (const row of await this.#look(some)) this.#tell(row.invocation, (watcher) => watcher.settle(row));
      } catch (error) {
        const reason = error instanceof Error ? error : new Error(String(error));
        for (const invocation of some) this.#tell(invocation, (watcher) => watcher.fail(reason));
      }
    }
    this.#looking = false;
    this.#schedule();
  }

  #tell(invocation: string, tell: (watcher: Watcher) => void): void {
    const watchers = [...(this.#watchers.get(invocation) ?? [])];
    this.#watchers.delete(invocation);
    for (const watcher of watchers) tell(watcher);
  }
}
