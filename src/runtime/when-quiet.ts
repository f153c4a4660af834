/** Callbacks that may follow each other before the event loop goes round. */
const mostInARow = 64;

/**
 * Calls back when no microtask is left to run: every branch of agent code has then reached its next operation, since between two of
 * them it uses microtasks only. As good as a macrotask, and cheaper; every so often it is one, so that input, output and timers get
 * their turn.
 */
export class WhenQuiet {
  readonly #callback: () => void;
  readonly #queue: () => void;
  /** A reaction to it is a microtask, at a fraction of what `queueMicrotask` costs, which makes an async resource of its own. */
  readonly #settled = Promise.resolve();
  #inARow = 0;

  constructor(callback: () => void) {
    this.#callback = callback;
    this.#queue = () => process.nextTick(callback);
  }

  callBack(): void {
    if (++this.#inARow >= mostInARow) {
      this.#inARow = 0;
      setImmediate(this.#callback);
    } else {
      // What is queued with nextTick from a microtask runs after all microtasks.
      void this.#settled.then(this.#queue);
    }
  }
}
