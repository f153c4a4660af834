import { longestTimer } from './execute-step.ts';

/** When to go on with suspended runs. They are safe in the store, so no timer keeps the process alive. */
export class WakeTimers {
  readonly #timers = new Map<string, NodeJS.Timeout>();

  /** Calls `wake` at that time (milliseconds since the epoch), unless the run is cleared or set anew before. */
  set(id: string, at: number, wake: () => void): void {
    this.clear(id);
    const ms = Math.min(longestTimer, Math.max(0, at - Date.now()));
    const timer = setTimeout(() => (Date.now() >= at ? wake() : this.set(id, at, wake)), ms);
    this.#timers.set(id, timer.unref());
  }

  clear(id: string): void {
    clearTimeout(this.#timers.get(id));
    this.#timers.delete(id);
  }

  clearAll(): void {
    for (const id of [...this.#timers.keys()]) this.clear(id);
  }
}
