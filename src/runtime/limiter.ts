interface Slots {
  free: number;
  queue: (() => void)[];
}

/** How many steps with the same `limit.key` may run at once in this process. */
export type StepLimits = Record<string, { concurrency: number }>;

/** In-process concurrency limits, first come first served. A key without a limit is not limited. */
export class Limiter {
  readonly #slots = new Map<string, Slots>();

  constructor(limits: StepLimits = {}) {
    for (const [key, limit] of Object.entries(limits)) {
      this.#slots.set(key, { free: Math.max(1, limit.concurrency), queue: [] });
    }
  }

  /** Resolves to what gives the slot back (calling it again does nothing). Rejects when the signal aborts first. */
  async acquire(key: string, signal: AbortSignal): Promise<() => void> {
    const slots = this.#slots.get(key);
    if (!slots) return () => undefined;
    if (slots.free > 0) slots.free--;
    else await turnIn(slots.queue, signal);
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      const next = slots.queue.shift();
      if (next) next();
      else slots.free++;
    };
  }
}

function turnIn(queue: (() => void)[], signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const leave = (): void => {
      queue.splice(queue.indexOf(enter), 1);
      reject(signal.reason);
    };
    const enter = (): void => {
      signal.removeEventListener('abort', leave);
      resolve();
    };
    queue.push(enter);
    signal.addEventListener('abort', leave, { once: true });
  });
}
